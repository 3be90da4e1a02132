// Models whose density is known only by an unbiased estimate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/random.hpp>
#include <mixwell/types.hpp>
#include <mixwell/workspace.hpp>

namespace mixwell {

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

}  // namespace mixwell
