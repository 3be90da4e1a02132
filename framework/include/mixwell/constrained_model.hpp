// A model whose potential is written in constrained values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/constraint_map.hpp>
#include <mixwell/export.hpp>
#include <mixwell/model.hpp>

#include <vector>

namespace mixwell {

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
