// Constraints that apply to each element separately: bounds, and the map x = |y|.
// SPDX-License-Identifier: Apache-2.0
#include "law/constraint_rule.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mixwell {
namespace {

/// log(1 + e^y), without overflow.
template <class Array>
auto softplus(const Array& y) {
  return y.max(0.0) + (-y.abs()).exp().log1p();
}

/// The first element of x for which `breaks` holds, with the rule; "" if there is none.
template <class Breaks>
std::string first_broken(const Eigen::VectorXd& x, const std::string& rule, const Breaks& breaks) {
  for (Index i = 0; i < x.size(); ++i)
    if (breaks(x[i])) return fmt::format("{} must be {}", x[i], rule);
  return {};
}

/// x = y.
class Unconstrained final : public ConstraintRule {
 public:
  void constrain(ConstBatch y, Batch x) const override { x = y; }
  void pull_back(ConstBatch, ConstBatch, ConstBatch gradient, Batch g) const override {
    g = gradient;
  }
  void subtract_log_jacobian(ConstBatch, Row) const override {}
  void subtract_gradient(ConstBatch, Batch) const override {}
  void unconstrain(ConstBatch x, Batch y) const override { y = x; }
  std::string broken_rule(const Eigen::VectorXd&) const override { return {}; }
};

/// x = |y|. The derivative is the sign of y, so log |J| = 0.
class Absolute final : public ConstraintRule {
 public:
  void constrain(ConstBatch y, Batch x) const override { x = y.cwiseAbs(); }
  void pull_back(ConstBatch y, ConstBatch, ConstBatch gradient, Batch g) const override {
    g = (y.array() < 0.0).select(-gradient, gradient);
  }
  void subtract_log_jacobian(ConstBatch, Row) const override {}
  void subtract_gradient(ConstBatch, Batch) const override {}
  void unconstrain(ConstBatch x, Batch y) const override { y = x; }
  std::string broken_rule(const Eigen::VectorXd& x) const override {
    return first_broken(x, "at least 0", [](double v) { return !(v >= 0.0); });
  }
};

/// x = a + e^y above a bound a, and x = b - e^y below a bound b; log |J| = y.
class OneSided final : public ConstraintRule {
 public:
  /// `sign`: 1 above the bound, -1 below it.
  OneSided(double bound, double sign) : bound_(bound), sign_(sign) {}
  void constrain(ConstBatch y, Batch x) const override {
    x = (bound_ + sign_ * y.array().exp()).matrix();
  }
  void pull_back(ConstBatch y, ConstBatch, ConstBatch gradient, Batch g) const override {
    g = (sign_ * (gradient.array() * y.array().exp())).matrix();
  }
  void subtract_log_jacobian(ConstBatch y, Row u) const override { u -= y.colwise().sum(); }
  void subtract_gradient(ConstBatch, Batch g) const override { g.array() -= 1.0; }
  void unconstrain(ConstBatch x, Batch y) const override {
    y = (sign_ * (x.array() - bound_)).log().matrix();
  }
  std::string broken_rule(const Eigen::VectorXd& x) const override {
    return first_broken(
        x, fmt::format("{} {}", sign_ > 0.0 ? "above" : "below", bound_),
        [this](double v) { return !(sign_ * (v - bound_) > 0.0) || std::isinf(v); });
  }

 private:
  double bound_;
  double sign_;
};

/// x = a + (b - a) s with s = 1 / (1 + e^-y): log |J| = log(b - a) + log s + log(1 - s).
class Between final : public ConstraintRule {
 public:
  Between(double low, double high) : low_(low), high_(high), length_(high - low) {}
  void constrain(ConstBatch y, Batch x) const override {
    x = (low_ + length_ * (1.0 + (-y.array()).exp()).inverse()).matrix();
  }
  /// s (1 - s) = e / (1 + e)^2 with e = e^-|y|.
  void pull_back(ConstBatch y, ConstBatch, ConstBatch gradient, Batch g) const override {
    g = (-y.array().abs()).exp().matrix();
    g = (length_ * gradient.array() * g.array() / (1.0 + g.array()).square()).matrix();
  }
  void subtract_log_jacobian(ConstBatch y, Row u) const override {
    const double all = std::log(length_) * static_cast<double>(y.rows());
    u.array() += (softplus(y.array()) + softplus(-y.array())).colwise().sum() - all;
  }
  /// The derivative of log s (1 - s) is 1 - 2 s = -tanh(y / 2).
  void subtract_gradient(ConstBatch y, Batch g) const override {
    g.array() += (0.5 * y.array()).tanh();
  }
  void unconstrain(ConstBatch x, Batch y) const override {
    y = ((x.array() - low_) / length_).matrix();
    y = (y.array().log() - (-y.array()).log1p()).matrix();
  }
  std::string broken_rule(const Eigen::VectorXd& x) const override {
    return first_broken(x, fmt::format("between {} and {}", low_, high_),
                        [this](double v) { return !(v > low_ && v < high_); });
  }

 private:
  double low_;
  double high_;
  double length_;
};

}  // namespace

ConstraintRule::~ConstraintRule() = default;
bool ConstraintRule::is_fixed(Index) const noexcept { return false; }

std::shared_ptr<const ConstraintRule> bound_rule(const Constraint& constraint) {
  switch (constraint.form()) {
    case Constraint::Form::absolute:
      return std::make_shared<Absolute>();
    case Constraint::Form::lower:
      return std::make_shared<OneSided>(constraint.low(), 1.0);
    case Constraint::Form::upper:
      return std::make_shared<OneSided>(constraint.high(), -1.0);
    case Constraint::Form::interval:
      return std::make_shared<Between>(constraint.low(), constraint.high());
    default:
      return std::make_shared<Unconstrained>();
  }
}

}  // namespace mixwell
