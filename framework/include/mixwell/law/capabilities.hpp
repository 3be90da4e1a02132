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
/// theta has the model's density, it still has this density after the parameters of one conditional
/// are redrawn.
class MIXWELL_EXPORT ConditionalDraws {
 public:
  virtual ~ConditionalDraws();
  /// The groups of parameters that can be drawn together. Each is a list of names or slices
  /// (select_coordinates).
  virtual std::vector<std::vector<std::string>> conditionals() const = 0;
  /// Redraws the coordinates of conditionals()[which] in each column of theta (d x w), given the
  /// other coordinates of that column. Does not change the other coordinates or read the old values
  /// of the redrawn ones. Column j uses the random numbers of replicate at.replicate + j.
  virtual void draw_conditional(std::size_t which, const Stream& stream, Address at, Batch theta,
                                Workspace& scratch) const = 0;
};

/// Marginal densities of x that a model can compute: exp(-U(x, z)), integrated over some parameters
/// z. Partially collapsed updates use them (van Dyk & Park 2008).
class MIXWELL_EXPORT MarginalLaws {
 public:
  virtual ~MarginalLaws();
  /// The groups of parameters that can be integrated out together. Each is a list of names or
  /// slices (select_coordinates).
  virtual std::vector<std::vector<std::string>> integrable() const = 0;
  /// Computes U and grad U of the marginal density with integrable()[which] integrated out. U is
  /// needed only up to a constant. theta contains whole positions (d x w), and the rules of
  /// Model::evaluate apply. The coordinates that are integrated out are not read, and the gradient
  /// with respect to them is 0.
  virtual void evaluate_marginal(std::size_t which, ConstBatch theta,
                                 const Evaluation& out) const = 0;
};

/// An estimate exp(-Uhat(theta; z)) of a density, made from standard normals z, such as an average
/// of importance weights. If z ~ N(0, I), then
///   E exp(-Uhat(theta; z)) = c exp(-U(theta)),  where c does not depend on theta.
/// The density is estimated without bias, but its logarithm is not. A Metropolis kernel with this
/// estimate in its acceptance ratio leaves exp(-U) invariant for any variance of the estimate. This
/// holds only if the kernel stores the estimate at the current state and does not compute it again
/// (Andrieu & Roberts 2009, Ann. Stat. 37, 697-725).
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
  /// numbers of replicate at.replicate + j. If this function is available, `verify` starts at
  /// equilibrium, and the first normals of a run have their equilibrium distribution given theta.
  virtual void draw_weighted(ConstBatch theta, const Stream& stream, Address at, Batch z,
                             Workspace& scratch) const;
};

/// As a function of some parameters x, exp(-U) is proportional to the prior N(x; m, L L') times a
/// likelihood. m, L and the likelihood may depend on the other parameters. The kernels
/// `elliptical-slice` and `pcn` use this capability. `theta` contains whole positions (d x w). b is
/// the number of coordinates of x.
class MIXWELL_EXPORT GaussianPrior {
 public:
  virtual ~GaussianPrior();
  /// The parameters x: names or slices (select_coordinates).
  virtual std::vector<std::string> gaussian_parameters() const = 0;
  /// Computes m given the other parameters, b x w.
  virtual void prior_mean(ConstBatch theta, Batch out) const = 0;
  /// Computes L z given the other parameters: z (b x w) -> out (b x w). z and out must not overlap.
  virtual void prior_factor(ConstBatch theta, ConstBatch z, Batch out,
                            Workspace& scratch) const = 0;
  /// Computes U - (x - m)' (L L')^-1 (x - m) / 2 (1 x w, in nats), up to a term that depends only
  /// on the other parameters.
  virtual void likelihood_potential(ConstBatch theta, Row out, Workspace& scratch) const = 0;
};

/// A capability of models that can multiply a vector by the Hessian of U. Mode searches, the
/// Laplace approximation and Newton steps use such products instead of differences of gradients.
class MIXWELL_EXPORT HessianProducts {
 public:
  virtual ~HessianProducts();
  /// True if this model can compute products with its Hessian. Override this if only some models
  /// of a class can.
  virtual bool multiplies_hessians() const noexcept { return true; }
  /// Computes out_j = (Hessian of U at theta_j) v_j for every column: theta and v (d x w) -> out
  /// (d x w), in nats per squared unit of theta times the unit of v. Costs about two gradients for
  /// each column.
  virtual void multiply_hessian(ConstBatch theta, ConstBatch v, Batch out,
                                Workspace& scratch) const = 0;
};

/// Returns the model's HessianProducts, or null.
MIXWELL_EXPORT const HessianProducts* hessian_products(const Model* model) noexcept;

/// A capability of models that call a user's code, such as a C function. Contracts do not test such
/// code, so a certificate relies on the author of the code, even if the model itself is built in.
class MIXWELL_EXPORT ForeignCode {
 public:
  virtual ~ForeignCode();
  /// True if this model calls such code. If this model wraps another one, it returns the answer of
  /// that model.
  virtual bool calls_foreign_code() const noexcept { return true; }
};

/// True if the model offers ForeignCode and calls such code.
MIXWELL_EXPORT bool calls_foreign_code(const Model& model) noexcept;

}  // namespace mixwell
