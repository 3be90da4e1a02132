// A Gaussian prior of some parameters, apart from their likelihood.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/types.hpp>
#include <mixwell/workspace.hpp>

#include <string>
#include <vector>

namespace mixwell {

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

}  // namespace mixwell
