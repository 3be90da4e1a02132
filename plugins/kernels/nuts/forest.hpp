// Grows the trees of all columns of a block together. Each round adds one leaf to each tree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "subtrees.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mixwell::nuts {

/// The result of one tree.
struct Outcome {
  double acceptance;  ///< mean of min(1, exp(H_0 - H)) over its leaves
  double energy;      ///< H of the chosen leaf
  Index steps;
  Index depth;  ///< doublings that were accepted
  bool diverging;
};

/// The inputs of the trees of a block, after the momentum refresh. Matrices are d x w, and rows are
/// 1 x w.
struct Ground {
  const Integrator& integrator;
  Coupling coupling;
  Preconditioner preconditioner;
  Law law;
  edge::MomentumLaw momentum_law;
  ConstMatrixMap p;
  ConstRowMap eps;
  edge::Noise noise;
};

/// Position, gradient (d) and potential of one column.
struct Point {
  double* theta;
  double* g;
  double* u;
};

/// One multinomial trajectory per column (Betancourt 2017, appendix A): it doubles in random
/// directions, samples each half by weight, and prefers the new half. Columns grow together, so
/// each gradient call covers all columns that are not complete yet. A column uses 12 d numbers of
/// scratch, and 5 d more for each doubling of the trajectory.
class Forest {
 public:
  Forest(Columns& block, const Ground& ground, Index max_depth)
      : block_(block),
        scratch_(block.scratch()),
        ground_(ground),
        max_depth_(max_depth),
        d_(ground.p.rows()),
        w_(ground.p.cols()),
        trees_(scratch_.objects<Tree>(w_)),
        order_(scratch_.objects<Index>(w_)),
        outcome_(scratch_.objects<Outcome>(w_)),
        coins_(scratch_.matrix(2 * max_depth, w_)),
        lots_(scratch_.matrix(lots_at_once, w_)),
        start_(scratch_.matrix(d_, w_)),
        ends_{{scratch_, d_, w_}, {scratch_, d_, w_}},
        theta_(scratch_.matrix(d_, w_)),
        p_(scratch_.matrix(d_, w_)),
        g_(scratch_.matrix(d_, w_)),
        v_(scratch_.matrix(d_, w_)),
        eps_(scratch_.matrix(d_, w_)),
        u_(scratch_.row(w_)),
        kinetic_(scratch_.row(w_)) {}

  /// On entry, theta and g (d x w) and u (1 x w) hold the current state. On return, they hold the
  /// next state.
  void grow(Batch theta, Batch g, Row u) {
    plant(theta, g, u);
    for (Index tick = 0; growing_ > 0; ++tick) {
      if (tick % lots_at_once == 0) {
        ground_.noise.uniforms(lots_, static_cast<std::uint32_t>(1 + tick / lots_at_once));
      }
      step();
      for (Index k = 0; k < growing_; ++k) add_leaf(k, lots_(tick % lots_at_once, order_[k]));
      remove_finished();
    }
  }

  const Outcome& outcome(Index j) const { return outcome_[j]; }

 private:
  static constexpr Index lots_at_once = 16;

  /// A phase point at one end of a trajectory, with the velocity M^-1 p; d x w.
  struct End {
    End(Workspace& scratch, Index d, Index w)
        : theta(scratch.matrix(d, w)),
          p(scratch.matrix(d, w)),
          g(scratch.matrix(d, w)),
          v(scratch.matrix(d, w)) {}
    MatrixMap theta;
    MatrixMap p;
    MatrixMap g;
    MatrixMap v;
  };

  struct Tree {
    Subtrees half;       ///< the half under construction
    Point chosen;        ///< the chosen point of the tree
    Point candidate;     ///< the candidate of the half
    double* rho;         ///< sum of the tree's momenta
    double start;        ///< H at the start
    double log_weight;   ///< log sum exp(H_0 - H) over the leaves of the tree
    double half_weight;  ///< log sum exp(H_0 - H) over the leaves of the half
    double energy;       ///< H of the chosen point
    double candidate_energy;
    double metropolis;  ///< sum of min(1, exp(H_0 - H))
    Index leaves;       ///< number of leaves in the half so far
    Index depth;
    Index steps;
    int direction;  ///< 1 forwards, 0 backwards
    bool finished;
    bool diverging;
  };

  static double log_sum(double a, double b) {
    const double high = std::max(a, b);
    if (high == -std::numeric_limits<double>::infinity()) return high;
    return high + std::log1p(std::exp(std::min(a, b) - high));
  }

  void plant(Batch theta, Batch g, Row u) {
    ground_.noise.uniforms(coins_);
    flat(start_) = flat(theta);
    flat(p_) = flat(ground_.p);
    ground_.momentum_law.evaluate(p_, {kinetic_.data(), v_, scratch_});
    for (End& end : ends_) {
      flat(end.theta) = flat(theta);
      flat(end.p) = flat(p_);
      flat(end.g) = flat(g);
      flat(end.v) = flat(v_);
    }
    growing_ = w_;
    for (Index j = 0; j < w_; ++j) {
      order_[j] = j;
      plant_column(j, {theta.data() + j * d_, g.data() + j * d_, u.data() + j});
      turn(j, j);
    }
  }

  void plant_column(Index j, Point state) {
    Tree& tree = trees_[j];
    tree.half = Subtrees(scratch_.matrix(Subtrees::memory(d_, max_depth_), 1).data(), d_);
    tree.chosen = state;
    tree.candidate = {scratch_.matrix(d_, 1).data(), scratch_.matrix(d_, 1).data(),
                      scratch_.row(1).data()};
    tree.rho = scratch_.matrix(d_, 1).data();
    std::copy_n(p_.data() + j * d_, d_, tree.rho);
    tree.start = tree.energy = *state.u + kinetic_(j);
    tree.log_weight = 0.0;
  }

  /// Begins the next half of column j, which is the k-th moving column.
  void turn(Index k, Index j) {
    Tree& tree = trees_[j];
    tree.direction = coins_(2 * tree.depth, j) < 0.5 ? 1 : 0;
    tree.half.clear();
    tree.half_weight = -std::numeric_limits<double>::infinity();
    tree.leaves = 0;
    const End& end = ends_[tree.direction];
    theta_.col(k) = end.theta.col(j);
    p_.col(k) = end.p.col(j);
    g_.col(k) = end.g.col(j);
    eps_.col(k).setConstant(tree.direction == 1 ? ground_.eps(j) : -ground_.eps(j));
  }

  /// One step of every growing column.
  void step() {
    const Workspace::Frame frame(scratch_);
    const Law law = ground_.law.regrouped(order_);
    const Flow flow(ground_.coupling, ground_.preconditioner.regrouped(order_));
    const Motion motion{law, flow, ConstMatrixMap(eps_.data(), d_, growing_), scratch_};
    ground_.integrator.advance(
        {theta_.leftCols(growing_), p_.leftCols(growing_), g_.leftCols(growing_)}, 1, motion,
        u_.data());
    ground_.momentum_law.regrouped(order_).evaluate(
        p_.leftCols(growing_), {kinetic_.data(), v_.leftCols(growing_), scratch_});
  }

  void add_leaf(Index k, double lot) {
    const Index j = order_[k];
    Tree& tree = trees_[j];
    const double energy = u_(k) + kinetic_(k);
    const double error = energy - tree.start;
    ++tree.steps;
    if (is_divergent(error)) {
      tree.finished = tree.diverging = true;
      Event event = trouble(k, u_(k), g_, error);
      event.column = j;
      block_.report(event, start_);
      return;
    }
    tree.metropolis += std::min(1.0, std::exp(-error));
    tree.half_weight = log_sum(tree.half_weight, -error);
    if (tree.leaves == 0 || lot < std::exp(-error - tree.half_weight)) {
      keep(k, tree.candidate);
      tree.candidate_energy = energy;
    }
    ++tree.leaves;
    if (!tree.half.add(p_.data() + k * d_, v_.data() + k * d_)) {
      tree.finished = true;
    } else if (tree.leaves == Index{1} << tree.depth) {
      join_half(k, j);
    }
  }

  /// Joins the complete half to the tree, and may take the half's candidate as the next state.
  void join_half(Index k, Index j) {
    Tree& tree = trees_[j];
    const double lot = coins_(2 * tree.depth + 1, j);
    if (lot < std::exp(tree.half_weight - tree.log_weight)) {
      std::copy_n(tree.candidate.theta, d_, tree.chosen.theta);
      std::copy_n(tree.candidate.g, d_, tree.chosen.g);
      *tree.chosen.u = *tree.candidate.u;
      tree.energy = tree.candidate_energy;
    }
    tree.log_weight = log_sum(tree.log_weight, tree.half_weight);
    ++tree.depth;
    const End& near = ends_[tree.direction];
    const End& far = ends_[1 - tree.direction];
    const Index at = j * d_;
    const Stretch old{far.p.data() + at, far.v.data() + at, near.p.data() + at, near.v.data() + at,
                      tree.rho};
    const Stretch half = tree.half.all();
    tree.finished = !is_straight(old, half, d_) || tree.depth == max_depth_;
    if (tree.finished) return;
    for (Index i = 0; i < d_; ++i) tree.rho[i] += half.rho[i];
    move_end(k, j, ends_[tree.direction]);
    turn(k, j);
  }

  void move_end(Index k, Index j, End& end) {
    end.theta.col(j) = theta_.col(k);
    end.p.col(j) = p_.col(k);
    end.g.col(j) = g_.col(k);
    end.v.col(j) = v_.col(k);
  }

  void keep(Index k, const Point& point) {
    std::copy_n(theta_.data() + k * d_, d_, point.theta);
    std::copy_n(g_.data() + k * d_, d_, point.g);
    *point.u = u_(k);
  }

  void remove_finished() {
    for (Index k = 0; k < growing_;) {
      const Tree& tree = trees_[order_[k]];
      if (!tree.finished) {
        ++k;
        continue;
      }
      outcome_[order_[k]] = {tree.metropolis / static_cast<double>(tree.steps), tree.energy,
                             tree.steps, tree.depth, tree.diverging};
      --growing_;
      order_[k] = order_[growing_];
      theta_.col(k) = theta_.col(growing_);
      p_.col(k) = p_.col(growing_);
      g_.col(k) = g_.col(growing_);
      eps_.col(k) = eps_.col(growing_);
    }
  }

  Columns& block_;
  Workspace& scratch_;
  Ground ground_;
  Index max_depth_;
  Index d_;
  Index w_;
  Index growing_ = 0;
  Tree* trees_;
  Index* order_;  ///< order_[k] is the k-th moving column
  Outcome* outcome_;
  MatrixMap coins_;  ///< rows 2i, 2i + 1: direction and acceptance of the i-th doubling
  MatrixMap lots_;   ///< uniforms that choose the leaf, for each step
  MatrixMap start_;
  End ends_[2];
  MatrixMap theta_;  ///< moving columns only, as in p_, g_, v_, eps_, u_ and kinetic_
  MatrixMap p_;
  MatrixMap g_;
  MatrixMap v_;
  MatrixMap eps_;
  RowMap u_;
  RowMap kinetic_;
};

}  // namespace mixwell::nuts
