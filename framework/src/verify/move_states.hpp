// All states of a move as one vector a column, and small steps from it within their spaces.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/move_ends.hpp"

#include <Eigen/Core>

#include <utility>

namespace mixwell {

class MoveStates {
 public:
  MoveStates(Replay& replay, MoveEnds ends) : replay_(replay), ends_(std::move(ends)) {}

  const MoveEnds& ends() const noexcept { return ends_; }
  /// What the move reads now, and what it wrote last: rows x columns.
  Eigen::MatrixXd start();
  Eigen::MatrixXd end();
  /// Gives the move these states, and the evaluations that it reads at them.
  void put(const Eigen::MatrixXd& all);
  /// Runs it from these states in its own sweep; where it leads.
  Eigen::MatrixXd moved(const Eigen::MatrixXd& from, bool negate_normals = false);
  /// Turns the signs of what is flipped for the way back.
  void flip(Eigen::MatrixXd& all) const;

  /// How many directions a column can be moved in: none for whole numbers, one less than its rows
  /// on a sphere.
  Index freedom();
  /// A unit vector for each of them at column j of `at`, of any of these spaces.
  Eigen::MatrixXd directions(const Eigen::MatrixXd& at, Index j);
  /// at + step, brought back to the spheres.
  Eigen::MatrixXd stepped(const Eigen::MatrixXd& at, const Eigen::MatrixXd& step);
  /// What is farthest from its sphere or from a whole number, of each column.
  Eigen::ArrayXd distance_from_space(const Eigen::MatrixXd& at);

 private:
  Index rows_of(const MoveEnd& end) { return replay_.input(end.input).rows(); }
  Index rows();
  /// For every end: itself, and the first of its rows.
  template <class Visit>
  void each(const Visit& visit);

  Replay& replay_;
  MoveEnds ends_;
};

}  // namespace mixwell
