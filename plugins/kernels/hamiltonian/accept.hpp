// The Metropolis decision.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "move.hpp"

#include <mixwell/graph.hpp>
#include <mixwell/momentum.hpp>

#include <algorithm>
#include <cmath>

namespace mixwell::hamiltonian {

/// Energy errors beyond this count as divergences, as in Stan.
inline constexpr double kDivergentEnergy = 1000.0;

/// Metropolis on H = U + K. Outputs: theta, u, g, then the statistics of the transition.
class AcceptBody final : public Body {
 public:
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
    diverging
  };

  void run(Block& block) const override {
    const Index w = block.columns();
    Workspace& scratch = block.scratch();
    RowMap start = scratch.row(w);
    RowMap end = scratch.row(w);
    RowMap uniform = scratch.row(w);
    energies(block, start, end);
    block.uniforms(noise, uniform);
    keep(block);
    RowMap error = block.out_row(energy_error);
    RowMap probability = block.out_row(acceptance);
    error = end - start;
    probability = (-error.array()).exp().min(1.0);
    RowMap divergent = block.out_row(diverging);
    RowMap kept = block.out_row(energy);
    const Taking take(block);
    for (Index j = 0; j < w; ++j) {
      divergent(j) = error(j) <= kDivergentEnergy && std::isfinite(error(j)) ? 0.0 : 1.0;
      if (divergent(j) != 0.0) note_divergence(block, j);
      const bool accepted = uniform(j) < probability(j);
      kept(j) = accepted ? end(j) : start(j);
      take.column(j, accepted);
    }
  }

 private:
  static void energies(Block& block, Row start, Row end) {
    const auto& law = static_cast<const MomentumLaw&>(block.function(momentum_law));
    law.kinetic(block.in(momentum_law), block.in(p), start, block.scratch());
    law.kinetic(block.in(momentum_law), block.in(p_end), end, block.scratch());
    start += block.in_row(u);
    end += block.in_row(u_end);
  }

  /// The state stays unless taken; outputs usually share its memory.
  static void keep(Block& block) {
    if (block.out(next_theta).data() != block.in(theta).data()) {
      flat(block.out(next_theta)) = flat(block.in(theta));
    }
    if (block.out(next_u).data() != block.in(u).data()) block.out_row(next_u) = block.in_row(u);
    if (block.out(next_g).data() != block.in(g).data()) {
      flat(block.out(next_g)) = flat(block.in(g));
    }
  }

  /// Copies accepted columns; the pointers are looked up once a block.
  class Taking {
   public:
    explicit Taking(Block& block)
        : rows_(block.out(next_theta).rows()),
          theta_(block.in(theta_end).data()),
          g_(block.in(g_end).data()),
          u_(block.in(u_end).data()),
          to_theta_(block.out(next_theta).data()),
          to_g_(block.out(next_g).data()),
          to_u_(block.out(next_u).data()) {}
    void column(Index j, bool accepted) const {
      to_u_[j] = accepted ? u_[j] : to_u_[j];
      if (rows_ <= kShort) {
        choose(theta_ + j * rows_, accepted, to_theta_ + j * rows_);
        choose(g_ + j * rows_, accepted, to_g_ + j * rows_);
      } else if (accepted) {
        std::copy_n(theta_ + j * rows_, rows_, to_theta_ + j * rows_);
        std::copy_n(g_ + j * rows_, rows_, to_g_ + j * rows_);
      }
    }

   private:
    /// Columns up to this length are chosen element by element: calling memmove costs more.
    static constexpr Index kShort = 8;

    void choose(const double* from, bool accepted, double* to) const {
      for (Index i = 0; i < rows_; ++i) to[i] = accepted ? from[i] : to[i];
    }

    Index rows_;
    const double* theta_;
    const double* g_;
    const double* u_;
    double* to_theta_;
    double* to_g_;
    double* to_u_;
  };

  static void note_divergence(Block& block, Index j) {
    const double error = block.out_row(energy_error)(j);
    block.report(trouble(j, block.in_row(u_end)(j), block.in(g_end), error), block.in(theta));
    if (!std::isfinite(error)) block.out_row(acceptance)(j) = 0.0;
  }
};

}  // namespace mixwell::hamiltonian
