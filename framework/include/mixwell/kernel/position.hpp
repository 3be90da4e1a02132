// Positions that several slots hold together: conditional laws of single slots, the whole position,
// and the choice of the next state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/model.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace mixwell {

class Oracle;

/// Adds the law exp(-U) of the whole position as a conditional law of the coordinates that `slot`
/// holds (b x w), given `rest`. `rest` lists versions of the slots with the other coordinates.
/// Slots that the law does not read may be omitted. U is the potential of the whole position,
/// including the terms that do not depend on these coordinates. An evaluation costs one evaluation
/// of the whole law, and copies 2 (d + b) numbers for each column. If the law is the model's own
/// and the model offers a conditional potential of these coordinates, it costs one evaluation of
/// this potential instead.
[[gnu::cold]] MIXWELL_EXPORT Value conditional_law(KernelGraph& graph, std::string name, Value law,
                                                   Variable slot, const std::vector<Value>& rest);

/// Returns the law that this oracle makes for a site's slot. If the slot holds only a part of a
/// position, this is the conditional law of that part given the rest. Mixwell derives it from the
/// oracle's law of the whole position.
[[gnu::cold]] MIXWELL_EXPORT Value law_for_part(KernelGraph& graph, const Site& site,
                                                const Oracle& oracle);

/// Joins the newest versions of all slots of a position into one value, d x w.
[[gnu::cold]] MIXWELL_EXPORT Value whole_position(KernelGraph& graph, const std::string& position);

/// Coordinates that an update moves or integrates out, or that no update moves.
struct PositionBlock {
  std::string name;   ///< the text in the manifest: "beta, z[0:10]"
  std::string label;  ///< label of the block's update, or "" if no update moves the block
  std::vector<Index> coordinates;  ///< ascending
};

/// A kernel that moves parts of its site's position. Site::slot is the variable that joins the
/// slots, or the only slot. After the transition, this variable holds the numbers of all slots.
class MIXWELL_EXPORT BlockwiseKernel : public Kernel {
 public:
  ~BlockwiseKernel() override;
  /// The blocks of coordinates that the kernel's updates move, integrate out or leave unchanged.
  virtual std::vector<PositionBlock> blocks() const = 0;
};

/// The slots of a position, and the variable for kernels that move the whole position: the slot if
/// there is only one, otherwise the variable that joins the slots.
struct PositionSlots {
  std::vector<Variable> slots;
  Variable whole;
};

/// Adds the fewest slots for which every block is a union of slots. The slots are ordered by their
/// first coordinates. The blocks together contain all coordinates. A slot that is a whole block has
/// the name of the block. The name of any other slot lists the labels of the blocks that share it.
/// `prefix` comes before each name.
[[gnu::cold]] MIXWELL_EXPORT std::vector<Variable> add_slots(
    KernelGraph& graph, const std::string& position, const std::vector<PositionBlock>& blocks,
    const std::string& prefix = {});

/// Adds the slots of a model's position for these kernels. There is one slot unless some kernels
/// are BlockwiseKernels. Call gather_position at the start of a sweep and scatter_position at its
/// end. In between, kernels may move and read `whole` like a slot. If another update reads `whole`
/// after a kernel has moved it, call scatter_position and then gather_position between the two.
[[gnu::cold]] MIXWELL_EXPORT PositionSlots
add_position(KernelGraph& graph, const std::string& position, const Model& model,
             const std::vector<std::shared_ptr<const Kernel>>& kernels);
/// gather_position and scatter_position do nothing if one slot holds the whole position.
[[gnu::cold]] MIXWELL_EXPORT void gather_position(KernelGraph& graph, const PositionSlots& at);
[[gnu::cold]] MIXWELL_EXPORT void scatter_position(KernelGraph& graph, const PositionSlots& at);

/// Works like record_slot, but for a position that several slots hold together. If U of `law` at
/// the newest versions is known, pass it as `u`. If `u` is empty, Mixwell evaluates U for the
/// recorded draws.
[[gnu::cold]] MIXWELL_EXPORT void record_position(KernelGraph& graph, const std::string& position,
                                                  Index number, std::shared_ptr<const Model> model,
                                                  Value law, Value u = {});
/// Records a position after scatter_position. If a kernel computed U at `whole`, this U is
/// recorded.
[[gnu::cold]] MIXWELL_EXPORT void record_position(KernelGraph& graph, const PositionSlots& at,
                                                  Index number, std::shared_ptr<const Model> model,
                                                  Value law);

/// Pointers to theta and g (d x w) and u (1 x w). If there is no gradient, g is null in all three
/// states of a NextState.
template <class Number>
struct StateNumbers {
  Number* theta;
  Number* u;
  Number* g;
};

/// Chooses the next state of each column: `end` if it is accepted, otherwise `start`. The
/// constructor copies `start` to `next`. If `start` and `next` share memory, as usual, nothing is
/// copied, and a rejected column costs nothing.
class NextState {
 public:
  NextState(Index rows, Index columns, StateNumbers<const double> start,
            StateNumbers<const double> end, StateNumbers<double> next)
      : rows_(rows), end_(end), next_(next) {
    keep(start.theta, rows * columns, next.theta);
    if (next.g != nullptr) keep(start.g, rows * columns, next.g);
    keep(start.u, columns, next.u);
  }

  void column(Index j, bool accepted) const {
    next_.u[j] = accepted ? end_.u[j] : next_.u[j];
    if (rows_ <= short_column) {
      choose(end_.theta + j * rows_, accepted, next_.theta + j * rows_);
      if (next_.g != nullptr) choose(end_.g + j * rows_, accepted, next_.g + j * rows_);
    } else if (accepted) {
      std::copy_n(end_.theta + j * rows_, rows_, next_.theta + j * rows_);
      if (next_.g != nullptr) std::copy_n(end_.g + j * rows_, rows_, next_.g + j * rows_);
    }
  }

 private:
  /// Columns up to this length are copied element by element, because a call of memmove would cost
  /// more.
  static constexpr Index short_column = 8;

  static void keep(const double* start, Index count, double* next) {
    if (next != start) std::copy_n(start, count, next);
  }

  void choose(const double* from, bool accepted, double* to) const {
    for (Index i = 0; i < rows_; ++i) to[i] = accepted ? from[i] : to[i];
  }

  Index rows_;
  StateNumbers<const double> end_;
  StateNumbers<double> next_;
};

}  // namespace mixwell
