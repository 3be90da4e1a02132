// The Metropolis decision.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "move.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace mixwell::hamiltonian {

/// Metropolis on H = U + K. Outputs: theta, u, g, then the statistics of the transition, and where
/// the momentum is carried over sweeps its next version: p* or, after a rejection, -p, without
/// which the walk would turn back on itself in the wrong half of the cases.
class AcceptBody final : public Body {
 public:
  explicit AcceptBody(bool carries_momentum) : carries_momentum_(carries_momentum) {}

  enum In : std::size_t {
    theta,
    p,
    theta_end,
    p_end,
    law,
    momentum_law,
    u,
    g,
    u_end,
    g_end,
    noise
  };
  enum Out : std::size_t {
    next_theta,
    next_u,
    next_g,
    acceptance,
    energy,
    energy_error,
    diverging,
    next_p
  };

  void run(Block& block) const override {
    const Index w = block.columns();
    Workspace& scratch = block.scratch();
    RowMap start = scratch.row(w);
    RowMap end = scratch.row(w);
    RowMap uniform = scratch.row(w);
    energies(block, start, end);
    block.uniforms(noise, uniform);
    RowMap error = block.out_row(energy_error);
    RowMap probability = block.out_row(acceptance);
    error = end - start;
    probability = (-error.array()).exp().min(1.0);
    RowMap divergent = block.out_row(diverging);
    RowMap kept = block.out_row(energy);
    const NextState next = next_state(block);
    for (Index j = 0; j < w; ++j) {
      divergent(j) = is_divergent(error(j)) ? 1.0 : 0.0;
      if (divergent(j) != 0.0) note_divergence(block, j);
      const bool accepted = uniform(j) < probability(j);
      kept(j) = accepted ? end(j) : start(j);
      next.column(j, accepted);
      if (carries_momentum_) carry_momentum(block, j, accepted);
    }
  }

 private:
  static void energies(Block& block, Row start, Row end) {
    const auto& law = block.function<MomentumLaw>(momentum_law);
    law.kinetic(block.in(momentum_law), block.in(p), start, block.scratch());
    law.kinetic(block.in(momentum_law), block.in(p_end), end, block.scratch());
    start += block.in_row(u);
    end += block.in_row(u_end);
  }

  static void carry_momentum(Block& block, Index j, bool accepted) {
    if (accepted) {
      block.out(next_p).col(j) = block.in(p_end).col(j);
    } else {
      block.out(next_p).col(j) = -block.in(p).col(j);
    }
  }

  static NextState next_state(Block& block) {
    return {block.in(theta).rows(),
            block.columns(),
            {block.in(theta).data(), block.in(u).data(), block.in(g).data()},
            {block.in(theta_end).data(), block.in(u_end).data(), block.in(g_end).data()},
            {block.out(next_theta).data(), block.out(next_u).data(), block.out(next_g).data()}};
  }

  static void note_divergence(Block& block, Index j) {
    const double error = block.out_row(energy_error)(j);
    block.report(trouble(j, block.in_row(u_end)(j), block.in(g_end), error), block.in(theta));
    if (!std::isfinite(error)) block.out_row(acceptance)(j) = 0.0;
  }

  bool carries_momentum_;
};

}  // namespace mixwell::hamiltonian
