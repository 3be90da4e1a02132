// Draws of some parameters of a model given all others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/random.hpp>
#include <mixwell/types.hpp>
#include <mixwell/workspace.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace mixwell {

/// The conditional laws that a model can draw from exactly, for kernel `conditional`: with theta
/// from the model's law, the parameters of one of them drawn anew leave theta distributed as it
/// was.
class MIXWELL_EXPORT ConditionalDraws {
 public:
  virtual ~ConditionalDraws();
  /// What can be drawn together: each a list of names or slices (select_coordinates).
  virtual std::vector<std::vector<std::string>> conditionals() const = 0;
  /// Writes the coordinates of conditionals()[which] into theta (d x w): in each column a draw
  /// given the other coordinates of that column, which stay as they are; what the written ones held
  /// before is not read. Column j takes its random numbers at replicate at.replicate + j.
  virtual void draw_conditional(std::size_t which, const Stream& stream, Address at, Batch theta,
                                Workspace& scratch) const = 0;
};

}  // namespace mixwell
