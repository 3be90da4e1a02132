// Manifests whose kernels are wired at random: programs of the plugin wired-steps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace compositions {

/// What every kernel does otherwise than it declares; or `verdict`: every certificate is taken to
/// claim the target.
enum class Lie { none, ratio, momentum, verdict };

/// What the first kernel begins with.
enum class Wish {
  nothing,          ///< whatever comes
  control_variate,  ///< a gradient with a control variate whose reference is a number of the graph
  warmup            ///< a step that reads a register that is written only in warm-up
};

/// One or two kernels of 1 to 4 statements, beside those of the wish, under a compositor, on a
/// model in the plane; the same arguments give the same manifest.
std::string wired_manifest(std::uint64_t seed, Lie lie, Wish wish);

}  // namespace compositions
