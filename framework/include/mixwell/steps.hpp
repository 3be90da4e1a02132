// The number of steps of each transition: fixed or jittered.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/edge.hpp>
#include <mixwell/export.hpp>
#include <mixwell/fields.hpp>
#include <mixwell/kernel.hpp>

#include <cstdint>
#include <optional>

namespace mixwell {

/// What a manifest says about them.
struct MIXWELL_EXPORT Steps {
  static constexpr double most = 1e6;

  std::int64_t count = 10;
  std::optional<Interval> jitter{};

  /// Keys `steps` and `steps_jitter`.
  void declare(Fields& fields);
  /// Throws ParameterError where the settings contradict one another.
  void check() const;
  /// L where it is not jittered, else 0.
  std::int64_t fixed() const noexcept { return jitter ? 0 : count; }
  /// L of this transition, 1 x w.
  Edge<edge::StepCount> add(KernelGraph& graph, const Site& site) const;
};

}  // namespace mixwell
