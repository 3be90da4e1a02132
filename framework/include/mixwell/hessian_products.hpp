// Products of the Hessian of U with vectors, as models offer them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/model.hpp>
#include <mixwell/types.hpp>
#include <mixwell/workspace.hpp>

namespace mixwell {

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

}  // namespace mixwell
