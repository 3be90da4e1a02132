// Counts of cases y among n at risk: read from a file or simulated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../regression/missing.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::beta_binomial {

/// One row of the data.
struct Count {
  double y;  ///< whole, 0 <= y <= n
  double n;  ///< whole, at least 1
};

namespace detail {

/// Above this a double no longer holds every whole number.
inline constexpr double most = 9007199254740992.0;

inline void require_count(const CsvTable& table, Index row, const std::string& column, double value,
                          double least) {
  if (value >= least && value <= most && value == std::floor(value)) return;
  throw InputError({table.path(), table.line(row), 0},
                   "column \"" + column + "\" is " + table.text(row, table.find(column)) +
                       ", but must be a whole number of at least " + std::to_string(Index(least)) +
                       " (and at most 2^53): these are counts, not shares");
}

}  // namespace detail

/// Where counts stand.
struct Source {
  std::optional<std::string> data;
  std::string y = "y";
  std::string n = "n";
  std::string missing = "refuse";

  void declare(Fields& fields) {
    fields.text("data", data).file().help("CSV of the pairs, plain or gzipped; or simulate them");
    fields.text("y", y).only_with("data").help("data: column of the cases, 0 <= y <= n");
    fields.text("n", n).only_with("data").help("data: column of the numbers at risk");
    regression::declare_missing(fields, missing).only_with("data");
  }
};

/// The columns y and n of a CSV file. Throws InputError with file:line for what is no count and for
/// y > n. Adds a remark on rows that are left out.
inline std::vector<Count> read_counts(const Source& source, std::vector<std::string>& remarks) {
  const std::string& y = source.y;
  const std::string& n = source.n;
  CsvTable table(*source.data);
  if (std::string dropped = table.settle_missing({y, n}, source.missing); !dropped.empty())
    remarks.push_back(std::move(dropped));
  const Eigen::VectorXd ys = table.numbers(y);
  const Eigen::VectorXd ns = table.numbers(n);
  std::vector<Count> counts;
  for (Index j = 0; j < table.rows(); ++j) {
    detail::require_count(table, j, y, ys[j], 0);
    detail::require_count(table, j, n, ns[j], 1);
    if (ys[j] > ns[j])
      throw InputError({table.path(), table.line(j), 0},
                       "column \"" + y + "\" is " + table.text(j, table.find(y)) + ", above \"" +
                           n + "\", which is " + table.text(j, table.find(n)) +
                           "; are the columns swapped? (keys y and n name them)");
    counts.push_back({ys[j], ns[j]});
  }
  return counts;
}

/// The keys of counts that are simulated instead of read.
struct Simulation {
  std::int64_t cases = 0;
  std::int64_t seed = 1;
  std::vector<double> sizes = {1000};
  double m = 0.1;
  double K = 20;

  void declare(Fields& fields) {
    fields.integer("cases", cases)
        .at_least(0)
        .at_most(1 << 20)
        .help("without data: number of pairs to simulate");
    fields.integer("simulate_seed", seed).at_least(0).help("without data: of the simulation");
    fields.numbers("sizes", sizes)
        .at_least(1)
        .at_most(1 << 20)
        .help("without data: whole numbers; n of case j is sizes[j mod their number]");
    fields.number("m", m).above(0).below(1).help("without data: mean of the simulated shares");
    fields.number("K", K).above(0).help("without data: their precision");
  }
};

/// Polya's urn: with y positive among i draws, the next one is positive with probability (K m + y)
/// / (K + i); after n of them y is beta-binomial. Draw i of case j is decided by uniform i of
/// replicate j of the stream (simulate_seed, "beta-binomial/cases"), so that fewer cases are the
/// first of more.
inline std::vector<Count> simulated_counts(const Simulation& simulation) {
  const Stream stream(static_cast<std::uint64_t>(simulation.seed), "beta-binomial/cases");
  std::vector<Count> counts;
  for (std::int64_t j = 0; j < simulation.cases; ++j) {
    const auto size = static_cast<std::size_t>(j) % simulation.sizes.size();
    const double n = simulation.sizes[size];
    Eigen::MatrixXd uniforms(static_cast<Index>(n), 1);
    stream.uniforms({0, 0, static_cast<std::uint64_t>(j)}, uniforms);
    double y = 0;
    for (Index i = 0; i < uniforms.size(); ++i)
      y += uniforms(i, 0) * (simulation.K + static_cast<double>(i)) <
           simulation.K * simulation.m + y;
    counts.push_back({y, n});
  }
  return counts;
}

}  // namespace mixwell::beta_binomial
