// The Metropolis decision of a momentum whose mass depends on the position.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <cmath>

namespace mixwell::riemannian {

/// Metropolis on U + K, K the negative log density of the momentum's law: at the start the one it
/// was drawn from, at the end that of theta*. Outputs: theta, u, g, then the statistics of the
/// transition.
class AcceptBody final : public Body {
 public:
  enum In : std::size_t {
    theta,
    p,
    theta_end,
    p_end,
    law,
    there,  ///< N(0, G(theta))
    back,   ///< N(0, G(theta*))
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
    RowMap start = block.scratch().row(w);
    RowMap end = block.scratch().row(w);
    RowMap uniform = block.scratch().row(w);
    kinetic(block, there, p, start);
    kinetic(block, back, p_end, end);
    start += block.in_row(u);
    end += block.in_row(u_end);
    block.uniforms(noise, uniform);
    const NextState next(
        block.in(theta).rows(), w, {block.in(theta).data(), block.in(u).data(), block.in(g).data()},
        {block.in(theta_end).data(), block.in(u_end).data(), block.in(g_end).data()},
        {block.out(next_theta).data(), block.out(next_u).data(), block.out(next_g).data()});
    for (Index j = 0; j < w; ++j) {
      const double error = end(j) - start(j);
      judge(block, j, error);
      const bool accepted = uniform(j) < block.out_row(acceptance)(j);
      block.out_row(energy)(j) = accepted ? end(j) : start(j);
      next.column(j, accepted);
    }
  }

 private:
  static void kinetic(Block& block, In of, In at, Row out) {
    const Workspace::Frame frame(block.scratch());
    const ConstMatrixMap momentum = block.in(at);
    MatrixMap velocity = block.scratch().matrix(momentum.rows(), momentum.cols());
    block.law(of).evaluate(momentum, {out.data(), velocity, block.scratch()});
  }

  /// Where U is not finite at the end, the trajectory has reported it.
  static void judge(Block& block, Index j, double error) {
    const bool divergent = is_divergent(error);
    block.out_row(energy_error)(j) = error;
    block.out_row(diverging)(j) = divergent ? 1.0 : 0.0;
    block.out_row(acceptance)(j) = std::isnan(error) ? 0.0 : std::exp(std::min(0.0, -error));
    const double end = block.in_row(u_end)(j);
    if (divergent && std::isfinite(end)) {
      block.report(trouble(j, end, block.in(g_end), error), block.in(theta));
    }
  }
};

}  // namespace mixwell::riemannian
