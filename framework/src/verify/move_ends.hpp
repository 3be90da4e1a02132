// What a move replaces, and which of its outputs belongs to which of its states.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampler/replay.hpp"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace mixwell {

/// A state of a move, and where it leads.
struct MoveEnd {
  std::size_t input = 0;
  std::size_t output = 0;
  Space space = Space::real;  ///< of a slot: real
  bool is_auxiliary = false;
  bool flipped = false;  ///< its sign is turned for the way back
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

}  // namespace mixwell
