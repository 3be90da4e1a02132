// What a model may offer beside U and its gradient: each is a second base of its class.
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

/// The conditional laws that a model can draw from exactly, for kernel `conditional`: with theta
/// from the model's law, the parameters of one of them drawn anew leave theta distributed as it
/// was.
class MIXWELL_EXPORT ConditionalDraws {
 public:
  virtual ~ConditionalDraws();
  /// What can be drawn together: each a list of names or slices (select_coordinates).
  virtual std::vector<std::vector<std::string>> conditionals() const = 0;
  /// Writes the coordinates of conditionals()[which] into theta (d x w): in each column a draw
  /// given the other coordinates of that column, which stay as they are; what the written ones held
  /// before is not read. Column j takes its random numbers at replicate at.replicate + j.
  virtual void draw_conditional(std::size_t which, const Stream& stream, Address at, Batch theta,
                                Workspace& scratch) const = 0;
};

/// The marginal laws that a model knows: of all parameters but some, integral exp(-U(x, z)) dz as a
/// density of x. For partially collapsed updates (van Dyk & Park 2008).
class MIXWELL_EXPORT MarginalLaws {
 public:
  virtual ~MarginalLaws();
  /// What can be integrated out together: each a list of names or slices (select_coordinates).
  virtual std::vector<std::vector<std::string>> integrable() const = 0;
  /// U and grad U of the marginal law without integrable()[which], up to a constant, at whole
  /// positions: theta d x w, as Model::evaluate. What stands in the coordinates that are integrated
  /// out is not read, and the gradient with respect to them is 0.
  virtual void evaluate_marginal(std::size_t which, ConstBatch theta,
                                 const Evaluation& out) const = 0;
};

/// An estimate exp(-Uhat(theta; z)) of a density from standard normals z, such as an average of
/// importance weights: with z ~ N(0, I)
///   E exp(-Uhat(theta; z)) = c exp(-U(theta)),  c free of theta.
/// What is unbiased is the density, not its logarithm. Metropolis with such an estimate in the
/// ratio keeps exp(-U), whatever the variance of the estimate, if the one at the present state is
/// kept as it was made (Andrieu & Roberts 2009, Ann. Stat. 37, 697-725).
class MIXWELL_EXPORT EstimatedDensity {
 public:
  virtual ~EstimatedDensity();
  /// How many standard normals an estimate is made from.
  virtual Index normals() const noexcept = 0;
  /// Uhat (1 x w, in nats; +inf where the estimate is 0) at theta (d x w) from z (normals() x w).
  virtual void estimate(ConstBatch theta, ConstBatch z, Row out, Workspace& scratch) const = 0;

  /// Whether draw_weighted is offered.
  virtual bool draws_weighted() const noexcept { return false; }
  /// z given theta with the density exp(U(theta) - Uhat(theta; z)) N(z; 0, I) / c: what the normals
  /// of the present state are at equilibrium. Column j takes its random numbers at replicate
  /// at.replicate + j. With it `verify` starts at equilibrium, and a run as near to it as its theta
  /// is.
  virtual void draw_weighted(ConstBatch theta, const Stream& stream, Address at, Batch z,
                             Workspace& scratch) const;
};

/// exp(-U) = N(x; m, L L') exp(-likelihood) as a function of the parameters x that it is about,
/// where m, L and the likelihood may depend on the rest of theta: what kernels `elliptical-slice`
/// and `pcn` move by. `theta` holds whole positions, d x w; `x` and others only x, b x w.
class MIXWELL_EXPORT GaussianPrior {
 public:
  virtual ~GaussianPrior();
  /// x: names or slices (select_coordinates).
  virtual std::vector<std::string> gaussian_parameters() const = 0;
  /// m given the rest, b x w.
  virtual void prior_mean(ConstBatch theta, Batch out) const = 0;
  /// L z given the rest: z b x w -> out b x w, which must not overlap.
  virtual void prior_factor(ConstBatch theta, ConstBatch z, Batch out,
                            Workspace& scratch) const = 0;
  /// U - (x - m)' (L L')^-1 (x - m) / 2 up to a function of the rest, 1 x w, in nats.
  virtual void likelihood_potential(ConstBatch theta, Row out, Workspace& scratch) const = 0;
};

/// A second base of a Model that knows second derivatives: modes, Laplace's approximation and
/// Newton steps take them instead of differences of gradients.
class MIXWELL_EXPORT HessianProducts {
 public:
  virtual ~HessianProducts();
  /// Of one class, whether this model does.
  virtual bool multiplies_hessians() const noexcept { return true; }
  /// out_j = (Hessian of U at theta_j) v_j for every column: theta, v d x w -> out d x w, in nats
  /// per squared unit of theta times the unit of v. Costs about two gradients a column.
  virtual void multiply_hessian(ConstBatch theta, ConstBatch v, Batch out,
                                Workspace& scratch) const = 0;
};

/// Those of the model, or null.
MIXWELL_EXPORT const HessianProducts* hessian_products(const Model* model) noexcept;

/// A second base of a Model that calls code of the user's, such as a C function: no contract holds
/// it to anything. A certificate then rests on the word of its author, wherever the code of the
/// model itself is from.
class MIXWELL_EXPORT ForeignCode {
 public:
  virtual ~ForeignCode();
  /// Of a model that is made of another one: whether that one does.
  virtual bool calls_foreign_code() const noexcept { return true; }
};

MIXWELL_EXPORT bool calls_foreign_code(const Model& model) noexcept;

}  // namespace mixwell
