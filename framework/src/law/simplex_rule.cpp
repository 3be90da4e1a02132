// Simplexes: sticks broken off a stick of length 1.
// SPDX-License-Identifier: Apache-2.0
#include "law/constraint_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mixwell {
namespace {

/// With s_0 = 1, z_k = 1 / (1 + e^-(y_k - log(K - 1 - k))) for k = 0 .. K - 2: x_k = s_k z_k,
/// s_(k+1) = s_k (1 - z_k), x_(K-1) = s_(K-1), so that y = 0 is the middle. J is triangular:
/// log |J| = sum_k log s_k + log z_k + log(1 - z_k).
class Simplex final : public RuleOfColumns<Simplex> {
 public:
  explicit Simplex(Index K) : last_(K - 1) {}

  void column(const double* y, double* x) const {
    double stick = 1.0;
    for (Index k = 0; k < last_; ++k) {
      x[k] = stick * inverse_logit(y[k] - shift(k));
      stick *= inverse_logit(shift(k) - y[k]);
    }
    x[last_] = stick;
  }

  /// Of log s_k all x_j with j >= k are multiples, so that P_k = sum_(j >= k) gradient_j x_j is the
  /// derivative with respect to it: g_k = gradient_k x_k (1 - z_k) - P_(k+1) z_k.
  void pull_back_column(const double* y, const double* x, const double* gradient, double* g) const {
    double after = product(gradient[last_], x[last_]);
    for (Index k = last_; k-- > 0;) {
      const double z = inverse_logit(y[k] - shift(k));
      const double here = product(gradient[k], x[k]);
      g[k] = here * (1.0 - z) - after * z;
      after += here;
    }
  }

  double log_jacobian_of_column(const double* y) const {
    double stick = 0.0;
    double sum = 0.0;
    for (Index k = 0; k < last_; ++k) {
      const double v = y[k] - shift(k);
      const double log_rest = -softplus(v);
      sum += stick + log_rest - softplus(-v);
      stick += log_rest;
    }
    return sum;
  }

  /// d/dy_k: (1 - 2 z_k) of its own terms, and -z_k of each of the K - 2 - k sticks after it.
  void subtract_gradient_of_column(const double* y, double* g) const {
    for (Index k = 0; k < last_; ++k)
      g[k] -= 1.0 - static_cast<double>(last_ + 1 - k) * inverse_logit(y[k] - shift(k));
  }

  void unconstrain_column(const double* x, double* y) const {
    double rest = x[last_];
    for (Index k = last_; k-- > 0;) {
      y[k] = std::log(x[k]) - std::log(rest) + shift(k);
      rest += x[k];
    }
  }

  std::string broken_rule(const Eigen::VectorXd& x) const override {
    for (Index i = 0; i < x.size(); ++i)
      if (!(x[i] > 0.0)) return fmt::format("{} must be above 0", x[i]);
    if (!(std::abs(x.sum() - 1.0) <= rounding_of_sums))
      return fmt::format("the sum {} must be 1", x.sum());
    return {};
  }

 private:
  /// log(K - 1 - k), which puts y = 0 at equal parts.
  double shift(Index k) const { return std::log(static_cast<double>(last_ - k)); }
  static double inverse_logit(double v) { return 1.0 / (1.0 + std::exp(-v)); }
  static double softplus(double v) { return std::max(v, 0.0) + std::log1p(std::exp(-std::abs(v))); }
  /// A part of length 0 has no share in a derivative by log s, though a density may be infinite.
  static double product(double gradient, double x) { return x == 0.0 ? 0.0 : gradient * x; }

  Index last_;
};

}  // namespace

std::shared_ptr<const ConstraintRule> simplex_rule(Index K) { return std::make_shared<Simplex>(K); }

}  // namespace mixwell
