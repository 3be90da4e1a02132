// A curvature from a text of numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metric.hpp"

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell::curvature_file {

constexpr std::string_view layout =
    "wanted d numbers in one line (a diagonal) or d lines of d numbers (a matrix), separated by "
    "commas and without a header";

inline std::string_view trimmed(std::string_view cell) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = cell.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  cell.remove_prefix(first);
  return cell.substr(0, cell.find_last_not_of(blanks) + 1);
}

/// The numbers of one line; `place` is its file:line.
inline std::vector<double> numbers_of(std::string_view line, const std::string& place) {
  std::vector<double> numbers;
  for (bool more = true; more;) {
    const std::size_t comma = line.find(',');
    const std::string_view cell = trimmed(line.substr(0, comma));
    double value = 0.0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) {
      throw InputError(place + ": number " + std::to_string(numbers.size() + 1) + " is \"" +
                       std::string(cell) + "\", no finite number; " + std::string(layout));
    }
    numbers.push_back(value);
    more = comma != std::string_view::npos;
    if (more) line.remove_prefix(comma + 1);
  }
  return numbers;
}

/// Lines that are not blank, all of one length.
inline std::vector<std::vector<double>> lines_of(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw InputError(path + ": no such file, or it may not be read");
  std::vector<std::vector<double>> lines;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (trimmed(line).empty()) continue;
    const std::string place = path + ":" + std::to_string(number);
    lines.push_back(numbers_of(line, place));
    if (lines.back().size() == lines.front().size()) continue;
    throw InputError(place + ": " + std::to_string(lines.back().size()) +
                     " numbers, but the first line has " + std::to_string(lines.front().size()) +
                     "; " + std::string(layout));
  }
  if (lines.empty()) throw InputError(path + ": holds no numbers; " + std::string(layout));
  return lines;
}

/// Throws InputError with file, line and value.
inline Metric read_csv(const std::string& path) {
  const std::vector<std::vector<double>> lines = lines_of(path);
  const auto d = static_cast<Index>(lines.front().size());
  const auto rows = static_cast<Index>(lines.size());
  if (rows == 1) return Eigen::VectorXd::Map(lines.front().data(), d);
  if (rows != d) {
    throw InputError(path + ": " + std::to_string(rows) + " lines of " + std::to_string(d) +
                     " numbers; " + std::string(layout));
  }
  Metric metric(d, d);
  for (Index i = 0; i < d; ++i) {
    metric.row(i) = Eigen::RowVectorXd::Map(lines[static_cast<std::size_t>(i)].data(), d);
  }
  return metric;
}

}  // namespace mixwell::curvature_file
