// The calls of a Transition whose order matters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/transition.hpp>

#include <cstdint>

namespace mixwell {

enum class Transition::Call : std::uint8_t {
  take_estimates,
  takes_estimate_of,
  law,
  curvature,
  drift_correction,
  step_size,
  steps,
  steps_by_rule,
  momentum,
  metropolis,
  finish
};

}  // namespace mixwell
