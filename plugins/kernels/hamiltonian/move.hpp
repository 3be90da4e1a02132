// Following the flow: to a proposal, or without Metropolis to the next state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trajectory.hpp"

#include <mixwell/block_normals.hpp>
#include <mixwell/divergence.hpp>
#include <mixwell/graph.hpp>
#include <mixwell/integrator.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/next_state.hpp>

#include <cmath>
#include <memory>
#include <optional>

namespace mixwell::hamiltonian {

/// Runs the trajectory of a block on copies that the caller provides.
class MoveBody : public Body {
 public:
  MoveBody(std::shared_ptr<const Integrator> integrator, Coupling coupling)
      : integrator_(std::move(integrator)), coupling_(coupling) {}

 protected:
  enum In : std::size_t { theta, p, law, u, g, eps, steps, position_coupling, momentum_coupling };

  /// phase holds the start; on return the end.
  void follow(Block& block, Phase phase, Row u_end) const {
    const Index d = phase.theta.rows();
    MatrixMap step = block.scratch().matrix(d, block.columns());
    step.rowwise() = block.in_row(eps);
    const Flow flow(coupling_, block.curvature(position_coupling));
    const Law target = block.law(law);
    const Motion motion{target, flow, ConstMatrixMap(step.data(), d, block.columns()),
                        block.scratch()};
    advance(block, phase, motion, u_end);
  }

  const Integrator& integrator() const noexcept { return *integrator_; }

  virtual void advance(Block& block, Phase phase, const Motion& motion, Row u_end) const {
    const ConstRowMap counts = block.in_row(steps);
    block.count_gradients(law, Trajectory(*integrator_, motion, counts).run(phase, u_end));
  }

 private:
  std::shared_ptr<const Integrator> integrator_;
  Coupling coupling_;
};

/// Outputs: theta*, p*, u*, g*.
class ProposeBody : public MoveBody {
 public:
  using MoveBody::MoveBody;
  void run(Block& block) const override {
    MatrixMap theta_end = block.out(0);
    MatrixMap p_end = block.out(1);
    MatrixMap g_end = block.out(3);
    flat(theta_end) = flat(block.in(theta));
    flat(p_end) = flat(block.in(p));
    flat(g_end) = flat(block.in(g));
    follow(block, {theta_end, p_end, g_end}, block.out_row(2));
  }
};

/// A further output: the last `points` points of the trajectory, path_rows x w. All columns take
/// the same number of steps.
class ProposeWithPathBody final : public ProposeBody {
 public:
  ProposeWithPathBody(std::shared_ptr<const Integrator> integrator, Coupling coupling, Index points)
      : ProposeBody(std::move(integrator), coupling), points_(points) {}

 private:
  void advance(Block& block, Phase phase, const Motion& motion, Row u_end) const override {
    const auto count = static_cast<Index>(block.in_row(steps)(0));
    for (Index step = 0; step < count; ++step) {
      Motion one = motion;
      one.steps_before = static_cast<std::uint32_t>(step);
      integrator().advance(phase, 1, one, u_end.data());
      if (step >= count - points_) keep(block, step - (count - points_), phase, u_end);
    }
    block.count_gradients(law, count * integrator().gradients(1) * u_end.cols());
  }

  static void keep(Block& block, Index k, Phase phase, Row u) {
    const Index d = phase.theta.rows();
    MatrixMap path = block.out(4);
    const Index row = path_rows(d, k);
    path.row(row) = u;
    path.middleRows(row + 1, d) = phase.theta;
    path.middleRows(row + 1 + d, d) = phase.g;
  }

  Index points_;
};

/// No Metropolis. Outputs: theta, u, g, diverging, and p where it is carried over sweeps. A column
/// whose end is not finite stays where it was, as a divergence: there is no state to continue from;
/// it leaves again with the momentum reversed.
class UnadjustedBody final : public MoveBody {
 public:
  /// noise: which input the integrator's noise is, if it has any.
  UnadjustedBody(std::shared_ptr<const Integrator> integrator, Coupling coupling,
                 bool carries_momentum, std::optional<std::size_t> noise)
      : MoveBody(std::move(integrator), coupling),
        carries_momentum_(carries_momentum),
        noise_(noise) {}
  void run(Block& block) const override {
    Workspace& scratch = block.scratch();
    const ConstMatrixMap start = block.in(theta);
    MatrixMap theta_end = scratch.matrix(start.rows(), start.cols());
    MatrixMap p_end = scratch.matrix(start.rows(), start.cols());
    MatrixMap g_end = scratch.matrix(start.rows(), start.cols());
    RowMap u_end = scratch.row(start.cols());
    flat(theta_end) = flat(start);
    flat(p_end) = flat(block.in(p));
    flat(g_end) = flat(block.in(g));
    follow(block, {theta_end, p_end, g_end}, u_end);
    RowMap diverging = block.out_row(3);
    const NextState next(start.rows(), start.cols(),
                         {start.data(), block.in(u).data(), block.in(g).data()},
                         {theta_end.data(), u_end.data(), g_end.data()},
                         {block.out(0).data(), block.out(1).data(), block.out(2).data()});
    for (Index j = 0; j < start.cols(); ++j) {
      const bool fine = std::isfinite(u_end(j)) && g_end.col(j).allFinite();
      diverging(j) = fine ? 0.0 : 1.0;
      if (!fine) block.report(trouble(j, u_end(j), g_end, 0.0), start);
      next.column(j, fine);
      if (carries_momentum_ && fine) block.out(4).col(j) = p_end.col(j);
      if (carries_momentum_ && !fine) block.out(4).col(j) = -block.in(p).col(j);
    }
  }

 private:
  void advance(Block& block, Phase phase, const Motion& motion, Row u_end) const override {
    if (!noise_) {
      MoveBody::advance(block, phase, motion, u_end);
      return;
    }
    const BlockNormals normals(block, *noise_);
    Motion noisy = motion;
    noisy.noise = &normals;
    MoveBody::advance(block, phase, noisy, u_end);
  }

  bool carries_momentum_;
  std::optional<std::size_t> noise_;
};

}  // namespace mixwell::hamiltonian
