// Laws of a model with some of its parameters integrated out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/model.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace mixwell {

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

}  // namespace mixwell
