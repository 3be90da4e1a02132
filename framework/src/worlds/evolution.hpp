// The law of a configuration, sweep after sweep, in exact arithmetic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worlds/layout.hpp"
#include "worlds/operations.hpp"
#include "worlds/quantiles.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace mixwell::worlds {

/// Weights by key; no key stands twice.
template <class Number>
class Measure {
 public:
  using Weighted = std::pair<StateKey, Number>;

  void clear() {
    entries_.clear();
    std::fill(slots_.begin(), slots_.end(), none);
  }
  void add(StateKey key, const Number& weight) {
    if (2 * entries_.size() >= slots_.size()) grow();
    std::uint32_t& place = find(key);
    if (place == none) {
      place = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back(key, weight);
    } else {
      entries_[place].second += weight;
    }
  }
  const std::vector<Weighted>& entries() const { return entries_; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t& find(StateKey key) {
    std::size_t k = static_cast<std::size_t>(mixed(key)) & (slots_.size() - 1);
    while (slots_[k] != none && entries_[slots_[k]].first != key) k = (k + 1) & (slots_.size() - 1);
    return slots_[k];
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), none);
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      find(entries_[e].first) = static_cast<std::uint32_t>(e);
    }
  }

  std::vector<Weighted> entries_;
  std::vector<std::uint32_t> slots_;
};

/// What one operation writes from the bits that it reads, and with which probability; as far as
/// somebody has asked.
template <class Number>
using KnownOutcomes = std::map<StateKey, std::vector<std::pair<StateKey, Number>>>;

/// How many weights may be moved: the same on every machine, unlike a time.
class WorkLimit {
 public:
  class Spent : public NoReading {
   public:
    Spent() : NoReading("one world of it takes too long") {}
  };
  void allow(std::int64_t most) { most_ = most; }
  void take(std::size_t weights) {
    used_ += static_cast<std::int64_t>(weights);
    if (used_ > most_) throw Spent();
  }
  std::int64_t used() const { return used_; }

 private:
  std::int64_t most_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t used_ = 0;
};

/// Slots start with the law of the target, carried auxiliaries with theirs, all else at 0.
template <class Number>
class Evolution {
 public:
  static constexpr std::size_t work_of_table = 50;  ///< of one row, in moved weights

  Evolution(const FiniteReading& reading, const KeyLayout& layout, const FiniteLaws& laws,
            const Operations& operations, WorkLimit& work)
      : reading_(reading),
        graph_(reading.graph()),
        layout_(layout),
        laws_(laws),
        operations_(operations),
        work_(work),
        known_(layout.steps().size()) {
    begin();
  }

  const Measure<Number>& law() const { return law_; }
  /// One for each step of the layout.
  const std::vector<KnownOutcomes<Number>>& known() const { return known_; }

  void sweep() {
    for (std::size_t k = 0; k < layout_.steps().size(); ++k) apply(layout_.steps()[k], known_[k]);
    next_.clear();
    for (const auto& [key, weight] : law_.entries()) {
      StateKey next = 0;
      for (const auto& [from, to] : layout_.carried()) next |= to.with(from.value(key));
      next_.add(next, weight);
    }
    std::swap(law_, next_);
  }

  /// Changes the weight of every state.
  template <class Change>
  void change(const Change& to) {
    next_.clear();
    for (const auto& [key, weight] : law_.entries()) next_.add(key, to(weight));
    std::swap(law_, next_);
  }

  /// The law of some slots, their values one after another in mixed radix.
  std::map<int, Number> marginal(const std::vector<Variable>& slots) const {
    std::map<int, Number> sums;
    for (const auto& [key, weight] : law_.entries()) {
      int state = 0;
      for (std::size_t k = slots.size(); k-- > 0;) {
        state = state * reading_.size(slots[k]) + layout_.at_start(slots[k]).value(key);
      }
      sums[state] += weight;
    }
    return sums;
  }

 private:
  void apply(const KeyStep& step, KnownOutcomes<Number>& known) {
    next_.clear();
    const bool guarded = static_cast<bool>(graph_.operations()[step.operation].guard);
    for (const auto& [key, weight] : law_.entries()) {
      const StateKey rest = key & step.kept;
      if (guarded && step.choice.value(key) != step.branch) {
        next_.add(rest | left_as_it_was(step, key), weight);
        continue;
      }
      auto& outcomes = known[key & step.reads];
      if (outcomes.empty()) outcomes = asked(step, key);
      for (const auto& [bits, share] : outcomes) {
        next_.add(rest | bits, outcomes.size() == 1 ? weight : weight * share);
      }
    }
    work_.take(law_.entries().size() + next_.entries().size());
    std::swap(law_, next_);
    if (law_.entries().size() > most_states) throw NoReading("it has too many states");
  }

  static StateKey left_as_it_was(const KeyStep& step, StateKey key) {
    StateKey bits = 0;
    for (std::size_t k = 0; k < step.out.size(); ++k) {
      bits |= step.out[k].with(step.otherwise[k].value(key));
    }
    return bits;
  }

  [[noreturn]] void refuse(const KeyStep& step) const {
    throw NoReading("`" + graph_.operations()[step.operation].name +
                    "` moves without a Metropolis decision");
  }

  std::vector<std::pair<StateKey, Number>> asked(const KeyStep& step, StateKey key) const {
    work_.take(work_of_table);
    std::vector<int> in;
    for (const KeyBits& cell : step.in) in.push_back(cell.value(key));
    Measure<Number> written;
    for (const TableOutcome& one : operations_.outcomes(step.operation, in)) {
      if (one.term.small && !is_first_order<Number>) refuse(step);
      StateKey bits = 0;
      for (std::size_t k = 0; k < step.out.size(); ++k) bits |= step.out[k].with(one.written[k]);
      written.add(bits, Number(one.term));
    }
    return written.entries();
  }

  // ---- the beginning

  void begin() {
    law_.add(0, Number(Term{}));
    for (const std::vector<Variable>& slots : groups()) begin_group(slots);
    for (std::size_t k = 0; k < graph_.variables().size(); ++k) {
      const Variable v{static_cast<std::int32_t>(k)};
      if (!layout_.carries(v) || reading_.size(v) == 1) continue;
      if (graph_[v].kind == VariableKind::estimate) begin_estimate(v);
      if (graph_[v].kind == VariableKind::auxiliary) begin_auxiliary(v);
    }
  }

  /// Every state is followed by values of `cells`, with shares that depend on the state.
  template <class Shares>
  void extend(const std::vector<KeyBits>& cells, const Radix& radix, const Shares& shares) {
    next_.clear();
    for (const auto& [key, weight] : law_.entries()) {
      const std::vector<Share> all = shares(key);
      for (int n = 0; n < radix.total(); ++n) {
        const std::vector<int> digits = radix.digits(n);
        StateKey bits = key;
        for (std::size_t k = 0; k < cells.size(); ++k) bits |= cells[k].with(digits[k]);
        next_.add(bits, weight * Number(Term{all[at(n)]}));
      }
    }
    std::swap(law_, next_);
    if (law_.entries().size() > most_states) throw NoReading("it has too many slots");
  }

  /// Slots that factors have together, and all factors of each group.
  std::vector<std::vector<Variable>> groups() const {
    std::vector<std::vector<Variable>> all;
    for (std::size_t k = 0; k < graph_.variables().size(); ++k) {
      if (graph_.variables()[k].kind == VariableKind::slot)
        all.push_back({{static_cast<std::int32_t>(k)}});
    }
    for (const Factor& f : graph_.factors()) {
      const auto touches = [&](const std::vector<Variable>& group) {
        return std::any_of(group.begin(), group.end(), [&](Variable v) {
          return std::find(f.slots.begin(), f.slots.end(), v) != f.slots.end();
        });
      };
      const auto apart =
          std::stable_partition(all.begin(), all.end(), [&](const auto& g) { return !touches(g); });
      std::vector<Variable> joined;
      for (auto g = apart; g != all.end(); ++g) joined.insert(joined.end(), g->begin(), g->end());
      all.erase(apart, all.end());
      if (!joined.empty()) all.push_back(joined);
    }
    return all;
  }

  void begin_group(const std::vector<Variable>& slots) {
    Radix radix;
    std::vector<KeyBits> cells;
    for (const Variable v : slots) {
      radix.sizes.push_back(reading_.size(v));
      cells.push_back(layout_.at_start(v));
    }
    std::vector<std::uint64_t> weights;
    for (int n = 0; n < radix.total(); ++n) {
      weights.push_back(weight_of(slots, radix.digits(n)));
    }
    extend(cells, radix, [&](StateKey) { return by_weight(weights); });
  }

  std::uint64_t weight_of(const std::vector<Variable>& slots,
                          const std::vector<int>& digits) const {
    SlotPlaces where;
    for (std::size_t k = 0; k < slots.size(); ++k) where[slots[k].id] = digits[k];
    std::uint64_t product = 1;
    for (const Factor& f : graph_.factors()) {
      if (where.contains(f.slots.front().id)) product *= laws_.target(f, where);
    }
    return product;
  }

  /// What an estimate was made from, given where its slot is.
  void begin_estimate(Variable v) {
    const Variable slot = graph_[v].parts.front();
    for (const Factor& f : graph_.factors()) {
      if (!reading_.law(f.law).estimated || !(f.slots.front() == slot)) continue;
      extend({layout_.at_start(v)}, {{reading_.size(v)}}, [&](StateKey key) {
        const SlotPlaces where{{slot.id, layout_.at_start(slot).value(key)}};
        std::vector<Share> all;
        for (int z = 0; z < reading_.size(v); ++z)
          all.push_back({laws_.estimate(f.law, z, where), laws_.target(f, where)});
        return all;
      });
    }
  }

  /// By the first law of it, as it is where nothing has moved yet; evenly if it has none.
  void begin_auxiliary(Variable v) {
    std::vector<std::uint64_t> weights(at(reading_.size(v)), 1);
    for (std::size_t k = 0; k < graph_.values().size(); ++k) {
      const Value law{static_cast<std::int32_t>(k)};
      if (!reading_.is_law_of(law, v)) continue;
      for (int x = 0; x < reading_.size(v); ++x)
        weights[at(x)] = laws_.weight(law, at_rest(law), {{v.id, x}});
      break;
    }
    extend({layout_.at_start(v)}, {{reading_.size(v)}},
           [&](StateKey) { return by_weight(weights); });
  }

  /// What a value is where all versions are 0, as registers are that nothing writes.
  int at_rest(Value v) const {
    v = seen(graph_, v);
    const OperationInfo* const by = maker(graph_, v);
    if (reading_.size(v) == 1 || by == nullptr || by->kind != OperationKind::pure) return 0;
    std::vector<int> in;
    for (const Input& i : by->inputs) in.push_back(at_rest(i.value));
    const auto k = std::find(by->outputs.begin(), by->outputs.end(), v) - by->outputs.begin();
    return operations_.outcomes(at(graph_[v].producer), in).front().written[at(k)];
  }

  const FiniteReading& reading_;
  const KernelGraph& graph_;
  const KeyLayout& layout_;
  const FiniteLaws& laws_;
  const Operations& operations_;
  WorkLimit& work_;
  std::vector<KnownOutcomes<Number>> known_;
  Measure<Number> law_;
  Measure<Number> next_;
};

}  // namespace mixwell::worlds
