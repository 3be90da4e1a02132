// A logistic regression as a log density, for programs that set it beside the likelihood by hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/density.hpp>

#include <utility>
#include <vector>

namespace bench {

/// The label of every third case is 1.
inline std::vector<bool> positives(mixwell::Index cases) {
  std::vector<bool> all;
  for (mixwell::Index n = 0; n < cases; ++n) all.push_back(n % 3 == 0);
  return all;
}

/// With positives() as labels, and N(0, sd^2) for each coefficient.
template <bool forward>
class LogisticDensity final : public mixwell::DensityModel<LogisticDensity<forward>> {
 public:
  static constexpr bool differentiates_forward = forward;
  static constexpr double prior_sd = 10.0;

  /// x: a column for each case.
  explicit LogisticDensity(Eigen::MatrixXd x) : x_(std::move(x)), y_(x_.cols()) {
    const std::vector<bool> all = positives(y_.size());
    for (mixwell::Index n = 0; n < y_.size(); ++n)
      y_[n] = all[static_cast<std::size_t>(n)] ? 1.0 : 0.0;
  }
  template <class S>
  S log_prior(const mixwell::Values<S>& at) const {
    return mixwell::normal_lpdf(at(beta_), 0, prior_sd);
  }
  mixwell::Index cases() const { return y_.size(); }
  template <class S>
  S log_likelihood(const mixwell::Values<S>& at, mixwell::Index n) const {
    return mixwell::bernoulli_logit_lpmf(y_[n], mixwell::dot(x_.col(n), at(beta_)));
  }

 private:
  Eigen::MatrixXd x_;
  Eigen::VectorXd y_;
  typename mixwell::DensityModel<LogisticDensity>::Vector beta_ = this->vector("beta", x_.rows());
};

}  // namespace bench
