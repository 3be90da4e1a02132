// Complex entries of a matrix, read from a CSV file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::stable_factorisation {

/// N entries of an I x J matrix.
struct Entries {
  std::vector<Index> rows;
  std::vector<Index> columns;
  Eigen::VectorXd real;
  Eigen::VectorXd imaginary;
  /// The first source in each entry, or empty.
  Eigen::VectorXd source_real{};
  Eigen::VectorXd source_imaginary{};

  Index size() const noexcept { return real.size(); }
  Index row_count() const { return 1 + *std::max_element(rows.begin(), rows.end()); }
  Index column_count() const { return 1 + *std::max_element(columns.begin(), columns.end()); }
  double squared(Index n) const { return real(n) * real(n) + imaginary(n) * imaginary(n); }
};

namespace detail {

constexpr double most_places = 1e7;

inline std::vector<Index> places(const CsvTable& csv, const std::string& column) {
  const Eigen::VectorXd numbers = csv.numbers(column);
  std::vector<Index> out;
  for (Index n = 0; n < numbers.size(); ++n) {
    const double place = numbers(n);
    if (place < 0.0 || place >= most_places || place != std::floor(place))
      throw InputError(csv.place(n, column) +
                       ": the row or column of an entry must be a whole number that is at least 0 "
                       "and below 1e7. "
                       "Correct this number.");
    out.push_back(static_cast<Index>(place));
  }
  return out;
}

/// Checks that every row and column up to the last one has an entry, and that no entry occurs
/// twice.
inline void check(const Entries& entries, const CsvTable& csv) {
  std::set<std::pair<Index, Index>> seen;
  for (Index n = 0; n < entries.size(); ++n) {
    const auto k = static_cast<std::size_t>(n);
    if (!seen.emplace(entries.rows[k], entries.columns[k]).second)
      throw InputError(
          {csv.path(), csv.line(n), 0},
          "the entry in row " + std::to_string(entries.rows[k]) + ", column " +
              std::to_string(entries.columns[k]) +
              " of the matrix appears a second time. Keep only one line for each entry.");
  }
  const auto require_all = [&](const std::vector<Index>& places, Index count,
                               const std::string& what) {
    const std::set<Index> used(places.begin(), places.end());
    for (Index k = 0; k < count; ++k)
      if (!used.contains(k))
        throw InputError(csv.path() + ": " + what + " " + std::to_string(k) +
                         " has no entry. Number the rows and columns from 0 without gaps.");
  };
  require_all(entries.rows, entries.row_count(), "row");
  require_all(entries.columns, entries.column_count(), "column");
}

}  // namespace detail

/// Reads the columns `row`, `column`, `real` and `imaginary`, and with `has_source` also
/// `source_real` and `source_imaginary`.
inline Entries read_entries(const std::string& path, bool has_source) {
  const CsvTable csv(path);
  if (csv.rows() == 0)
    throw InputError(path +
                     ": the file has no entries. Add one line for each known entry of the matrix.");
  Entries entries{.rows = detail::places(csv, "row"),
                  .columns = detail::places(csv, "column"),
                  .real = csv.numbers("real"),
                  .imaginary = csv.numbers("imaginary")};
  if (has_source) {
    entries.source_real = csv.numbers("source_real");
    entries.source_imaginary = csv.numbers("source_imaginary");
  }
  detail::check(entries, csv);
  return entries;
}

}  // namespace mixwell::stable_factorisation
