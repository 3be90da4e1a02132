// Counts y out of n, read from a file or simulated.
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

/// The largest value up to which a double can hold every whole number.
inline constexpr double most = 9007199254740992.0;

inline void require_count(const CsvTable& table, Index row, const std::string& column, double value,
                          double least) {
  if (value >= least && value <= most && value == std::floor(value)) return;
  throw InputError({table.path(), table.line(row), 0},
                   "column \"" + column + "\" is " + table.text(row, table.find(column)) +
                       ", but must be a whole number from " + std::to_string(Index(least)) +
                       " to 2^53. Give counts, not proportions.");
}

}  // namespace detail

/// The manifest keys of counts that are read from a file.
struct Source {
  std::optional<std::string> data;
  std::string y = "y";
  std::string n = "n";
  std::string missing = "refuse";

  void declare(Fields& fields) {
    fields.text("data", data)
        .file()
        .help("CSV file of the pairs, plain or gzipped; default: simulated pairs");
    fields.text("y", y).only_with("data").help("column of the counts y, 0 <= y <= n");
    fields.text("n", n).only_with("data").help("column of the totals n (numbers at risk)");
    regression::declare_missing(fields, missing).only_with("data");
  }
};

/// The columns y and n of a CSV file. Throws InputError with file:line for a value that is not a
/// count and for y > n. Adds a remark about rows that are left out.
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
                       "column \"" + y + "\" is " + table.text(j, table.find(y)) +
                           ", which is above \"" + n + "\" = " + table.text(j, table.find(n)) +
                           ". If the columns are swapped, correct the keys `y` and `n`.");
    counts.push_back({ys[j], ns[j]});
  }
  return counts;
}

/// The manifest keys of counts that are simulated.
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
    fields.integer("simulate_seed", seed).at_least(0).help("without data: seed of the simulation");
    fields.numbers("sizes", sizes)
        .at_least(1)
        .at_most(1 << 20)
        .help(
            "without data: whole numbers n, used cyclically: n of case j is sizes[j mod the number "
            "of sizes]");
    fields.number("m", m).above(0).below(1).help(
        "without data: mean m of the beta distribution of the success probabilities");
    fields.number("K", K).above(0).help(
        "without data: precision K of the beta distribution of the success probabilities");
  }
};

/// Polya's urn: if y of i draws are positive, the next is positive with probability (K m + y) / (K
/// + i). After n draws, y is beta-binomial. Uniform i of replicate j in the stream (simulate_seed,
/// "beta-binomial/cases") decides draw i of case j, so a smaller data set is the beginning of a
/// larger one.
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
