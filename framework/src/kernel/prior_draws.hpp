// A composition that draws independently from a model's prior.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/compositor.hpp>
#include <mixwell/kernel.hpp>

#include <memory>

namespace mixwell {

/// Has one slot. Each sweep replaces the slot by an independent draw from the model's Prior. The
/// model must offer a Prior. `lp` is not recorded, because these draws need no density.
MIXWELL_INTERNAL std::shared_ptr<const Compositor> prior_draws(std::shared_ptr<const Model> model);

}  // namespace mixwell
