// Computes the exact distribution of the state of one finite world after each sweep.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worlds/layout.hpp"
#include "worlds/operations.hpp"

#include <mixwell/lab/worlds.hpp>

#include <cmath>
#include <limits>

namespace mixwell::worlds {

/// Weights by key; each key occurs once.
template <class Number>
class Measure {
 public:
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
  const std::vector<std::pair<StateKey, Number>>& entries() const { return entries_; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t& find(StateKey key) {
    std::size_t k = static_cast<std::size_t>(mixed(key)) & (slots_.size() - 1);
    while (slots_[k] != none && entries_[slots_[k]].first != key) k = (k + 1) & (slots_.size() - 1);
    return slots_[k];
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), none);
    for (std::size_t e = 0; e < entries_.size(); ++e)
      find(entries_[e].first) = static_cast<std::uint32_t>(e);
  }

  std::vector<std::pair<StateKey, Number>> entries_;
  std::vector<std::uint32_t> slots_;
};

/// A limit on the number of weights that are moved. Unlike a time limit, this limit is the same on
/// every machine.
struct WorkLimit {
  struct Spent : NoReading {
    Spent() : NoReading("the exact distribution in one finite world takes too long to compute") {}
  };
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t used = 0;

  void take(std::size_t weights) {
    used += static_cast<std::int64_t>(weights);
    if (used > most) throw Spent();
  }
};

/// Possible values of some bits of a key, with their probabilities.
template <class Number>
using WeightedBits = std::vector<std::pair<StateKey, Number>>;

/// The outcomes of one operation, by the bits that it reads. Computed on demand.
template <class Number>
using KnownOutcomes = std::map<StateKey, WeightedBits<Number>>;

/// The law of some slots. A state is their values in mixed radix.
template <class Number>
struct SlotsLaw {
  std::vector<Variable> slots;
  std::map<int, Number> law;
};

/// The largest difference between a law and the target.
struct Difference {
  std::size_t law = 0;  ///< index among the laws that are compared
  int state = 0;
  double size = 0.0;
};

/// One finite world. Slots start with the law of the target, carried auxiliaries with their own
/// laws, and everything else at 0.
template <class Number>
class World {
 public:
  World(const FiniteReading& reading, const KeyLayout& layout, std::uint64_t seed, WorkLimit& work)
      : reading_(reading),
        graph_(reading.graph()),
        layout_(layout),
        laws_(reading, mixed(seed)),
        seed_(mixed(seed, 2)),
        work_(work),
        known_(layout.steps.size()) {
    begin();
  }

  const Measure<Number>& law() const { return law_; }
  /// The outcomes that were computed so far, for each step of the layout.
  const std::vector<KnownOutcomes<Number>>& known() const { return known_; }

  void sweep() {
    for (std::size_t k = 0; k < layout_.steps.size(); ++k) apply(layout_.steps[k], known_[k]);
    next_.clear();
    for (const auto& [key, weight] : law_.entries()) {
      StateKey next = 0;
      for (const auto& [from, to] : layout_.carried) next |= to.with(from.value(key));
      next_.add(next, weight);
    }
    std::swap(law_, next_);
  }

  /// Runs sweeps until one of them leaves the target. `joint`: compare the joint law of all
  /// recorded slots. To first order, only one sweep is run.
  std::optional<Departure> departure(int sweeps, bool joint) {
    const auto targets = compared(joint);
    come_to_rest();
    const int last = is_first_order<Number> ? 1 : sweeps;
    for (int n = 1; n <= last; ++n) {
      sweep();
      if (const auto now = difference(targets))
        return Departure{0, reading_.sizes().place, n, now->size};
    }
    return std::nullopt;
  }

  /// To first order only: runs sweeps in which slots do not move, until the histories are at rest.
  void come_to_rest() {
    if constexpr (is_first_order<Number>) {
      if (is_moved_otherwise(graph_))
        throw NoReading("some updates of slots are not small steps (`local` moves)");
      for (int n = 0; n < sweeps_to_rest; ++n) sweep();
      next_.clear();
      for (const auto& [key, weight] : law_.entries()) next_.add(key, Number(weight.value()));
      std::swap(law_, next_);
    }
  }

  /// The laws that must stay unchanged: the joint law of all recorded slots, or one law for the
  /// slots of each factor.
  std::vector<SlotsLaw<Number>> compared(bool joint) const {
    const auto recorded = recorded_slots(graph_);
    if (joint) return {{recorded, marginal(recorded)}};
    std::vector<SlotsLaw<Number>> all;
    for (const Factor& f : graph_.factors()) {
      std::vector<Variable> part;
      std::ranges::copy_if(f.slots, std::back_inserter(part),
                           [&](Variable v) { return contains(recorded, v); });
      if (!part.empty()) all.push_back({part, marginal(part)});
    }
    return all;
  }

  std::optional<Difference> difference(const std::vector<SlotsLaw<Number>>& targets) const {
    for (std::size_t k = 0; k < targets.size(); ++k) {
      std::optional<Difference> found;
      auto now = marginal(targets[k].slots);
      for (const auto& [state, wanted] : targets[k].law) {
        const Number is = now[state];
        const double size = std::abs(is.real() - wanted.real());
        if (!(is == wanted) && (!found || size > found->size)) found = Difference{k, state, size};
      }
      if (found) return found;
    }
    return std::nullopt;
  }

  std::map<int, Number> marginal(const std::vector<Variable>& slots) const {
    std::map<int, Number> sums;
    for (const auto& [key, weight] : law_.entries()) {
      int state = 0;
      for (std::size_t k = slots.size(); k-- > 0;)
        state = state * reading_.size(slots[k]) + layout_.at_start(slots[k]).value(key);
      sums[state] += weight;
    }
    return sums;
  }

 private:
  static constexpr std::size_t work_of_table = 50;  ///< of one table row, in moved weights
  static constexpr int sweeps_to_rest = 8;

  void apply(const KeyStep& step, KnownOutcomes<Number>& known) {
    next_.clear();
    const bool guarded = static_cast<bool>(graph_.operations()[step.operation].guard);
    for (const auto& [key, weight] : law_.entries()) {
      StateKey rest = key & step.kept;
      if (guarded && step.choice.value(key) != step.branch) {
        for (std::size_t k = 0; k < step.out.size(); ++k)
          rest |= step.out[k].with(step.otherwise[k].value(key));
        next_.add(rest, weight);
        continue;
      }
      auto& outcomes = known[key & step.reads];
      if (outcomes.empty()) outcomes = asked(step, key);
      for (const auto& [bits, share] : outcomes)
        next_.add(rest | bits, outcomes.size() == 1 ? weight : weight * share);
    }
    work_.take(law_.entries().size() + next_.entries().size());
    std::swap(law_, next_);
    if (law_.entries().size() > most_states) throw NoReading("the composition has too many states");
  }

  TableOutcomes outcomes(std::size_t operation, const std::vector<int>& in) const {
    return worlds::outcomes({reading_, laws_, graph_.operations()[operation],
                             reading_.edges(operation),
                             mixed(seed_, reading_.function_of(operation)), in});
  }

  WeightedBits<Number> asked(const KeyStep& step, StateKey key) const {
    work_.take(work_of_table);
    std::vector<int> in;
    for (const KeyBits& cell : step.in) in.push_back(cell.value(key));
    Measure<Number> written;
    for (const TableOutcome& one : outcomes(step.operation, in)) {
      if (one.term.small && !is_first_order<Number>)
        throw NoReading("`" + graph_.operations()[step.operation].name +
                        "` moves without a Metropolis decision");
      StateKey bits = 0;
      for (std::size_t k = 0; k < step.out.size(); ++k) bits |= step.out[k].with(one.written[k]);
      written.add(bits, Number(one.term));
    }
    return written.entries();
  }

  void begin() {
    law_.add(0, Number(Term{}));
    for (const std::vector<Variable>& slots : joint_slots(graph_)) begin_group(slots);
    for (const Variable v : all_variables(graph_)) {
      if (!layout_.carries[index(v)] || reading_.size(v) == 1) continue;
      if (graph_[v].kind == VariableKind::estimate) begin_estimate(v);
      if (graph_[v].kind == VariableKind::auxiliary) begin_auxiliary(v);
    }
  }

  /// Extends every state by some values. The probabilities of these values may depend on the state.
  template <class Follow>
  void extend(const Follow& follow) {
    next_.clear();
    for (const auto& [key, weight] : law_.entries()) {
      for (const auto& [bits, share] : follow(key)) next_.add(key | bits, weight * share);
    }
    std::swap(law_, next_);
    if (law_.entries().size() > most_states) throw NoReading("the composition has too many slots");
  }

  /// The values of a variable at the start of a sweep, with the given shares.
  WeightedBits<Number> placed(Variable v, const std::vector<Share>& shares) const {
    WeightedBits<Number> all;
    for (std::size_t x = 0; x < shares.size(); ++x)
      all.emplace_back(layout_.at_start(v).with(static_cast<int>(x)), Number(Term{shares[x]}));
    return all;
  }

  void begin_group(const std::vector<Variable>& slots) {
    Radix radix;
    for (const Variable v : slots) radix.sizes.push_back(reading_.size(v));
    std::vector<std::uint64_t> weights;
    WeightedBits<Number> all;
    for (int n = 0; n < radix.total(); ++n) {
      SlotPlaces where = laws_.nowhere();
      const std::vector<int> digits = radix.digits(n);
      StateKey bits = 0;
      for (std::size_t k = 0; k < slots.size(); ++k) {
        where[at(slots[k].id)] = digits[k];
        bits |= layout_.at_start(slots[k]).with(digits[k]);
      }
      weights.push_back(laws_.target(where));
      all.emplace_back(bits, Number());
    }
    const std::vector<Share> shares = by_weight(weights);
    for (std::size_t n = 0; n < all.size(); ++n) all[n].second = Number(Term{shares[n]});
    extend([&](StateKey) -> const auto& { return all; });
  }

  /// Starts the draws from which an estimate is made, given the slot of the estimate.
  void begin_estimate(Variable v) {
    const Variable slot = graph_[v].parts.front();
    for (const Factor& f : graph_.factors()) {
      if (!reading_.law(f.law).estimated || !(f.slots.front() == slot)) continue;
      extend([&](StateKey key) {
        const auto where = laws_.only(slot, layout_.at_start(slot).value(key));
        std::vector<Share> all;
        for (int z = 0; z < reading_.size(v); ++z)
          all.push_back({laws_.estimate(f.law, z, where), laws_.target(f, where)});
        return placed(v, all);
      });
    }
  }

  /// Starts an auxiliary from its first law, with all values on which this law depends at rest. If
  /// it has no law, all values are equally likely.
  void begin_auxiliary(Variable v) {
    std::vector<std::uint64_t> weights(at(reading_.size(v)), 1);
    for (const Value law : all_values(graph_)) {
      if (!reading_.is_law_of(law, v)) continue;
      for (std::size_t x = 0; x < weights.size(); ++x)
        weights[x] = laws_.weight(law, at_rest(law), laws_.only(v, static_cast<int>(x)));
      break;
    }
    const auto all = placed(v, by_weight(weights));
    extend([&](StateKey) -> const auto& { return all; });
  }

  /// A value at rest: the value if all versions are 0, as are histories that nothing writes.
  int at_rest(Value v) const {
    v = seen(graph_, v);
    const OperationInfo* const by = maker(graph_, v);
    if (reading_.size(v) == 1 || by == nullptr || by->kind != OperationKind::pure) return 0;
    std::vector<int> in;
    for (const Input& i : by->inputs) in.push_back(at_rest(i.value));
    return outcomes(at(graph_[v].producer), in).front().written[place_among_outputs(graph_, v)];
  }

  const FiniteReading& reading_;
  const KernelGraph& graph_;
  const KeyLayout& layout_;
  FiniteLaws laws_;
  std::uint64_t seed_;
  WorkLimit& work_;
  std::vector<KnownOutcomes<Number>> known_;
  Measure<Number> law_;
  Measure<Number> next_;
};

/// Throws NoReading.
MIXWELL_INTERNAL FiniteReadingResult read_with(const FiniteReading& reading,
                                               const KeyLayout& layout, const WorldsEffort& effort,
                                               bool is_smallest, WorkLimit& work);
/// Smallest sizes first.
MIXWELL_INTERNAL std::vector<Sizes> all_sizes(const WorldsEffort& effort);

}  // namespace mixwell::worlds
