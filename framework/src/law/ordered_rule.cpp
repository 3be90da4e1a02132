// Lists in rising order.
// SPDX-License-Identifier: Apache-2.0
#include "law/constraint_rule.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mixwell {
namespace {

/// x_k = x_(k-1) + e^(y_k); x_0 = y_0, or e^(y_0) where positive. log |J| is the sum of the
/// exponents.
class Ordered final : public RuleOfColumns<Ordered> {
 public:
  Ordered(Index K, bool is_positive) : K_(K), first_(is_positive ? 0 : 1) {}

  void column(const double* y, double* x) const {
    double sum = 0.0;
    for (Index k = 0; k < K_; ++k) x[k] = sum += k < first_ ? y[k] : std::exp(y[k]);
  }

  /// x_j for all j >= k hold e^(y_k).
  void pull_back_column(const double* y, const double*, const double* gradient, double* g) const {
    double sum = 0.0;
    for (Index k = K_; k-- > 0;) {
      sum += gradient[k];
      g[k] = k < first_ ? sum : sum * std::exp(y[k]);
    }
  }

  double log_jacobian_of_column(const double* y) const {
    double sum = 0.0;
    for (Index k = first_; k < K_; ++k) sum += y[k];
    return sum;
  }

  void subtract_gradient_of_column(const double*, double* g) const {
    for (Index k = first_; k < K_; ++k) g[k] -= 1.0;
  }

  void unconstrain_column(const double* x, double* y) const {
    for (Index k = 0; k < K_; ++k) {
      const double step = k == 0 ? x[0] : x[k] - x[k - 1];
      y[k] = k < first_ ? step : std::log(step);
    }
  }

  std::string broken_rule(const Eigen::VectorXd& x) const override {
    if (!x.allFinite()) return "all numbers must be finite";
    if (first_ == 0 && !(x[0] > 0.0)) return fmt::format("{} must be above 0", x[0]);
    for (Index k = 1; k < K_; ++k)
      if (!(x[k] > x[k - 1]))
        return fmt::format("{} must be above {}, the number before it", x[k], x[k - 1]);
    return {};
  }

 private:
  Index K_;
  Index first_;  ///< of those that are a step
};

}  // namespace

std::shared_ptr<const ConstraintRule> ordered_rule(Index K, bool is_positive) {
  return std::make_shared<Ordered>(K, is_positive);
}

}  // namespace mixwell
