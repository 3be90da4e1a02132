// Constraints on vectors: simplexes, ordered vectors and unit vectors.
// SPDX-License-Identifier: Apache-2.0
#include "law/constraint_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mixwell {
namespace {

using Eigen::Map;
using Eigen::VectorXd;

/// With s_0 = 1 and z_k = 1 / (1 + e^-(y_k - log(K - 1 - k))) for k = 0 .. K - 2: x_k = s_k z_k,
/// s_(k+1) = s_k (1 - z_k), x_(K-1) = s_(K-1). So y = 0 gives equal parts. J is triangular, and
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

  /// All x_j with j >= k are multiples of s_k. So P_k = sum_(j >= k) gradient_j x_j is the
  /// derivative with respect to log s_k, and g_k = gradient_k x_k (1 - z_k) - P_(k+1) z_k.
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

  /// d/dy_k is 1 - 2 z_k from its own terms, and -z_k from each of the K - 2 - k later sticks.
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
      return fmt::format("the sum of the elements must be 1 (got {})", x.sum());
    return {};
  }

 private:
  /// log(K - 1 - k). With this shift, y = 0 gives equal parts.
  double shift(Index k) const { return std::log(static_cast<double>(last_ - k)); }
  static double inverse_logit(double v) { return 1.0 / (1.0 + std::exp(-v)); }
  static double softplus(double v) { return std::max(v, 0.0) + std::log1p(std::exp(-std::abs(v))); }
  /// A part of length 0 adds nothing to a derivative with respect to log s, even if its gradient is
  /// infinite.
  static double product(double gradient, double x) { return x == 0.0 ? 0.0 : gradient * x; }

  Index last_;
};

/// x_k = x_(k-1) + e^(y_k), and x_0 = y_0, or e^(y_0) if all elements must be positive. log |J| is
/// the sum of the exponents.
class Ordered final : public RuleOfColumns<Ordered> {
 public:
  Ordered(Index K, bool is_positive) : K_(K), first_(is_positive ? 0 : 1) {}

  void column(const double* y, double* x) const {
    double sum = 0.0;
    for (Index k = 0; k < K_; ++k) x[k] = sum += k < first_ ? y[k] : std::exp(y[k]);
  }

  /// Every x_j with j >= k contains e^(y_k).
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
    if (!x.allFinite()) return "all elements must be finite";
    if (first_ == 0 && !(x[0] > 0.0)) return fmt::format("{} must be above 0", x[0]);
    for (Index k = 1; k < K_; ++k)
      if (!(x[k] > x[k - 1]))
        return fmt::format("each element must be greater than the one before it (got {} after {})",
                           x[k], x[k - 1]);
    return {};
  }

 private:
  Index K_;
  Index first_;  ///< first k with an exponential in x_k
};

/// x = y / |y|. The map loses the length of y. With e^(-|y|^2 / 2) instead of |J|, the direction of
/// y has the target density. The length of y is independent of its direction, and distributed as
/// the length of a vector of standard normals.
class UnitVector final : public RuleOfColumns<UnitVector> {
 public:
  explicit UnitVector(Index K) : K_(K) {}

  void column(const double* y, double* x) const { vector(x) = vector(y) / vector(y).norm(); }

  void pull_back_column(const double* y, const double* x, const double* gradient, double* g) const {
    const double along = vector(x).dot(vector(gradient));
    vector(g) = (vector(gradient) - along * vector(x)) / vector(y).norm();
  }

  double log_jacobian_of_column(const double* y) const { return -0.5 * vector(y).squaredNorm(); }
  void subtract_gradient_of_column(const double* y, double* g) const { vector(g) += vector(y); }
  void unconstrain_column(const double* x, double* y) const { vector(y) = vector(x); }

  std::string broken_rule(const VectorXd& x) const override {
    if (std::abs(x.norm() - 1.0) <= rounding_of_sums) return {};
    return fmt::format("the Euclidean norm of the vector must be 1 (got {})", x.norm());
  }

 private:
  Map<const VectorXd> vector(const double* data) const { return {data, K_}; }
  Map<VectorXd> vector(double* data) const { return {data, K_}; }

  Index K_;
};

}  // namespace

std::shared_ptr<const ConstraintRule> simplex_rule(Index K) { return std::make_shared<Simplex>(K); }

std::shared_ptr<const ConstraintRule> ordered_rule(Index K, bool is_positive) {
  return std::make_shared<Ordered>(K, is_positive);
}

std::shared_ptr<const ConstraintRule> unit_vector_rule(Index K) {
  return std::make_shared<UnitVector>(K);
}

}  // namespace mixwell
