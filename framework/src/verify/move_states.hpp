// What a move replaces, where that leads, and small steps of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampler/replay.hpp"

#include <Eigen/Core>

#include <optional>
#include <utility>
#include <vector>

namespace mixwell {

/// A state of a move, and where it leads.
struct MoveEnd {
  std::size_t input = 0;
  std::size_t output = 0;
  Space space = Space::real;  ///< of a slot: real
  bool is_auxiliary = false;
  bool flipped = false;  ///< its sign is turned for the way back
  Index first = 0;       ///< its rows among those of all states
  Index rows = 0;
};

struct MoveEnds {
  std::vector<MoveEnd> all;
  /// Every output is known to belong to its state: by the variable that an accept or the move
  /// itself replaces with it, or because only one state has as many rows. Else they are paired in
  /// order.
  bool are_certain = true;
};

/// Nothing where the states of a move and its outputs do not fit together.
std::optional<MoveEnds> ends_of(const Replay& replay);

/// The variable whose next version a value is or becomes: its own, that of the state which an
/// accept gives up for it, or that of the state from which a move made it.
std::optional<Variable> variable_behind(const KernelGraph& graph, Value v);

/// Where the numbers of a value live: as its auxiliary variable says, else R^d.
Space space_of(const KernelGraph& graph, Value v);

/// How far each column is from a sphere or from whole numbers; 0 of other spaces.
Eigen::ArrayXd distance_from(Space space, ConstBatch x);

/// What a move replaces, where that leads, and small steps of it.
class MoveStates {
 public:
  MoveStates(Replay& replay, MoveEnds ends);

  /// What the move reads now: rows x columns.
  Eigen::MatrixXd start();
  /// Runs it from these states in its own sweep, with the evaluations at them; where it leads.
  Eigen::MatrixXd moved(const Eigen::MatrixXd& from, bool negate_normals = false);
  /// Turns the signs of what is flipped for the way back.
  void flip(Eigen::MatrixXd& all) const;

  /// How many directions a column can be moved in: none for whole numbers, one less than its rows
  /// on a sphere.
  Index freedom() const;
  /// A unit vector for each of them at column j of `at`, of any of these spaces.
  Eigen::MatrixXd directions(const Eigen::MatrixXd& at, Index j) const;
  /// at + step, brought back to the spheres.
  Eigen::MatrixXd stepped(const Eigen::MatrixXd& at, const Eigen::MatrixXd& step) const;
  /// What is farthest from its sphere or from a whole number, of each column.
  Eigen::ArrayXd distance_from_space(const Eigen::MatrixXd& at) const;

 private:
  Replay& replay_;
  MoveEnds ends_;
  Index rows_ = 0;
};

}  // namespace mixwell
