// A curvature from the draws.nc of an earlier run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metric.hpp"

#include <mixwell/lab/draws.hpp>

#include <netcdf.h>

#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::curvature_file {

/// The statistic `inv_metric` of a draws.nc, or the one that a kernel among others has: each
/// chain's H, recorded once. Learnt matrices have no draws and so are not among the columns of
/// DrawsFile, which vouches for the rest of the file.
class RecordedMetric {
 public:
  /// `kernel`: whose, "" where the run had one. Throws InputError unless there is one, a vector or
  /// a square matrix for each chain.
  RecordedMetric(const std::string& path, const std::string& kernel)
      : path_(path),
        name_(kernel.empty() ? suffix : kernel + "_" + suffix),
        chains_(DrawsFile(path).chains()) {
    check(nc_open(path.c_str(), NC_NOWRITE, &file_), "open it");
    try {
      find();
    } catch (...) {
      nc_close(file_);
      throw;
    }
  }
  RecordedMetric(const RecordedMetric&) = delete;
  RecordedMetric& operator=(const RecordedMetric&) = delete;
  ~RecordedMetric() { nc_close(file_); }

  Index chains() const noexcept { return chains_; }

  /// Throws InputError where it cannot be read or holds a number that is not finite.
  Metric of_chain(Index chain) const {
    std::vector<std::size_t> start(lengths_.size(), 0);
    std::vector<std::size_t> count = lengths_;
    start[0] = static_cast<std::size_t>(chain);
    count[0] = 1;
    const auto d = static_cast<Index>(lengths_[1]);
    Metric metric(d, lengths_.size() == 3 ? d : 1);
    check(nc_get_vara_double(group_, variable_, start.data(), count.data(), metric.data()),
          "read " + name_);
    if (!is_diagonal(metric)) metric.transposeInPlace();  // the last index runs fastest in the file
    require_finite(metric, path_ + ": " + name_ + " of chain " + std::to_string(chain));
    return metric;
  }

  /// In order of the chains, as a running mean: that of equal matrices has their bits.
  Metric mean() const {
    Metric mean = of_chain(0);
    for (Index chain = 1; chain < chains_; ++chain) {
      mean += (of_chain(chain) - mean) / static_cast<double>(chain + 1);
    }
    return mean;
  }

 private:
  static constexpr const char* suffix = "inv_metric";

  void find() {
    if (nc_inq_grp_ncid(file_, "sample_stats", &group_) != NC_NOERR ||
        nc_inq_varid(group_, name_.c_str(), &variable_) != NC_NOERR) {
      refuse_name();
    }
    read_lengths();
    const std::size_t rank = lengths_.size();
    const bool square = rank == 2 || (rank == 3 && lengths_[1] == lengths_[2]);
    if (square && lengths_[0] == static_cast<std::size_t>(chains_) && lengths_[1] > 0) return;
    std::string found;
    for (const std::size_t length : lengths_) {
      found += (found.empty() ? "" : " x ") + std::to_string(length);
    }
    throw InputError(path_ + ": " + name_ + " is " + found + "; wanted, for " +
                     std::to_string(chains_) + " chains, chains x d or chains x d x d");
  }

  /// Names what there is in its place.
  [[noreturn]] void refuse_name() const {
    const std::string missing =
        path_ + ": its run recorded no curvature `" + name_ + "` in the group sample_stats; ";
    const std::vector<std::string> kernels = kernels_with_curvature();
    if (kernels.empty()) {
      throw InputError(missing + "one that learns with the estimator `diagonal` or `dense` does");
    }
    std::string known;
    for (const std::string& kernel : kernels) {
      const std::string key = kernel.empty() ? "no `kernel`" : "kernel = \"" + kernel + "\"";
      known += (known.empty() ? "" : ", ") + key;
    }
    throw InputError(missing + "it has those of " + known);
  }

  /// "" for a run's only one.
  std::vector<std::string> kernels_with_curvature() const {
    std::vector<std::string> kernels;
    int count = 0;
    if (group_ < 0 || nc_inq_nvars(group_, &count) != NC_NOERR) return kernels;
    for (int variable = 0; variable < count; ++variable) {
      std::array<char, NC_MAX_NAME + 1> text{};
      if (nc_inq_varname(group_, variable, text.data()) != NC_NOERR) continue;
      const std::string name(text.data());
      if (name == suffix) kernels.emplace_back();
      if (name.ends_with(std::string("_") + suffix)) {
        kernels.push_back(name.substr(0, name.size() - std::strlen(suffix) - 1));
      }
    }
    return kernels;
  }

  void read_lengths() {
    std::array<int, NC_MAX_VAR_DIMS> dimensions{};
    int rank = 0;
    check(nc_inq_var(group_, variable_, nullptr, nullptr, &rank, dimensions.data(), nullptr),
          "read " + name_);
    for (int k = 0; k < rank; ++k) {
      std::size_t length = 0;
      check(nc_inq_dimlen(group_, dimensions[static_cast<std::size_t>(k)], &length),
            "read the dimensions of " + name_);
      lengths_.push_back(length);
    }
  }

  void check(int status, const std::string& action) const {
    if (status == NC_NOERR) return;
    throw InputError(path_ + ": cannot " + action + ": " + nc_strerror(status) +
                     "; it must be the whole draws.nc of a run");
  }

  std::string path_;
  std::string name_;
  Index chains_;
  int file_ = -1;
  int group_ = -1;
  int variable_ = -1;
  std::vector<std::size_t> lengths_;
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
