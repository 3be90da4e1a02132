// Diffusions that keep a law, by the recipe of Ma, Chen and Fox: D, Q and Gamma.
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

/// z = (theta, r) with the energy E(z) = U(theta) - log density of r:
///   dz = (-(D + Q) grad E + Gamma) dt + N(0, 2 D dt),  Gamma_i = sum_j d(D_ij + Q_ij) / dz_j,
/// keeps exp(-E) for every symmetric D(z) >= 0 and skew Q(z) (Ma, Chen & Fox 2015, theorem 1). The
/// d
/// + m rows of z, of gradients and of products are theta's d, then r's m; all batches have w
/// columns. D and Q are functions of numbers that coefficients() makes from z, column by column. A
/// kernel gives one to step_by_recipe; contracts::check_recipe holds it to the above.
class MIXWELL_EXPORT Recipe : public Component {
 public:
  /// r_i ~ N(mean_i, sd_i^2), independent of one another and of theta; m numbers each.
  struct Auxiliaries {
    Eigen::VectorXd mean{};
    Eigen::VectorXd sd{};
  };

  ~Recipe() override;

  /// m may be 0, as it is by default.
  virtual Auxiliaries auxiliaries(Index /*dimension*/) const { return {}; }
  /// Why a target cannot be used, or nothing.
  virtual std::string refusal(const Potential& /*target*/) const { return {}; }

  /// Rows of the numbers; 0: D and Q are the same everywhere. May throw InputError for a dimension
  /// that it is not for.
  virtual Index rows(Index /*dimension*/) const { return 0; }
  /// Of coefficients(): whether D and Q are `continuous`, without which no Gamma is theirs, and
  /// their `bound`, without which nothing is known of the steps.
  virtual Traits coefficients_traits() const { return {}; }
  /// Writes rows x w numbers from z. Called where there are any. Pure.
  virtual void coefficients(const Potential& target, ConstBatch z, Batch numbers,
                            Workspace& scratch) const;
  /// out = D v. This and the two below write all of `out`, which aliases nothing.
  virtual void D(ConstBatch numbers, ConstBatch v, Batch out, Workspace& scratch) const = 0;
  /// out = Q v; 0 by default.
  virtual void Q(ConstBatch numbers, ConstBatch v, Batch out, Workspace& scratch) const;
  /// out = N x with N N' = D.
  virtual void root(ConstBatch numbers, ConstBatch x, Batch out, Workspace& scratch) const = 0;

  /// Whether Gamma is there, as it has to be where there are numbers, even if it is 0.
  virtual bool has_gamma() const noexcept { return false; }
  /// `total` where it is the whole Gamma.
  virtual Traits gamma_traits() const { return {}; }
  /// Gamma, (d + m) x w, at z, whose numbers are given.
  virtual void gamma(const Potential& target, ConstBatch z, ConstBatch numbers, Batch out,
                     Workspace& scratch) const;

  /// Whose word its traits are: itself, or a component that all is made of.
  virtual const Component& rests_on() const noexcept { return *this; }
  /// Q and D damp a momentum that moves theta, in balance with the noise of D: what the noise of a
  /// gradient heats cools down.
  virtual bool has_friction() const noexcept { return false; }
};

/// One Euler step, z + eps (-(D + Q) grad E + Gamma) + sqrt(2 eps) N x, x ~ N(0, I), without
/// Metropolis: the next theta, and r, which is kept from sweep to sweep and drawn from its law
/// before the first. The error is of order eps. Without a `total` Gamma a recipe whose D and Q see
/// z is biased, and certified so. A step that is not finite is left out, as a divergence. One
/// gradient of `law`, and the recipe's functions once each.
MIXWELL_EXPORT void step_by_recipe(Transition& t, Edge<edge::Law> law, Edge<edge::StepSize> eps,
                                   std::shared_ptr<const Recipe> recipe);

}  // namespace mixwell
