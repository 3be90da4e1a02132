// The base class of models with constrained values, and the map from coordinates to values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/model.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mixwell {

class ConstraintRule;

/// The map theta -> x from d coordinates to q values. The constraints of a model's parameters
/// define this map, which is applied to each column. theta and x list the parameters in the same
/// order. Only broken_rule() allocates memory. Costs O(d + q) for each column. This is O(K^2) for a
/// Cholesky factor with K rows.
class MIXWELL_EXPORT ConstraintMap {
 public:
  /// Precondition: every shape is valid for its constraint (see Constraint::broken_shape_rule).
  explicit ConstraintMap(std::vector<Parameter> parameters);
  ~ConstraintMap();
  ConstraintMap(const ConstraintMap&);
  ConstraintMap& operator=(const ConstraintMap&);

  const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  /// d, the number of coordinates.
  Index coordinates() const noexcept { return coordinates_; }
  /// q, the number of values.
  Index values() const noexcept { return values_; }
  /// True if x = theta.
  bool is_identity() const noexcept { return pieces_.empty(); }
  /// True if row `value` of x is the same for every theta. This holds above the diagonal of a
  /// Cholesky factor, and for the first value of the Cholesky factor of a correlation matrix.
  bool is_fixed(Index value) const { return is_fixed_[static_cast<std::size_t>(value)]; }

  /// Computes x: theta (d x w) -> x (q x w). theta and x must not overlap, unless each value
  /// depends only on the coordinate in its own row.
  void constrain(ConstBatch theta, Batch x) const;
  /// Computes g = J^T gradient with J = dx / dtheta, from nats per unit of x (q x w) to nats per
  /// unit of theta (d x w). `x` must be x(theta). Entries of `gradient` for fixed values are not
  /// read.
  void pull_back(ConstBatch theta, ConstBatch x, ConstBatch gradient, Batch g) const;
  /// These two functions turn exp(-U) from a density of x into a density of theta. The first
  /// subtracts log |J| from u (1 x w). The second subtracts the gradient of log |J| with respect to
  /// theta from g (d x w).
  void subtract_log_jacobian(ConstBatch theta, Row u) const;
  void subtract_gradient_of_log_jacobian(ConstBatch theta, Batch g) const;
  /// Computes a theta that constrain() maps to x. This theta is positive for `absolute`, and equals
  /// x for `unit_vector`. If x breaks a rule (see broken_rule()), theta may be wrong or not finite.
  void unconstrain(ConstBatch x, Batch theta) const;
  /// Returns "" if x (q x 1) is x(theta) for some theta, up to rounding errors of 1e-8. Otherwise
  /// names the first parameter that breaks its constraint, with the value and the rule.
  std::string broken_rule(ConstBatch x) const;

 private:
  /// Consecutive values of one parameter to which the same ConstraintRule applies.
  struct Piece {
    std::shared_ptr<const ConstraintRule> rule;
    std::size_t parameter;
    Index coordinate;
    Index coordinates;
    Index value;
    Index values;
  };

  void add_parameter(std::size_t k);
  void add_piece(std::size_t k, std::shared_ptr<const ConstraintRule> rule, Index coordinates,
                 Index values);

  std::vector<Parameter> parameters_;
  std::vector<Piece> pieces_;
  std::vector<bool> is_fixed_;
  Index coordinates_ = 0;
  Index values_ = 0;
};

/// A model in which exp(-U(x)) is a density of the constrained values x of the parameters. The
/// sampler moves theta. Mixwell adds -log |J| of x(theta) to U, and the gradient of this term to
/// grad U.
class MIXWELL_EXPORT ConstrainedModel : public Model {
 public:
  ~ConstrainedModel() override;
  std::vector<Parameter> parameters() const final { return map_.parameters(); }
  const ConstraintMap& map() const noexcept { return map_; }

 protected:
  ConstrainedModel();
  /// Declares the next parameter (in constructors), and returns its first row in x. Throws an
  /// InputError that names the parameter if the constraint does not allow the shape, or if the name
  /// is taken.
  Index declare(Parameter parameter);

  /// Computes U and grad U with respect to x for every column of x (q x R), in nats and without
  /// -log |J|. Gradients of fixed values (ConstraintMap::is_fixed) are not read.
  virtual void evaluate_values(ConstBatch x, const Evaluation& out) const = 0;

  /// Computes U and grad U at theta by calling evaluate(x, out), which follows the rules of
  /// evaluate_values. Set `with_jacobian` to false for a part of U that must not include -log |J|.
  template <class Evaluate>
  void at_values(ConstBatch theta, const Evaluation& out, bool with_jacobian,
                 const Evaluate& evaluate) const {
    if (map_.is_identity()) return evaluate(theta, out);
    const Workspace::Frame frame(out.scratch);
    const MatrixMap x = out.scratch.matrix(map_.values(), theta.cols());
    map_.constrain(theta, x);
    double* const g =
        out.wants_gradient() ? out.scratch.matrix(x.rows(), x.cols()).data() : nullptr;
    MatrixMap gradient(g, x.rows(), x.cols());
    evaluate(x, Evaluation{out.potential, gradient, out.scratch, out.draw});
    if (with_jacobian && out.wants_potential()) map_.subtract_log_jacobian(theta, out.u());
    if (!out.wants_gradient()) return;
    map_.pull_back(theta, x, gradient, out.gradient);
    if (with_jacobian) map_.subtract_gradient_of_log_jacobian(theta, out.gradient);
  }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const final;

  ConstraintMap map_;
};

}  // namespace mixwell
