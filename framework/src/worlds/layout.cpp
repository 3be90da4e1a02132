// Where each value of a finite world is stored in the packed state during a sweep.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/layout.hpp"

#include "worlds/chance.hpp"

#include <bit>

namespace mixwell::worlds {
namespace {

class LayoutWriter {
 public:
  explicit LayoutWriter(const FiniteReading& reading)
      : reading_(reading),
        graph_(reading.graph()),
        relevant_(graph_.values().size(), false),
        last_(graph_.values().size(), -1),
        cells_(graph_.values().size()) {}

  KeyLayout write() {
    find_relevant();
    find_last_reads();
    begin();
    for (std::size_t o = 0; o < graph_.operations().size(); ++o) {
      if (writes_relevant(graph_.operations()[o])) add_step(o);
    }
    for (std::size_t k = 0; k < all_.carries.size(); ++k) {
      if (all_.carries[k])
        all_.carried.emplace_back(cells_[at(graph_.variables()[k].current.id)], all_.start[k]);
    }
    for (const auto& [v, before] : all_.kept_by_guards)
      all_.carried.emplace_back(cells_[at(v)], before);
    return std::move(all_);
  }

 private:
  /// Whether an operation outside the value's branch reads the value. Outside the branch the value
  /// stays unchanged.
  bool outlives_its_branch(Value v) const {
    const OperationInfo* const by = maker(graph_, v);
    if (by == nullptr || !by->guard || graph_[v].kind != ValueKind::derived) return false;
    return std::ranges::any_of(graph_.operations(), [&](const OperationInfo& o) {
      const bool beside =
          o.guard && o.guard.choice == by->guard.choice && o.guard.branch == by->guard.branch;
      return !beside && std::ranges::any_of(
                            o.inputs, [&](const Input& i) { return seen(graph_, i.value) == v; });
    });
  }

  /// Calls visit(value, output) with each value that an operation reads. For an operation in a
  /// branch, also calls it with each value that an output replaces.
  template <class Visit>
  void each_read(const OperationInfo& who, const Visit& visit) const {
    for (const Input& i : who.inputs) visit(seen(graph_, i.value), Value{});
    for (const Value out : who.outputs) {
      if (who.guard && is_version(graph_, out)) visit(graph_[out].replaces, out);
    }
  }

  bool writes_relevant(const OperationInfo& who) const {
    return std::ranges::any_of(who.outputs, [&](Value v) { return relevant_[at(v.id)]; });
  }

  /// Marks the values on which recorded slots depend. Goes backwards over the sweeps until it finds
  /// no new value.
  void find_relevant() {
    for (const Variable v : recorded_slots(graph_)) relevant_[at(graph_[v].carried.id)] = true;
    for (std::vector<bool> known; known != relevant_;) {
      known = relevant_;
      for (std::size_t o = graph_.operations().size(); o-- > 0;) {
        const OperationInfo& who = graph_.operations()[o];
        if (!writes_relevant(who)) continue;
        each_read(who, [&](Value v, Value out) {
          if (!out || relevant_[at(out.id)]) relevant_[at(v.id)] = true;
        });
      }
      for (const VariableInfo& v : graph_.variables()) {
        if (relevant_[at(v.carried.id)]) relevant_[at(v.current.id)] = true;
      }
    }
  }

  void find_last_reads() {
    for (int o = 0; o < std::ssize(graph_.operations()); ++o) {
      const OperationInfo& who = graph_.operations()[at(o)];
      if (!writes_relevant(who)) continue;
      each_read(who, [&](Value v, Value) { last_[at(v.id)] = o; });
    }
  }

  KeyBits take(Value v) {
    const int bits = std::bit_width(static_cast<unsigned>(reading_.size(v) - 1));
    for (int shift = 0; shift + bits <= 64; ++shift) {
      const KeyBits cell{shift, bits};
      if ((used_ & cell.mask()) != 0) continue;
      used_ |= cell.mask();
      return cell;
    }
    throw NoReading("too many values are in use at the same time");
  }

  void release(KeyBits cell) { used_ &= ~cell.mask(); }

  void begin() {
    const int end = static_cast<int>(graph_.operations().size());
    for (const VariableInfo& v : graph_.variables()) {
      const bool carries = relevant_[at(v.carried.id)];
      all_.carries.push_back(carries);
      all_.start.push_back(carries ? take(v.carried) : KeyBits{});
      cells_[at(v.carried.id)] = all_.start.back();
      if (carries) last_[at(v.current.id)] = end;
    }
    for (const Value v : all_values(graph_)) {
      if (!relevant_[index(v)] || !outlives_its_branch(v)) continue;
      all_.kept_by_guards[v.id] = take(v);
      last_[index(v)] = end;
    }
  }

  KeyBits before(Value out) const {
    const auto found = all_.kept_by_guards.find(out.id);
    return found == all_.kept_by_guards.end() ? KeyBits{} : found->second;
  }

  KeyBits otherwise(Value out) const {
    return is_version(graph_, out) ? cells_[at(graph_[out].replaces.id)] : before(out);
  }

  void add_step(std::size_t operation) {
    const OperationInfo& who = graph_.operations()[operation];
    const int now = static_cast<int>(operation);
    KeyStep step;
    step.operation = operation;
    for (const Input& i : who.inputs) {
      step.in.push_back(cells_[at(seen(graph_, i.value).id)]);
      step.reads |= step.in.back().mask();
    }
    if (who.guard) {
      step.choice = cells_[at(seen(graph_, who.guard.choice).id)];
      step.branch = static_cast<int>(who.guard.branch);
      for (const Value out : who.outputs) step.otherwise.push_back(otherwise(out));
    }
    for (std::size_t k = 0; k < cells_.size(); ++k) {
      const bool dies = last_[k] == now || (all_.steps.empty() && last_[k] < 0);
      if (dies) release(cells_[k]);
    }
    for (const Value out : who.outputs) release(before(out));
    step.kept = used_;
    for (const Value out : who.outputs) {
      const bool is_read = !graph_[out].storage && last_[at(out.id)] > now;
      if (is_read) cells_[at(out.id)] = take(out);
      step.out.push_back(is_read ? cells_[at(out.id)] : KeyBits{});
    }
    all_.steps.push_back(std::move(step));
  }

  const FiniteReading& reading_;
  const KernelGraph& graph_;
  std::vector<bool> relevant_;  ///< by value
  std::vector<int> last_;       ///< the last operation that reads a value; -1: none
  std::vector<KeyBits> cells_;  ///< by value
  KeyLayout all_;
  StateKey used_ = 0;
};

}  // namespace

KeyLayout layout_of(const FiniteReading& reading) { return LayoutWriter(reading).write(); }

}  // namespace mixwell::worlds
