// Following the flow: to a proposal, or without Metropolis to the next state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trajectory.hpp"

#include <mixwell/plugin.hpp>

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
  /// u and g are there if the start's gradient is; what follows them no body reads.
  enum In : std::size_t { theta, p, law, eps, steps, position_coupling, u, g };

  /// point holds the start; on return the end.
  void follow(Block& block, PhasePoint point, Row u_end) const {
    const Index d = point.theta.rows();
    MatrixMap step = block.scratch().matrix(d, block.columns());
    step.rowwise() = block.in_row(eps);
    const Flow flow(coupling_, block.curvature(position_coupling));
    const Law target = block.law(law);
    const Motion motion{target, flow, ConstMatrixMap(step.data(), d, block.columns()),
                        block.scratch()};
    advance(block, point, motion, u_end);
  }

  const Integrator& integrator() const noexcept { return *integrator_; }

  virtual void advance(Block& block, PhasePoint point, const Motion& motion, Row u_end) const {
    const ConstRowMap counts = block.in_row(steps);
    block.count_gradients(law, Trajectory(*integrator_, motion, counts).run(point, u_end));
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
  void advance(Block& block, PhasePoint point, const Motion& motion, Row u_end) const override {
    const auto count = static_cast<Index>(block.in_row(steps)(0));
    for (Index step = 0; step < count; ++step) {
      Motion one = motion;
      one.steps_before = static_cast<std::uint32_t>(step);
      integrator().advance(point, 1, one, u_end.data());
      if (step >= count - points_) keep(block, step - (count - points_), point, u_end);
    }
    block.count_gradients(law, count * integrator().gradients(1) * u_end.cols());
  }

  static void keep(Block& block, Index k, PhasePoint point, Row u) {
    const Index d = point.theta.rows();
    MatrixMap path = block.out(4);
    const Index row = path_rows(d, k);
    path.row(row) = u;
    path.middleRows(row + 1, d) = point.theta;
    path.middleRows(row + 1 + d, d) = point.g;
  }

  Index points_;
};

/// No Metropolis. A column whose end is not finite stays where it was, as a divergence: there is no
/// state to continue from; it leaves again with the momentum reversed.
class UnadjustedBody final : public MoveBody {
 public:
  /// What the body finds on its edges. Outputs: theta, diverging, then p if it is carried over
  /// sweeps, then u and g if the law is the same in every sweep; those of the start are there too.
  struct Shape {
    bool has_gradient;  ///< at the start: inputs u and g
    bool carries_momentum;
    bool keeps_gradient;
    std::optional<std::size_t> noise;  ///< which input the integrator's noise is, if it has any
  };

  UnadjustedBody(std::shared_ptr<const Integrator> integrator, Coupling coupling,
                 const Shape& shape)
      : MoveBody(std::move(integrator), coupling), shape_(shape) {}

  void run(Block& block) const override {
    Workspace& scratch = block.scratch();
    const ConstMatrixMap start = block.in(theta);
    MatrixMap theta_end = scratch.matrix(start.rows(), start.cols());
    MatrixMap p_end = scratch.matrix(start.rows(), start.cols());
    MatrixMap g_end = scratch.matrix(start.rows(), start.cols());
    RowMap u_end = scratch.row(start.cols());
    flat(theta_end) = flat(start);
    flat(p_end) = flat(block.in(p));
    if (shape_.has_gradient) flat(g_end) = flat(block.in(g));
    follow(block, {theta_end, p_end, g_end},
           RowMap(shape_.keeps_gradient ? u_end.data() : nullptr, u_end.size()));
    for (Index j = 0; j < start.cols(); ++j) {
      const bool fine = is_fine(block, j, {theta_end, p_end, g_end}, u_end(j));
      block.out_row(1)(j) = fine ? 0.0 : 1.0;
      block.out(0).col(j) = start.col(j);
      if (fine) block.out(0).col(j) = theta_end.col(j);
      if (shape_.carries_momentum && fine) block.out(2).col(j) = p_end.col(j);
      if (shape_.carries_momentum && !fine) block.out(2).col(j) = -block.in(p).col(j);
      if (shape_.keeps_gradient) keep_gradient(block, j, fine, u_end(j), g_end);
    }
  }

 private:
  bool is_fine(Block& block, Index j, const PhasePoint& end, double potential) const {
    if (shape_.keeps_gradient) {
      if (std::isfinite(potential) && end.g.col(j).allFinite()) return true;
      block.report(trouble(j, potential, end.g, 0.0), block.in(theta));
      return false;
    }
    if (end.theta.col(j).allFinite() && end.p.col(j).allFinite()) return true;
    block.report(lost(j, end.theta), block.in(theta));
    return false;
  }

  void keep_gradient(Block& block, Index j, bool moved, double potential, ConstBatch g_end) const {
    const std::size_t to = shape_.carries_momentum ? 3 : 2;
    if (moved) {
      block.out_row(to)(j) = potential;
      block.out(to + 1).col(j) = g_end.col(j);
    } else {
      block.out_row(to)(j) = block.in_row(u)(j);
      block.out(to + 1).col(j) = block.in(g).col(j);
    }
  }

  void advance(Block& block, PhasePoint point, const Motion& motion, Row u_end) const override {
    if (!shape_.noise) {
      MoveBody::advance(block, point, motion, u_end);
      return;
    }
    const BlockNormals normals(block, *shape_.noise);
    Motion noisy = motion;
    noisy.noise = &normals;
    MoveBody::advance(block, point, noisy, u_end);
  }

  Shape shape_;
};

}  // namespace mixwell::hamiltonian
