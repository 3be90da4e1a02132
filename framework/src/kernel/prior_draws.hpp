// A composition that draws a model's prior, draw by draw.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/compositor.hpp>
#include <mixwell/kernel.hpp>

#include <memory>

namespace mixwell {

/// One slot, which each sweep makes an independent draw of the model's Prior, which it has. `lp` is
/// not recorded: draws tell no density.
MIXWELL_INTERNAL std::shared_ptr<const Compositor> prior_draws(std::shared_ptr<const Model> model);

}  // namespace mixwell
