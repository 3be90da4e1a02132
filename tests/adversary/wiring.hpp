// Manifests whose kernels are wired at random: programs of the plugin wired-steps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace adversary {

/// What every kernel does otherwise than it declares.
enum class Lie { none, ratio, momentum };

/// One or two kernels of 1 to 4 statements under a compositor, on a model in the plane; the same
/// seed gives the same manifest.
std::string wired_manifest(std::uint64_t seed, Lie lie);

}  // namespace adversary
