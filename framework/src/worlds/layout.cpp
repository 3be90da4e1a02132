// Where each value stands in a configuration while a sweep runs.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/layout.hpp"

#include "worlds/chance.hpp"

#include <algorithm>
#include <bit>

namespace mixwell::worlds {

KeyLayout::KeyLayout(const FiniteReading& reading) : reading_(reading), graph_(reading.graph()) {
  find_relevant();
  find_last_reads();
  begin();
  for (std::size_t o = 0; o < graph_.operations().size(); ++o) {
    if (writes_relevant(graph_.operations()[o])) add_step(o);
  }
  for (std::size_t k = 0; k < carries_.size(); ++k) {
    if (carries_[k]) carried_.emplace_back(cells_[at(graph_.variables()[k].current.id)], start_[k]);
  }
  for (const Value v : kept_by_guards_) carried_.emplace_back(cells_[at(v.id)], before_.at(v.id));
}

KeyBits KeyLayout::at_start(Variable v) const { return start_.at(at(v.id)); }

/// Whether somebody outside of its branch reads it: there it is what it was.
bool KeyLayout::outlives_its_branch(Value v) const {
  const OperationInfo* const by = maker(graph_, v);
  if (by == nullptr || !by->guard || graph_[v].kind != ValueKind::derived) return false;
  const auto elsewhere = [&](const OperationInfo& o) {
    return !(o.guard && o.guard.choice == by->guard.choice && o.guard.branch == by->guard.branch);
  };
  return std::any_of(
      graph_.operations().begin(), graph_.operations().end(), [&](const OperationInfo& o) {
        return elsewhere(o) && std::any_of(o.inputs.begin(), o.inputs.end(), [&](const Input& i) {
                 return seen(graph_, i.value) == v;
               });
      });
}

bool KeyLayout::mark(Value v) {
  v = seen(graph_, v);
  if (relevant_[at(v.id)]) return false;
  relevant_[at(v.id)] = true;
  return true;
}

bool KeyLayout::writes_relevant(const OperationInfo& who) const {
  return std::any_of(who.outputs.begin(), who.outputs.end(),
                     [&](Value v) { return relevant_[at(v.id)]; });
}

bool KeyLayout::mark_inputs(const OperationInfo& who) {
  bool more = false;
  for (const Input& i : who.inputs) more = mark(i.value) || more;
  for (const Value out : who.outputs) {
    const bool replaces = who.guard && graph_[out].kind == ValueKind::version;
    if (replaces && relevant_[at(out.id)]) more = mark(graph_[out].replaces) || more;
  }
  return more;
}

/// Backwards from what is recorded, and over the sweeps, until nothing is added.
void KeyLayout::find_relevant() {
  relevant_.assign(graph_.values().size(), false);
  for (const Variable v : recorded_slots(graph_)) mark(graph_[v].carried);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t o = graph_.operations().size(); o-- > 0;) {
      const OperationInfo& who = graph_.operations()[o];
      if (writes_relevant(who)) more = mark_inputs(who) || more;
    }
    for (const VariableInfo& v : graph_.variables()) {
      if (relevant_[at(v.carried.id)]) more = mark(v.current) || more;
    }
  }
}

void KeyLayout::find_last_reads() {
  last_.assign(graph_.values().size(), -1);
  const int end = static_cast<int>(graph_.operations().size());
  for (int o = 0; o < end; ++o) {
    const OperationInfo& who = graph_.operations()[at(o)];
    if (!writes_relevant(who)) continue;
    for (const Input& i : who.inputs) last_[at(seen(graph_, i.value).id)] = o;
    for (const Value out : who.outputs) {
      const bool replaces = who.guard && graph_[out].kind == ValueKind::version;
      if (replaces) last_[at(graph_[out].replaces.id)] = o;
    }
  }
  for (const VariableInfo& v : graph_.variables()) {
    carries_.push_back(relevant_[at(v.carried.id)]);
    if (carries_.back()) last_[at(v.current.id)] = end;
  }
  for (std::size_t k = 0; k < last_.size(); ++k) {
    if (!relevant_[k] || !outlives_its_branch({static_cast<std::int32_t>(k)})) continue;
    kept_by_guards_.push_back({static_cast<std::int32_t>(k)});
    last_[k] = end;
  }
}

KeyBits KeyLayout::take(int size) {
  const int bits = std::bit_width(static_cast<unsigned>(size - 1));
  for (int shift = 0; shift + bits <= 64; ++shift) {
    const KeyBits cell{shift, bits};
    if ((used_ & cell.mask()) != 0) continue;
    used_ |= cell.mask();
    return cell;
  }
  throw NoReading("too many values are alive at the same time");
}

void KeyLayout::release(KeyBits cell) { used_ &= ~cell.mask(); }

void KeyLayout::begin() {
  cells_.resize(graph_.values().size());
  start_.resize(graph_.variables().size());
  for (std::size_t k = 0; k < start_.size(); ++k) {
    const Value first = graph_.variables()[k].carried;
    if (carries_[k]) cells_[at(first.id)] = start_[k] = take(reading_.size(first));
  }
  for (const Value v : kept_by_guards_) before_[v.id] = take(reading_.size(v));
}

KeyBits KeyLayout::otherwise(Value out) const {
  if (graph_[out].kind == ValueKind::version) return cells_[at(graph_[out].replaces.id)];
  const auto found = before_.find(out.id);
  return found == before_.end() ? KeyBits{} : found->second;
}

void KeyLayout::add_step(std::size_t operation) {
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
    const bool dies = last_[k] == now || (steps_.empty() && last_[k] < 0);
    if (dies && cells_[k].bits > 0) release(cells_[k]);
  }
  for (const Value out : who.outputs) {
    if (const auto old = before_.find(out.id); old != before_.end()) release(old->second);
  }
  step.kept = used_;
  for (const Value out : who.outputs) {
    const bool is_read = !graph_[out].storage && last_[at(out.id)] > now;
    if (is_read) cells_[at(out.id)] = take(reading_.size(out));
    step.out.push_back(is_read ? cells_[at(out.id)] : KeyBits{});
  }
  steps_.push_back(std::move(step));
}

}  // namespace mixwell::worlds
