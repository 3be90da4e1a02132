// A model whose potential is written in constrained values; from all coordinates of a position to
// all values of its parameters, and back.
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

/// The map theta -> x of a model's parameters by their constraints, column by column: d coordinates
/// to q values, parameters one after the other in both. No memory is allocated by any method but
/// broken_rule(); O(d + q) a column, K^2 for a Cholesky factor of K rows among them.
class MIXWELL_EXPORT ConstraintMap {
 public:
  /// Precondition: no parameter breaks the rule of its shape (Constraint::broken_shape_rule).
  explicit ConstraintMap(std::vector<Parameter> parameters);
  ~ConstraintMap();
  ConstraintMap(const ConstraintMap&);
  ConstraintMap& operator=(const ConstraintMap&);

  const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  /// d, the number of coordinates.
  Index coordinates() const noexcept { return coordinates_; }
  /// q, the number of values.
  Index values() const noexcept { return values_; }
  /// Whether x is theta.
  bool is_identity() const noexcept { return pieces_.empty(); }
  /// Whether a value is the same at every theta: those above the diagonal of a Cholesky factor, and
  /// the first of a correlation's.
  bool is_fixed(Index value) const { return is_fixed_[static_cast<std::size_t>(value)]; }

  /// theta d x w -> x q x w. They must not overlap, unless each number has a coordinate of its own.
  void constrain(ConstBatch theta, Batch x) const;
  /// g = J^T gradient with J = dx / dtheta: from nats per unit of x (q x w) to those per unit of
  /// theta (d x w). `x` is that of theta; what stands in `gradient` for fixed values is not read.
  void pull_back(ConstBatch theta, ConstBatch x, ConstBatch gradient, Batch g) const;
  /// U -= log |J| (u of 1 x w), and grad U -= grad log |J| with respect to theta (d x w): with them
  /// exp(-U) becomes a density of theta where it was one of x.
  void subtract_log_jacobian(ConstBatch theta, Row u) const;
  void subtract_gradient_of_log_jacobian(ConstBatch theta, Batch g) const;
  /// A theta of x: the inverse of constrain, positive for `absolute`, x itself for `unit vector`.
  /// Not finite where x is no inner point of its set, see broken_rule().
  void unconstrain(ConstBatch x, Batch theta) const;
  /// "" where x (q x 1) is a value of some theta, up to rounding errors of 1e-8; else the first
  /// parameter that it breaks the constraint of, with value and rule.
  std::string broken_rule(ConstBatch x) const;

 private:
  /// Neighbouring values of one parameter that share a rule.
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

/// exp(-U(x)) is a density of the values x that the constraints of the parameters allow. The
/// framework adds log |J| of x(theta) and its gradient: what is sampled is theta.
class MIXWELL_EXPORT ConstrainedModel : public Model {
 public:
  ~ConstrainedModel() override;
  std::vector<Parameter> parameters() const final { return map_.parameters(); }
  const ConstraintMap& map() const noexcept { return map_; }

 protected:
  ConstrainedModel();
  /// In constructors: the next parameter; returns its first row in x. Throws InputError, by name,
  /// for a shape that its constraint cannot have, and for a name that is there already.
  Index declare(Parameter parameter);

  /// U and grad U with respect to x of every column of x (q x R), in nats and without any Jacobian;
  /// what is written of the gradient for fixed values (ConstraintMap::is_fixed) is not read.
  virtual void evaluate_values(ConstBatch x, const Evaluation& out) const = 0;

  /// U of theta, from what evaluate(x, at) gives of x as evaluate_values does; of a part of U that
  /// has no share in log |J|, `with_jacobian` is false.
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
