// Positions that several slots hold together: the law of one slot given the rest, and the whole;
// writing the next state: the present one, or where accepted the proposal.
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

/// exp(-U) of a law of the whole position as the law of the coordinates that `slot` holds (b x w),
/// given `rest`: versions of the slots that hold the others, or those of them that the law reads. U
/// is that of the whole position, constants included. An evaluation is one of the whole law, and 2
/// (d + b) copies a column; where the law is a model's own that offers a block potential of these
/// coordinates, one of that.
[[gnu::cold]] MIXWELL_EXPORT Value conditional_law(KernelGraph& graph, std::string name, Value law,
                                                   Variable slot, const std::vector<Value>& rest);

/// The law that a kernel with that oracle moves a site's slot by: that of the whole position as the
/// oracle gives it, given the rest.
[[gnu::cold]] MIXWELL_EXPORT Value law_for_part(KernelGraph& graph, const Site& site,
                                                const Oracle& oracle);

/// The newest versions of all slots of a position as one value, d x w.
[[gnu::cold]] MIXWELL_EXPORT Value whole_position(KernelGraph& graph, const std::string& position);

/// Coordinates that an update moves together, or that stay where they are.
struct PositionBlock {
  std::string name;                ///< as its author says it: "beta, z[0:10]"
  std::string label;               ///< of what moves it; "" where nothing does
  std::vector<Index> coordinates;  ///< ascending
};

/// A kernel that moves parts of its site's position. Site::slot is what joins the slots, or the
/// only one; the kernel leaves it with the numbers of all of them.
class MIXWELL_EXPORT BlockwiseKernel : public Kernel {
 public:
  ~BlockwiseKernel() override;
  virtual std::vector<PositionBlock> blocks() const = 0;
};

/// The slots of a position, and the variable that kernels move which take it as a whole: the slot,
/// where there is one, else what joins them.
struct PositionSlots {
  std::vector<Variable> slots;
  Variable whole;
};

/// The fewest slots of which every block is a union, in the order of their first coordinates; the
/// blocks hold all coordinates together. A slot that is a block has its name, any other one the
/// labels of the blocks that share it; `prefix` stands before them.
[[gnu::cold]] MIXWELL_EXPORT std::vector<Variable> add_slots(
    KernelGraph& graph, const std::string& position, const std::vector<PositionBlock>& blocks,
    const std::string& prefix = {});

/// The slots of a position of a model that these kernels move: one, unless some of them are
/// BlockwiseKernels. Between gather_position at the beginning of a sweep and scatter_position at
/// its end `whole` may be moved and read as a slot is; after a move it is read once it has been
/// scattered and gathered again.
[[gnu::cold]] MIXWELL_EXPORT PositionSlots
add_position(KernelGraph& graph, const std::string& position, const Model& model,
             const std::vector<std::shared_ptr<const Kernel>>& kernels);
/// Nothing where the position is one slot.
[[gnu::cold]] MIXWELL_EXPORT void gather_position(KernelGraph& graph, const PositionSlots& at);
[[gnu::cold]] MIXWELL_EXPORT void scatter_position(KernelGraph& graph, const PositionSlots& at);

/// As record_slot, of a position that several slots hold. `u`: U of `law` at their newest versions,
/// where it is known; else it is evaluated for the draws that are recorded.
[[gnu::cold]] MIXWELL_EXPORT void record_position(KernelGraph& graph, const std::string& position,
                                                  Index number, std::shared_ptr<const Model> model,
                                                  Value law, Value u = {});
/// The same of a position that has been scattered: U at `whole` is known where a kernel left it.
[[gnu::cold]] MIXWELL_EXPORT void record_position(KernelGraph& graph, const PositionSlots& at,
                                                  Index number, std::shared_ptr<const Model> model,
                                                  Value law);

/// theta and g (d x w) with u (1 x w), as plain memory. All three g may be null: then there is
/// none.
template <class Number>
struct StateNumbers {
  Number* theta;
  Number* u;
  Number* g;
};

/// Column by column, next = accepted ? end : start. The pointers are looked up once a block; `next`
/// and `start` usually share their memory, and then a rejected column costs nothing.
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
  /// Columns up to this length are chosen element by element: calling memmove costs more.
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
