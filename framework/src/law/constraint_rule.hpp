// The interface of one constraint on one value: its map, derivatives and inverse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/types.hpp>
#include <mixwell/law/constraint.hpp>

#include <memory>
#include <string>

namespace mixwell {

/// Coordinates y are n x w, and values x are m x w. The methods do the same as the methods of
/// ConstraintMap. Batches may be rows of larger batches.
class ConstraintRule {
 public:
  ConstraintRule() = default;
  virtual ~ConstraintRule();
  ConstraintRule(const ConstraintRule&) = delete;
  ConstraintRule& operator=(const ConstraintRule&) = delete;

  virtual void constrain(ConstBatch y, Batch x) const = 0;
  virtual void pull_back(ConstBatch y, ConstBatch x, ConstBatch gradient, Batch g) const = 0;
  virtual void subtract_log_jacobian(ConstBatch y, Row u) const = 0;
  virtual void subtract_gradient(ConstBatch y, Batch g) const = 0;
  virtual void unconstrain(ConstBatch x, Batch y) const = 0;
  /// The rule that the m values break, or "".
  virtual std::string broken_rule(const Eigen::VectorXd& x) const = 0;
  virtual bool is_fixed(Index value) const noexcept;
};

/// Tolerance for sums and lengths that should be 1.
inline constexpr double rounding_of_sums = 1e-8;

/// A rule that is written for one column, with pointers to its numbers. Columns cost no virtual
/// calls.
template <class Rule>
class RuleOfColumns : public ConstraintRule {
 public:
  void constrain(ConstBatch y, Batch x) const override {
    for (Index j = 0; j < y.cols(); ++j) rule().column(y.col(j).data(), x.col(j).data());
  }
  void pull_back(ConstBatch y, ConstBatch x, ConstBatch gradient, Batch g) const override {
    for (Index j = 0; j < y.cols(); ++j)
      rule().pull_back_column(y.col(j).data(), x.col(j).data(), gradient.col(j).data(),
                              g.col(j).data());
  }
  void subtract_log_jacobian(ConstBatch y, Row u) const override {
    for (Index j = 0; j < y.cols(); ++j) u[j] -= rule().log_jacobian_of_column(y.col(j).data());
  }
  void subtract_gradient(ConstBatch y, Batch g) const override {
    for (Index j = 0; j < y.cols(); ++j)
      rule().subtract_gradient_of_column(y.col(j).data(), g.col(j).data());
  }
  void unconstrain(ConstBatch x, Batch y) const override {
    for (Index j = 0; j < y.cols(); ++j)
      rule().unconstrain_column(x.col(j).data(), y.col(j).data());
  }

 private:
  const Rule& rule() const { return static_cast<const Rule&>(*this); }
};

/// Rules for n separate numbers, for a list of K numbers and for an M x N matrix.
std::shared_ptr<const ConstraintRule> bound_rule(const Constraint& constraint);
std::shared_ptr<const ConstraintRule> simplex_rule(Index K);
std::shared_ptr<const ConstraintRule> ordered_rule(Index K, bool is_positive);
std::shared_ptr<const ConstraintRule> unit_vector_rule(Index K);
std::shared_ptr<const ConstraintRule> cholesky_correlation_rule(Index K);
std::shared_ptr<const ConstraintRule> cholesky_covariance_rule(Index M, Index N);

}  // namespace mixwell
