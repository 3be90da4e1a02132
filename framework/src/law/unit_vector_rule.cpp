// Vectors of length 1.
// SPDX-License-Identifier: Apache-2.0
#include "law/constraint_rule.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mixwell {
namespace {

using Eigen::Map;
using Eigen::VectorXd;

/// x = y / |y|. The map loses the length: with e^(-|y|^2 / 2) in place of |J| the direction of y
/// has the density wanted, and its length that of normals, independent of it.
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
    return fmt::format("the length {} must be 1", x.norm());
  }

 private:
  Map<const VectorXd> vector(const double* data) const { return {data, K_}; }
  Map<VectorXd> vector(double* data) const { return {data, K_}; }

  Index K_;
};

}  // namespace

std::shared_ptr<const ConstraintRule> unit_vector_rule(Index K) {
  return std::make_shared<UnitVector>(K);
}

}  // namespace mixwell
