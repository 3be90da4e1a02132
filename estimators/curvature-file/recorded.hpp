// A curvature from the draws.nc of an earlier run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metric.hpp"

#include <mixwell/lab/draws.hpp>

#include <array>
#include <fstream>
#include <string>
#include <vector>

namespace mixwell::curvature_file {

/// The statistic `inv_metric` of a draws.nc, or the one that a kernel among others has: each
/// chain's H, recorded once.
class RecordedMetric {
 public:
  /// `kernel`: whose, "" where the run had one. Throws InputError unless there is one, a vector or
  /// a square matrix for each chain.
  RecordedMetric(const std::string& path, const std::string& kernel)
      : path_(path),
        name_(kernel.empty() ? suffix : kernel + "_" + suffix),
        file_(path),
        column_(find()) {}

  Index chains() const noexcept { return file_.chains(); }

  /// Throws InputError where it cannot be read or holds a number that is not finite.
  Metric of_chain(Index chain) const {
    const Index d = column_.shape.front();
    Metric metric = file_.read_once(column_, chain).reshaped(d, column_.size() / d);
    if (!is_diagonal(metric)) metric.transposeInPlace();  // the last index runs fastest in the file
    require_finite(metric, path_ + ": " + name_ + " of chain " + std::to_string(chain));
    return metric;
  }

  /// In order of the chains, as a running mean: that of equal matrices has their bits.
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
    throw InputError(path_ + ": " + name_ + " is " + found + "; wanted, for " +
                     std::to_string(chains()) + " chains, chains x d or chains x d x d");
  }

  /// Names what there is in its place.
  [[noreturn]] void refuse_name() const {
    const std::string missing =
        path_ + ": its run recorded no curvature `" + name_ + "` in the group sample_stats; ";
    const std::string known = kernels_with_curvature();
    throw InputError(
        missing + (known.empty() ? "one that learns with the estimator `diagonal` or `dense` does"
                                 : "it has those of " + known));
  }

  std::string kernels_with_curvature() const {
    std::string known;
    for (const Column& column : file_.once()) {
      const std::string& name = column.name;
      const bool is_only = name == suffix;
      if (column.group != RecordGroup::sample_stats) continue;
      if (!is_only && !name.ends_with(std::string("_") + suffix)) continue;
      if (!known.empty()) known += ", ";
      known +=
          is_only ? "no `kernel`" : "kernel = \"" + name.substr(0, name.rfind(suffix) - 1) + "\"";
    }
    return known;
  }

  std::string path_;
  std::string name_;
  DrawsFile file_;
  const Column& column_;
};

/// By its first bytes, whatever its name: those of HDF5, or of NetCDF before version 4.
inline bool is_netcdf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 4> bytes{};
  in.read(bytes.data(), bytes.size());
  const std::string_view start(bytes.data(), bytes.size());
  return start == "\x89HDF" || start.starts_with("CDF");
}

}  // namespace mixwell::curvature_file
