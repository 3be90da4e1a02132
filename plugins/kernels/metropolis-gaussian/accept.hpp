// The Metropolis-Hastings decision between a point and its proposal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <cmath>

namespace mixwell::metropolis_gaussian {

/// Takes theta* with probability min(1, exp(-Delta)), Delta = U(theta*) + E*(y*) - U(theta) - E(y),
/// where E is the negative log density of the law that y was drawn from and E* that of the same law
/// made at theta*. As theta and y change places, theta* = y and y* = theta. 0 where Delta is not a
/// number. Outputs: theta, u, g, acceptance.
class AcceptBody final : public Body {
 public:
  enum In : std::size_t {
    theta,
    y,
    theta_end,
    y_end,
    law,
    there,  ///< of y given theta
    back,   ///< of y* given theta*
    u,
    g,
    u_end,
    g_end,
    noise
  };
  enum Out : std::size_t { next_theta, next_u, next_g, acceptance };

  void run(Block& block) const override {
    const Index w = block.columns();
    Workspace& scratch = block.scratch();
    RowMap forward = scratch.row(w);
    RowMap reverse = scratch.row(w);
    RowMap uniform = scratch.row(w);
    evaluate(block, there, y, forward);
    evaluate(block, back, y_end, reverse);
    block.uniforms(noise, uniform);
    // Taken before the next state is written: it may share the memory of the present one.
    RowMap probability = block.out_row(acceptance);
    probability = (block.in_row(u) + forward) - (block.in_row(u_end) + reverse);
    probability = probability.array().exp().min(1.0);
    const NextState next(
        block.in(theta).rows(), w, {block.in(theta).data(), block.in(u).data(), block.in(g).data()},
        {block.in(theta_end).data(), block.in(u_end).data(), block.in(g_end).data()},
        {block.out(next_theta).data(), block.out(next_u).data(), block.out(next_g).data()});
    for (Index j = 0; j < w; ++j) {
      if (!std::isfinite(forward(j)) || !std::isfinite(reverse(j))) probability(j) = 0.0;
      if (!std::isfinite(block.in_row(u_end)(j))) probability(j) = 0.0;
      next.column(j, uniform(j) < probability(j));
    }
  }

 private:
  static void evaluate(Block& block, In of, In at, Row out) {
    const Workspace::Frame frame(block.scratch());
    const ConstMatrixMap point = block.in(at);
    MatrixMap gradient = block.scratch().matrix(point.rows(), point.cols());
    block.law(of).evaluate(point, {out.data(), gradient, block.scratch()});
  }
};

}  // namespace mixwell::metropolis_gaussian
