// Reads a preconditioner from a CSV or draws.nc file, and checks that it is positive definite.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/draws.hpp>
#include <mixwell/plugin.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell::curvature_file {

/// H: d x d, or its diagonal, d x 1.
using Metric = Eigen::MatrixXd;

inline bool is_diagonal(const Metric& metric) { return metric.cols() == 1; }

inline std::string text(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

/// "row 2, column 3 is -0.5", counted from 1; for a diagonal "coordinate 2 is -0.5".
inline std::string entry(const Metric& metric, Index i, Index j) {
  const std::string value = " is " + text(metric(i, j));
  if (is_diagonal(metric)) return "coordinate " + std::to_string(i + 1) + value;
  return "row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) + value;
}

/// Throws InputError for the first entry that is not finite. `whose` begins the message.
inline void require_finite(const Metric& metric, const std::string& whose) {
  for (Index j = 0; j < metric.cols(); ++j) {
    for (Index i = 0; i < metric.rows(); ++i) {
      if (std::isfinite(metric(i, j))) continue;
      throw InputError(whose + ": the entries of the preconditioner must be finite, but " +
                       entry(metric, i, j) +
                       ". If the run ended before its first draw, it recorded no preconditioner. "
                       "Use the draws.nc of a run that recorded at least one draw.");
    }
  }
}

inline void require_symmetric(const Metric& metric, const std::string& path) {
  for (Index j = 0; j < metric.cols(); ++j) {
    for (Index i = 0; i < j; ++i) {
      const double scale = std::max(std::abs(metric(i, j)), std::abs(metric(j, i)));
      if (std::abs(metric(i, j) - metric(j, i)) <= 1e-12 * scale) continue;
      throw InputError(path + ": the preconditioner must be symmetric, but " + entry(metric, i, j) +
                       " and " + entry(metric, j, i) + ". Make the two numbers equal.");
    }
  }
}

inline void require_positive_diagonal(const Metric& metric, const std::string& path) {
  for (Index i = 0; i < metric.rows(); ++i) {
    const Index j = is_diagonal(metric) ? 0 : i;
    if (metric(i, j) > 0.0) continue;
    throw InputError(path + ": the preconditioner must be positive definite, but " +
                     entry(metric, i, j) +
                     ", which is not above 0. Use a positive definite matrix.");
  }
}

/// Requires a positive pivot in every row, larger than rounding errors. A pivot is the value that
/// remains of H_kk after the elimination of the rows before row k. Reads the lower triangle.
/// O(d^3).
inline void require_positive_pivots(const Metric& metric, const std::string& path) {
  Metric left = metric;
  const Index d = metric.rows();
  for (Index k = 0; k < d; ++k) {
    const double pivot = left(k, k);
    if (!(pivot > 1e-15 * static_cast<double>(d) * metric(k, k))) {
      throw InputError(path + ": the preconditioner must be positive definite, but " +
                       entry(metric, k, k) +
                       ", and the elimination of the earlier rows reduces it to " + text(pivot) +
                       ". The result must be above 0 by more than rounding errors. Use a positive "
                       "definite matrix.");
    }
    const Index rest = d - k - 1;
    left.bottomRightCorner(rest, rest)
        .selfadjointView<Eigen::Lower>()
        .rankUpdate(left.col(k).tail(rest), -1.0 / pivot);
  }
}

/// Throws InputError unless H is symmetric (to 1e-12) and positive definite.
inline void require_preconditioner(const Metric& metric, const std::string& path) {
  require_positive_diagonal(metric, path);
  if (is_diagonal(metric)) return;
  require_symmetric(metric, path);
  require_positive_pivots(metric, path);
}

constexpr std::string_view layout =
    "Write d numbers in one line (a diagonal) or d lines of d numbers (a matrix), separated by "
    "commas and without a header.";

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
                       std::string(cell) + "\", which is not a finite number. " +
                       std::string(layout));
    }
    numbers.push_back(value);
    more = comma != std::string_view::npos;
    if (more) line.remove_prefix(comma + 1);
  }
  return numbers;
}

/// The lines that are not blank. All must have the same length.
inline std::vector<std::vector<double>> lines_of(const std::string& path) {
  std::ifstream in(path);
  if (!in)
    throw InputError(
        path + ": the file does not exist or cannot be read. Check its name and permissions.");
  std::vector<std::vector<double>> lines;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (trimmed(line).empty()) continue;
    const std::string place = path + ":" + std::to_string(number);
    lines.push_back(numbers_of(line, place));
    if (lines.back().size() == lines.front().size()) continue;
    throw InputError(place + ": this line has " + std::to_string(lines.back().size()) +
                     " numbers, but the first line has " + std::to_string(lines.front().size()) +
                     ". " + std::string(layout));
  }
  if (lines.empty())
    throw InputError(path + ": the file contains no numbers. " + std::string(layout));
  return lines;
}

/// Throws InputError with the file, line and value.
inline Metric read_csv(const std::string& path) {
  const std::vector<std::vector<double>> lines = lines_of(path);
  const auto d = static_cast<Index>(lines.front().size());
  const auto rows = static_cast<Index>(lines.size());
  if (rows == 1) return Eigen::VectorXd::Map(lines.front().data(), d);
  if (rows != d) {
    throw InputError(path + ": a matrix must be square, but the file has " + std::to_string(rows) +
                     " lines of " + std::to_string(d) + " numbers. " + std::string(layout));
  }
  Metric metric(d, d);
  for (Index i = 0; i < d; ++i) {
    metric.row(i) = Eigen::RowVectorXd::Map(lines[static_cast<std::size_t>(i)].data(), d);
  }
  return metric;
}

/// The statistic `inv_metric` of a draws.nc, or of one of its kernels: the H of each chain,
/// recorded once.
class RecordedMetric {
 public:
  /// `kernel` is the name of the kernel, or "" if the run had only one. Throws InputError unless
  /// the file has a vector or a square matrix for each chain.
  RecordedMetric(const std::string& path, const std::string& kernel)
      : path_(path),
        name_(kernel.empty() ? suffix : kernel + "_" + suffix),
        file_(path),
        column_(find()) {}

  Index chains() const noexcept { return file_.chains(); }

  /// Throws InputError if H cannot be read or has a number that is not finite.
  Metric of_chain(Index chain) const {
    const Index d = column_.shape.front();
    Metric metric = file_.read_once(column_, chain).reshaped(d, column_.size() / d);
    if (!is_diagonal(metric)) metric.transposeInPlace();  // the last index runs fastest in the file
    require_finite(metric, path_ + ": " + name_ + " of chain " + std::to_string(chain));
    return metric;
  }

  /// A running mean in the order of the chains, so the mean of equal matrices equals them bit by
  /// bit.
  Metric mean() const {
    Metric mean = of_chain(0);
    for (Index chain = 1; chain < chains(); ++chain) {
      mean += (of_chain(chain) - mean) / static_cast<double>(chain + 1);
    }
    return mean;
  }

 private:
  static constexpr const char* suffix = "inv_metric";

  const Column& find() const {
    for (const Column& column : file_.once()) {
      if (column.group != RecordGroup::sample_stats || column.name != name_) continue;
      const std::vector<Index>& shape = column.shape;
      if (shape.size() == 1 || (shape.size() == 2 && shape[0] == shape[1])) return column;
      refuse_shape(shape);
    }
    refuse_name();
  }

  [[noreturn]] void refuse_shape(const std::vector<Index>& shape) const {
    std::string found = std::to_string(chains());
    for (const Index length : shape) found += " x " + std::to_string(length);
    throw InputError(path_ + ": the array " + name_ + " has the shape " + found + ", but for " +
                     std::to_string(chains()) +
                     " chains the shape must be chains x d or chains x d x d, where d is the "
                     "number of coordinates. Use the draws.nc of a run with "
                     "estimator `diagonal` or `dense`.");
  }

  /// The message names the preconditioners that the file has instead.
  [[noreturn]] void refuse_name() const {
    const std::string missing =
        path_ + ": the run recorded no preconditioner `" + name_ + "` in the group sample_stats. ";
    const std::string known = kernels_with_preconditioner();
    throw InputError(
        missing + (known.empty() ? "Use a run with estimator `diagonal` or `dense`."
                                 : "Use one of the preconditioners in the file: " + known + "."));
  }

  std::string kernels_with_preconditioner() const {
    std::string known;
    for (const Column& column : file_.once()) {
      const std::string& name = column.name;
      const bool is_only = name == suffix;
      if (column.group != RecordGroup::sample_stats) continue;
      if (!is_only && !name.ends_with(std::string("_") + suffix)) continue;
      if (!known.empty()) known += ", ";
      known += is_only ? "`inv_metric` (leave out `kernel`)"
                       : "kernel = \"" + name.substr(0, name.rfind(suffix) - 1) + "\"";
    }
    return known;
  }

  std::string path_;
  std::string name_;
  DrawsFile file_;
  const Column& column_;
};

/// Whether the first bytes are those of HDF5, or of NetCDF before version 4. The name of the file
/// does not matter.
inline bool is_netcdf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 4> bytes{};
  in.read(bytes.data(), bytes.size());
  const std::string_view start(bytes.data(), bytes.size());
  return start == "\x89HDF" || start.starts_with("CDF");
}

}  // namespace mixwell::curvature_file
