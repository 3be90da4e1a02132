// Learning the step size in warm-up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph.hpp>
#include <mixwell/learner.hpp>

#include <utility>

namespace mixwell::hamiltonian {

/// Inputs: register, acceptance probabilities. Output: the register's next version.
class LearnBody final : public Body {
 public:
  explicit LearnBody(DualAveraging learner) : learner_(std::move(learner)) {}
  void run(Block& block) const override {
    MatrixMap state = block.out(0);
    if (state.data() != block.in(0).data()) state = block.in(0);
    const ConstMatrixMap acceptance = block.in(1);
    if (state.cols() == acceptance.cols()) return learner_.update(state, acceptance);
    MatrixMap mean = block.scratch().matrix(1, 1);
    mean(0, 0) = acceptance.mean();
    learner_.update(state, mean);
  }

 private:
  DualAveraging learner_;
};

}  // namespace mixwell::hamiltonian
