// The states that a move replaces, the outputs of the move, and perturbations of the states.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampler/replay.hpp"

#include <Eigen/Core>

#include <optional>
#include <utility>
#include <vector>

namespace mixwell {

/// A state of a move, and the output that belongs to it.
struct MoveEnd {
  std::size_t input = 0;
  std::size_t output = 0;
  Space space = Space::real;  ///< Space::real for a slot
  bool is_auxiliary = false;
  bool flipped = false;  ///< whether the sign of the state is flipped for the way back
  Index first = 0;       ///< first row of this state among the rows of all states
  Index rows = 0;
};

struct MoveEnds {
  std::vector<MoveEnd> all;
  /// Whether it is certain which state each output belongs to. It is certain if an accept or the
  /// move itself replaces the variable of the state with the output, or if only one state has as
  /// many rows as the output. Otherwise states and outputs are paired in order.
  bool are_certain = true;
};

/// Pairs the states and the outputs of a move. Nothing if states and outputs do not match.
std::optional<MoveEnds> ends_of(const Replay& replay);

/// The variable that a value is a version of or may become a version of. It is the variable of the
/// value itself, of the state that an accept replaces by the value, or of the state from which a
/// move made the value.
std::optional<Variable> variable_behind(const KernelGraph& graph, Value v);

/// The space of a value. It is the space of its auxiliary variable, or R^d if it has none.
Space space_of(const KernelGraph& graph, Value v);

/// The distance of each column from a sphere or from whole numbers; 0 for other spaces.
Eigen::ArrayXd distance_from(Space space, ConstBatch x);

/// The states that a move replaces, their outputs, and small changes of them.
class MoveStates {
 public:
  MoveStates(Replay& replay, MoveEnds ends);

  /// The states that the move reads now: rows x columns.
  Eigen::MatrixXd start();
  /// Runs the move from these states in the move's own sweep and returns its outputs. Evaluations
  /// are computed again at these states.
  Eigen::MatrixXd moved(const Eigen::MatrixXd& from, bool negate_normals = false);
  /// Flips the signs of all states that are flipped for the way back.
  void flip(Eigen::MatrixXd& all) const;

  /// The number of directions in which a column can move. Whole numbers have none, and a point on a
  /// sphere has one less than its rows.
  Index freedom() const;
  /// A unit vector for each direction in which column j of `at` can move.
  Eigen::MatrixXd directions(const Eigen::MatrixXd& at, Index j) const;
  /// at + step, projected back to the spheres.
  Eigen::MatrixXd stepped(const Eigen::MatrixXd& at, const Eigen::MatrixXd& step) const;
  /// For each column, the largest distance of a state from its sphere or from whole numbers.
  Eigen::ArrayXd distance_from_space(const Eigen::MatrixXd& at) const;

 private:
  Replay& replay_;
  MoveEnds ends_;
  Index rows_ = 0;
};

}  // namespace mixwell
