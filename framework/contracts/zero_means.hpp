// Means that must vanish, as z-scores.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/types.hpp>

#include <cmath>
#include <sstream>
#include <string>

namespace mixwell::contracts {

/// Many numbers of mean zero if the clause holds, each row one statistic and each column one draw.
/// The verdict bounds the probability of rejecting by Bonferroni: p of the largest |z| times the
/// number of statistics.
class ZeroMeans {
 public:
  void add(const std::string& name, const Eigen::RowVectorXd& values) {
    const auto n = static_cast<double>(values.size());
    const double sd = std::sqrt((values.array() - values.mean()).square().sum() / (n - 1));
    const double z = values.isZero(0) ? 0 : values.mean() * std::sqrt(n) / sd;
    ++count_;
    if (!(std::abs(z) > std::abs(worst_)) && !std::isnan(z)) return;
    worst_ = z;
    name_ = name;
  }

  Finding finding(const std::string& clause) const {
    const double p = std::erfc(std::abs(worst_) / std::sqrt(2.0)) * static_cast<double>(count_);
    std::ostringstream detail;
    detail << "largest of " << count_ << " z-scores: " << worst_ << " for " << name_;
    return {clause, p > 1e-4, detail.str()};
  }

 private:
  Index count_ = 0;
  double worst_ = 0;
  std::string name_;
};

}  // namespace mixwell::contracts
