// Diffusions that leave a density invariant, by the recipe of Ma, Chen and Fox: D, Q and Gamma.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/base/workspace.hpp>
#include <mixwell/component/component.hpp>
#include <mixwell/graph/edge.hpp>
#include <mixwell/kernel/transition.hpp>
#include <mixwell/law/function.hpp>

#include <memory>
#include <string>

namespace mixwell {

/// A diffusion of z = (theta, r) with the energy E(z) = U(theta) - log density of r:
///   dz = (-(D + Q) grad E + Gamma) dt + N(0, 2 D dt),  Gamma_i = sum_j d(D_ij + Q_ij) / dz_j.
/// The diffusion leaves exp(-E) invariant for every symmetric D(z) >= 0 and skew Q(z) (Ma, Chen &
/// Fox 2015, theorem 1). z, gradients and products have d + m rows: first the rows of theta (d),
/// then the rows of r (m). All batches have w columns. D and Q depend on z only through numbers
/// that coefficients() computes column by column. A kernel passes a recipe to step_by_recipe.
/// contracts::check_recipe tests D, Q, Gamma and coefficients() against this description.
class MIXWELL_EXPORT Recipe : public Component {
 public:
  /// The distribution of r: r_i ~ N(mean_i, sd_i^2), independent of one another and of theta. Both
  /// vectors have length m.
  struct Auxiliaries {
    Eigen::VectorXd mean{};
    Eigen::VectorXd sd{};
  };

  ~Recipe() override;

  /// Describes r. By default there is no r (m = 0).
  virtual Auxiliaries auxiliaries(Index /*dimension*/) const { return {}; }
  /// Returns the reason why this target cannot be used, or "".
  virtual std::string refusal(const Potential& /*target*/) const { return {}; }

  /// Number of rows of `numbers`. 0 means that D and Q are the same for every z. May throw
  /// InputError if the recipe does not support this dimension.
  virtual Index rows(Index /*dimension*/) const { return 0; }
  /// Traits of coefficients(). Declare `continuous` if D and Q are continuous. Without this trait,
  /// Mixwell does not accept gamma() as the drift correction of D and Q. Declare the `bound` of D
  /// and Q. Without a bound, Mixwell can certify nothing about the steps.
  virtual Traits coefficients_traits() const { return {}; }
  /// Writes rows() x w numbers as a pure function of z. Mixwell calls it only if rows() is not 0.
  virtual void coefficients(const Potential& target, ConstBatch z, Batch numbers,
                            Workspace& scratch) const;
  /// Computes out = D v. D(), Q() and root() must set every entry of `out`, which does not alias
  /// the other arguments.
  virtual void D(ConstBatch numbers, ConstBatch v, Batch out, Workspace& scratch) const = 0;
  /// Computes out = Q v. The default is 0.
  virtual void Q(ConstBatch numbers, ConstBatch v, Batch out, Workspace& scratch) const;
  /// Computes out = N x, where N N' = D.
  virtual void root(ConstBatch numbers, ConstBatch x, Batch out, Workspace& scratch) const = 0;

  /// True if Gamma is available. Gamma must be available if rows() is not 0, even if Gamma is 0.
  virtual bool has_gamma() const noexcept { return false; }
  /// Traits of `gamma`. Declare `total` only if gamma() includes every term of the sums Gamma_i.
  virtual Traits gamma_traits() const { return {}; }
  /// Writes Gamma ((d + m) x w) at z. `numbers` are the numbers that coefficients() wrote for z.
  virtual void gamma(const Potential& target, ConstBatch z, ConstBatch numbers, Batch out,
                     Workspace& scratch) const;

  /// The component that is responsible for the declared traits: this recipe, or a component from
  /// which it is made.
  virtual const Component& rests_on() const noexcept { return *this; }
  /// True if r contains a momentum that moves theta, and D and Q damp this momentum. The noise of D
  /// balances the damping. Such damping also removes the energy that gradient noise adds.
  virtual bool has_friction() const noexcept { return false; }
};

/// Adds to `t` one Euler step without a Metropolis decision: z + eps (-(D + Q) grad E + Gamma) +
/// sqrt(2 eps) N x, x ~ N(0, I). The step writes the next theta and the next r. r is kept from
/// sweep to sweep, and is drawn from its density before the first sweep. The error of the
/// stationary distribution is of order eps. If D or Q depends on z and Gamma is not `total`, the
/// step is biased, as its certificate states. If the result of a step is not finite, Mixwell skips
/// the step and counts a divergence. Cost: one gradient of `law`, and one call of each function of
/// the recipe.
MIXWELL_EXPORT void step_by_recipe(Transition& t, Edge<edge::Law> law, Edge<edge::StepSize> eps,
                                   std::shared_ptr<const Recipe> recipe);

}  // namespace mixwell
