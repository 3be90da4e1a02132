// The step size and the number of steps of each transition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "params.hpp"

#include <cmath>

namespace mixwell::hamiltonian {

/// Draw indices that tell the uses of one noise apart.
inline constexpr std::uint32_t kStepSizeDraw = 0;
inline constexpr std::uint32_t kStepsDraw = 1;

/// Inputs: [register of dual averaging], [noise]. Outputs: eps, steps; one of each per column.
class StepBody final : public Body {
 public:
  StepBody(const Params& params, bool learnt, Index register_row, bool jittered)
      : params_(params), learnt_(learnt), row_(register_row), jittered_(jittered) {}

  void run(Block& block) const override {
    RowMap eps = block.out_row(0);
    RowMap steps = block.out_row(1);
    set_step_size(block, eps);
    steps.setConstant(static_cast<double>(params_.steps));
    if (!jittered_) return;
    const std::size_t noise = learnt_ ? 1 : 0;
    if (params_.step_size_jitter) {
      RowMap factor = block.scratch().row(eps.cols());
      block.uniforms(noise, factor, kStepSizeDraw);
      const auto [a, b] = *params_.step_size_jitter;
      eps.array() *= a + (b - a) * factor.array();
    }
    if (params_.steps_jitter) {
      block.uniforms(noise, steps, kStepsDraw);
      const auto [a, b] = *params_.steps_jitter;
      steps = (a + ((b - a + 1.0) * steps.array()).floor()).min(b);
    }
  }

 private:
  void set_step_size(Block& block, RowMap eps) const {
    if (!learnt_) {
      eps.setConstant(params_.step_size);
      return;
    }
    const ConstMatrixMap state = block.in(0);
    for (Index j = 0; j < eps.cols(); ++j) {
      eps(j) = std::exp(state(row_, state.cols() == 1 ? 0 : j));
    }
  }

  Params params_;
  bool learnt_;
  Index row_;
  bool jittered_;
};

}  // namespace mixwell::hamiltonian
