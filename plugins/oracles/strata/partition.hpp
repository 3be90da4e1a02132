// The division of the cases of the data into strata.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace mixwell::strata {

/// Non-empty disjoint sets of cases, which together are all N cases. Uses 8 N bytes of RAM.
class Partition {
 public:
  /// Throws InputError if a stratum contains no cases. The message begins with `who`.
  Partition(const SumOfTerms& sum, Index count, const std::string& who)
      : terms_(sum.terms()), members_(static_cast<std::size_t>(count)) {
    if (count > terms_) {
      throw InputError(who + ": strata = " + std::to_string(count) + ", but the data have only " +
                       std::to_string(terms_) + " cases. Use at most " + std::to_string(terms_) +
                       " strata.");
    }
    std::vector<std::vector<double>> cases(members_.size());
    for (Index n = 0; n < terms_; ++n)
      cases[static_cast<std::size_t>(sum.stratum(n, count))].push_back(static_cast<double>(n));
    for (std::size_t s = 0; s < cases.size(); ++s) {
      if (cases[s].empty()) {
        throw InputError(who + ": with strata = " + std::to_string(count) + ", stratum " +
                         std::to_string(s) + " contains no cases. Use fewer strata.");
      }
      members_[s] = Eigen::Map<const Eigen::VectorXd>(cases[s].data(), std::ssize(cases[s]));
    }
    ends_ = ends();
  }

  Index count() const noexcept { return std::ssize(members_); }
  /// The cases of a stratum, whole numbers below N: n x 1.
  const Eigen::VectorXd& of(Index stratum) const noexcept {
    return members_[static_cast<std::size_t>(stratum)];
  }
  /// |Omega_s| / N.
  double share(Index stratum) const noexcept {
    return static_cast<double>(of(stratum).size()) / static_cast<double>(terms_);
  }
  bool is_even() const noexcept {
    return std::all_of(members_.begin(), members_.end(), [&](const Eigen::VectorXd& one) {
      return one.size() == members_.front().size();
    });
  }
  /// Draws a stratum with probability equal to its share; u is uniform in (0, 1). O(log of the
  /// number of strata).
  Index drawn(double u) const noexcept {
    const auto found = std::upper_bound(ends_.begin(), ends_.end() - 1, u);
    return found - ends_.begin();
  }

 private:
  std::vector<double> ends() const {
    std::vector<double> all;
    double end = 0.0;
    for (Index s = 0; s < count(); ++s) all.push_back(end += share(s));
    return all;
  }

  Index terms_;
  std::vector<Eigen::VectorXd> members_;
  std::vector<double> ends_;
};

}  // namespace mixwell::strata
