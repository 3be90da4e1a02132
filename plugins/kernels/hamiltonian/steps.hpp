// The number of steps of each transition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "params.hpp"

#include <mixwell/graph.hpp>

#include <cmath>

namespace mixwell::hamiltonian {

/// Input: [noise], where the number is jittered. Output: steps, one number per column.
class StepsBody final : public Body {
 public:
  explicit StepsBody(const Params& params) : steps_(params.steps), jitter_(params.steps_jitter) {}

  void run(Block& block) const override {
    RowMap steps = block.out_row(0);
    if (!jitter_) {
      steps.setConstant(static_cast<double>(steps_));
      return;
    }
    block.uniforms(0, steps);
    const auto [a, b] = *jitter_;
    steps = (a + ((b - a + 1.0) * steps.array()).floor()).min(b);
  }

 private:
  std::int64_t steps_;
  std::optional<Interval> jitter_;
};

}  // namespace mixwell::hamiltonian
