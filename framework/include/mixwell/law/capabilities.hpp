// Optional capabilities of a model besides U and its gradient. Each is an additional base class.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/random.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/base/workspace.hpp>
#include <mixwell/model.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace mixwell {

/// Conditional distributions that a model can draw from exactly, for the kernel `conditional`. If
/// theta is distributed with the model's density, it still is after the parameters of one
/// conditional are redrawn.
class MIXWELL_EXPORT ConditionalDraws {
 public:
  virtual ~ConditionalDraws();
  /// The groups of parameters that can be drawn together. Each is a list of names or slices
  /// (select_coordinates).
  virtual std::vector<std::vector<std::string>> conditionals() const = 0;
  /// Writes the coordinates of conditionals()[which] into theta (d x w): in each column, a draw
  /// given the other coordinates of that column. The others do not change, and the old values of
  /// the written ones are not read. Column j uses the random numbers of replicate at.replicate + j.
  virtual void draw_conditional(std::size_t which, const Stream& stream, Address at, Batch theta,
                                Workspace& scratch) const = 0;
};

/// Marginal densities that a model can compute: the integral of exp(-U(x, z)) dz as a density of x,
/// where z are some of the parameters. Used by partially collapsed updates (van Dyk & Park 2008).
class MIXWELL_EXPORT MarginalLaws {
 public:
  virtual ~MarginalLaws();
  /// The groups of parameters that can be integrated out together. Each is a list of names or
  /// slices (select_coordinates).
  virtual std::vector<std::vector<std::string>> integrable() const = 0;
  /// Computes U and grad U of the marginal density without integrable()[which], up to a constant,
  /// at whole positions theta (d x w), as Model::evaluate does. The coordinates that are integrated
  /// out are not read, and the gradient with respect to them is 0.
  virtual void evaluate_marginal(std::size_t which, ConstBatch theta,
                                 const Evaluation& out) const = 0;
};

/// An estimate exp(-Uhat(theta; z)) of a density, made from standard normals z, such as an average
/// of importance weights. With z ~ N(0, I),
///   E exp(-Uhat(theta; z)) = c exp(-U(theta)),  where c does not depend on theta.
/// The density is estimated without bias, but its logarithm is not. Metropolis with this estimate
/// in the ratio leaves exp(-U) invariant for any variance of the estimate, provided that the
/// estimate at the current state is stored and not computed again (Andrieu & Roberts 2009, Ann.
/// Stat. 37, 697-725).
class MIXWELL_EXPORT EstimatedDensity {
 public:
  virtual ~EstimatedDensity();
  /// Number of standard normals in an estimate.
  virtual Index normals() const noexcept = 0;
  /// Computes Uhat (1 x w, in nats; +inf if the estimate is 0) at theta (d x w) from z
  /// (normals() x w).
  virtual void estimate(ConstBatch theta, ConstBatch z, Row out, Workspace& scratch) const = 0;

  /// True if draw_weighted is available.
  virtual bool draws_weighted() const noexcept { return false; }
  /// Draws z given theta with the density exp(U(theta) - Uhat(theta; z)) N(z; 0, I) / c, which is
  /// the distribution of the current state's normals at equilibrium. Column j uses the random
  /// numbers of replicate at.replicate + j. With it, `verify` starts at equilibrium, and a run
  /// starts as close to equilibrium as its theta is.
  virtual void draw_weighted(ConstBatch theta, const Stream& stream, Address at, Batch z,
                             Workspace& scratch) const;
};

/// exp(-U) = N(x; m, L L') exp(-likelihood) as a function of the parameters x that have this prior.
/// m, L and the likelihood may depend on the other parameters. The kernels `elliptical-slice` and
/// `pcn` use this capability. `theta` holds whole positions (d x w). `x` and the other arguments
/// hold only x (b x w).
class MIXWELL_EXPORT GaussianPrior {
 public:
  virtual ~GaussianPrior();
  /// The parameters x: names or slices (select_coordinates).
  virtual std::vector<std::string> gaussian_parameters() const = 0;
  /// Computes m given the other parameters, b x w.
  virtual void prior_mean(ConstBatch theta, Batch out) const = 0;
  /// Computes L z given the other parameters: z (b x w) -> out (b x w). The two must not overlap.
  virtual void prior_factor(ConstBatch theta, ConstBatch z, Batch out,
                            Workspace& scratch) const = 0;
  /// Computes U - (x - m)' (L L')^-1 (x - m) / 2 up to a function of the other parameters, 1 x w,
  /// in nats.
  virtual void likelihood_potential(ConstBatch theta, Row out, Workspace& scratch) const = 0;
};

/// A capability of models that can compute second derivatives. Searches for modes, the Laplace
/// approximation and Newton steps then use these instead of differences of gradients.
class MIXWELL_EXPORT HessianProducts {
 public:
  virtual ~HessianProducts();
  /// True if this model supports it. Override this if only some models of a class do.
  virtual bool multiplies_hessians() const noexcept { return true; }
  /// Computes out_j = (Hessian of U at theta_j) v_j for every column: theta and v (d x w) -> out
  /// (d x w), in nats per squared unit of theta times the unit of v. Costs about two gradients for
  /// each column.
  virtual void multiply_hessian(ConstBatch theta, ConstBatch v, Batch out,
                                Workspace& scratch) const = 0;
};

/// Returns the model's HessianProducts, or null.
MIXWELL_EXPORT const HessianProducts* hessian_products(const Model* model) noexcept;

/// A capability of models that call a user's code, such as a C function. No contract tests such
/// code. A certificate then relies on the author of that code, wherever the model's own code comes
/// from.
class MIXWELL_EXPORT ForeignCode {
 public:
  virtual ~ForeignCode();
  /// True if this model calls such code. A model that is made from another model passes on the
  /// answer of that model.
  virtual bool calls_foreign_code() const noexcept { return true; }
};

/// True if the model offers ForeignCode and calls such code.
MIXWELL_EXPORT bool calls_foreign_code(const Model& model) noexcept;

}  // namespace mixwell
