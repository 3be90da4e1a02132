// A model whose potential is written in constrained values, and the map between coordinates and
// values.
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

/// The map theta -> x from d coordinates to q values, by the constraints of a model's parameters,
/// column by column. The parameters follow one another in both. No method except broken_rule()
/// allocates memory. O(d + q) for each column, with O(K^2) for a Cholesky factor of K rows.
class MIXWELL_EXPORT ConstraintMap {
 public:
  /// Precondition: no parameter breaks the rule for its shape (Constraint::broken_shape_rule).
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
  /// True if a value is the same for every theta: the values above the diagonal of a Cholesky
  /// factor, and the first value of a correlation's factor.
  bool is_fixed(Index value) const { return is_fixed_[static_cast<std::size_t>(value)]; }

  /// Computes x: theta (d x w) -> x (q x w). theta and x must not overlap, unless each number has
  /// its own coordinate.
  void constrain(ConstBatch theta, Batch x) const;
  /// Computes g = J^T gradient with J = dx / dtheta, from nats per unit of x (q x w) to nats per
  /// unit of theta (d x w). `x` is the x of theta. Entries of `gradient` for fixed values are not
  /// read.
  void pull_back(ConstBatch theta, ConstBatch x, ConstBatch gradient, Batch g) const;
  /// These two functions turn exp(-U) from a density of x into a density of theta: U -= log |J| (u
  /// is 1 x w), and grad U -= grad log |J| with respect to theta (d x w).
  void subtract_log_jacobian(ConstBatch theta, Row u) const;
  void subtract_gradient_of_log_jacobian(ConstBatch theta, Batch g) const;
  /// Computes a theta with this x, the inverse of constrain. This theta is positive for `absolute`,
  /// and is x itself for `unit vector`. The result is not finite if x is not an inner point of its
  /// set (see broken_rule()).
  void unconstrain(ConstBatch x, Batch theta) const;
  /// Returns "" if x (q x 1) is the x of some theta, up to rounding errors of 1e-8. Otherwise names
  /// the first parameter whose constraint is broken, with the value and the rule.
  std::string broken_rule(ConstBatch x) const;

 private:
  /// Consecutive values of one parameter that share a rule.
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
/// sampler moves theta. The framework adds -log |J| of x(theta) to U, and the gradient of this term
/// to grad U.
class MIXWELL_EXPORT ConstrainedModel : public Model {
 public:
  ~ConstrainedModel() override;
  std::vector<Parameter> parameters() const final { return map_.parameters(); }
  const ConstraintMap& map() const noexcept { return map_; }

 protected:
  ConstrainedModel();
  /// Declares the next parameter, in constructors. Returns its first row in x. Throws an InputError
  /// with the name if the constraint does not allow its shape, or if the name is already declared.
  Index declare(Parameter parameter);

  /// Computes U and grad U with respect to x for every column of x (q x R), in nats and without any
  /// Jacobian. Gradients of fixed values (ConstraintMap::is_fixed) are not read.
  virtual void evaluate_values(ConstBatch x, const Evaluation& out) const = 0;

  /// Computes U of theta from evaluate(x, at), which works like evaluate_values. Set
  /// `with_jacobian` to false for a part of U that must not include -log |J|.
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
