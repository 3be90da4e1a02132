// Finds the smallest finite world in which the distribution of the slots departs from the target.
// SPDX-License-Identifier: Apache-2.0
#include "counterexample/counter_example.hpp"

#include "worlds/world.hpp"

#include <boost/multiprecision/cpp_int.hpp>

namespace mixwell {
namespace {

using namespace worlds;

/// A rational number.
class Fraction {
 public:
  Fraction() = default;
  explicit Fraction(const Term& t) : value_(t.share.part, t.share.of) {
    if (t.minus) value_ = -value_;
  }
  Fraction& operator+=(const Fraction& other) {
    value_ += other.value_;
    return *this;
  }
  friend Fraction operator*(const Fraction& a, const Fraction& b) {
    Fraction c;
    c.value_ = a.value_ * b.value_;
    return c;
  }
  friend bool operator==(const Fraction& a, const Fraction& b) { return a.value_ == b.value_; }
  double real() const { return value_.convert_to<double>(); }
  std::string text() const { return value_.str(); }

 private:
  boost::multiprecision::cpp_rational value_;
};

std::string text_of(const Fraction& number) { return number.text(); }
std::string text_of(const FirstOrder<Fraction>& number) {
  if (number.slope() == Fraction()) return number.value().text();
  return number.value().text() + " + " + number.slope().text() + " eps";
}

std::vector<int> values(const std::vector<KeyBits>& cells, StateKey key) {
  std::vector<int> all;
  for (const KeyBits& cell : cells) {
    if (cell.bits > 0) all.push_back(cell.value(key));
  }
  return all;
}

std::vector<KeyBits> each_once(const std::vector<KeyBits>& cells) {
  std::vector<KeyBits> all;
  for (const KeyBits& cell : cells) {
    const auto is_its = [&](const KeyBits& other) { return other.mask() == cell.mask(); };
    if (std::ranges::none_of(all, is_its)) all.push_back(cell);
  }
  return all;
}

/// Names of values, by the cells that hold the values. A value of several numbers has one name in
/// each of its cells.
class CellNames {
 public:
  void put(KeyBits cell, const std::string& name) {
    if (cell.bits > 0) names_[cell.shift] = {cell, name};
  }
  std::string at(KeyBits cell) const {
    return cell.bits == 0 ? std::string() : names_.at(cell.shift).second;
  }
  std::vector<std::string> at(const std::vector<KeyBits>& cells) const {
    std::vector<std::string> all;
    for (const KeyBits& cell : cells) {
      if (cell.bits > 0) all.push_back(at(cell));
    }
    return all;
  }
  /// Removes the names of values outside these bits and returns them.
  std::vector<std::string> keep(StateKey bits) {
    std::vector<std::string> gone;
    for (auto one = names_.begin(); one != names_.end();) {
      const bool stays = (one->second.first.mask() & ~bits) == 0;
      if (!stays) gone.push_back(one->second.second);
      one = stays ? std::next(one) : names_.erase(one);
    }
    return gone;
  }
  std::vector<KeyBits> cells() const {
    std::vector<KeyBits> all;
    for (const auto& [shift, one] : names_) all.push_back(one.first);
    return all;
  }

 private:
  std::map<int, std::pair<KeyBits, std::string>> names_;
};

template <class Number>
class Account {
 public:
  Account(const FiniteReading& reading, const KeyLayout& layout, std::uint64_t seed)
      : reading_(reading),
        graph_(reading.graph()),
        layout_(layout),
        world_(reading, layout, seed, work_) {
    for (std::size_t k = 0; k < graph_.variables().size(); ++k) {
      if (layout.carries[k])
        names_.put(layout.start[k], graph_[graph_.variables()[k].carried].name);
    }
  }

  CounterExample of(const Departure& departure, bool joint) {
    CounterExample all;
    all.departure = departure;
    all.first_order = is_first_order<Number>;
    const auto targets = world_.compared(joint);
    world_.come_to_rest();
    const Measure<Number> start = world_.law();
    for (int n = 0; n < departure.sweep; ++n) world_.sweep();
    add_difference(targets, all);
    add_operations(all);
    add_start(start, all);
    return all;
  }

 private:
  void add_difference(const std::vector<SlotsLaw<Number>>& targets, CounterExample& all) const {
    const auto found = world_.difference(targets);
    if (!found)
      throw std::logic_error(
          "the recomputation in rational arithmetic does not confirm that the distribution in this "
          "finite world departs from the target");
    const auto& [slots, target] = targets[found->law];
    Radix radix;
    for (const Variable v : slots) {
      all.slots.push_back(graph_[v].name);
      radix.sizes.push_back(reading_.size(v));
    }
    all.sizes = radix.sizes;
    all.state = radix.digits(found->state);
    all.expected = text_of(target.at(found->state));
    all.found = text_of(world_.marginal(slots)[found->state]);
  }

  void add_operations(CounterExample& all) {
    for (const auto& [from, to] : layout_.kept_by_guards)
      names_.put(to, graph_[Value{from}].name + " before");
    const CellNames at_start = names_;
    for (std::size_t k = 0; k < layout_.steps.size(); ++k) {
      WorldTable one = table(layout_.steps[k], world_.known()[k]);
      if (!one.outputs.empty() || !one.forgets.empty()) all.operations.push_back(std::move(one));
    }
    for (const auto& [from, to] : layout_.carried) {
      if (to.bits > 0) all.carried.emplace_back(at_start.at(to), names_.at(from));
    }
    names_ = at_start;
  }

  /// Leaves out inputs and outputs that have only one value, and repeated inputs.
  WorldTable table(const KeyStep& step, const KnownOutcomes<Number>& known) {
    const OperationInfo& who = graph_.operations()[step.operation];
    const std::vector<KeyBits> in = each_once(step.in);
    WorldTable all;
    all.name = who.name;
    all.inputs = names_.at(in);
    if (who.guard) {
      all.choice = names_.at(step.choice);
      all.branch = step.branch;
      for (std::size_t k = 0; k < step.out.size(); ++k) {
        if (step.out[k].bits > 0) all.otherwise.push_back(names_.at(step.otherwise[k]));
      }
    }
    for (const auto& [key, outcomes] : known) {
      for (const auto& [bits, share] : outcomes)
        all.rows.push_back({values(in, key), values(step.out, bits), text_of(share)});
    }
    all.forgets = names_.keep(step.kept);
    for (std::size_t k = 0; k < step.out.size(); ++k)
      names_.put(step.out[k], graph_[who.outputs[k]].name);
    all.outputs = names_.at(step.out);
    return all;
  }

  void add_start(const Measure<Number>& start, CounterExample& all) const {
    const auto cells = names_.cells();
    all.start.outputs = names_.at(cells);
    for (const auto& [key, weight] : start.entries())
      all.start.rows.push_back({{}, values(cells, key), text_of(weight)});
  }

  const FiniteReading& reading_;
  const KernelGraph& graph_;
  const KeyLayout& layout_;
  WorkLimit work_;
  World<Number> world_;
  CellNames names_;
};

std::optional<CounterExample> smallest(const KernelGraph& graph, const WorldsEffort& effort,
                                       const Sizes& sizes) try {
  const FiniteReading reading(graph, sizes);
  const KeyLayout layout = layout_of(reading);
  WorkLimit work;
  const auto departure = read_with(reading, layout, effort, true, work).departure;
  if (!departure) return std::nullopt;
  const auto account = [&](auto of) { return of.of(*departure, effort.joint); };
  return effort.first_order
             ? account(Account<FirstOrder<Fraction>>(reading, layout, departure->world))
             : account(Account<Fraction>(reading, layout, departure->world));
} catch (const NoReading&) {
  return std::nullopt;
}

}  // namespace

std::optional<CounterExample> counter_example(const KernelGraph& graph,
                                              const WorldsEffort& effort) {
  for (const Sizes& sizes : all_sizes(effort)) {
    if (auto found = smallest(graph, effort, sizes)) return found;
  }
  return std::nullopt;
}

}  // namespace mixwell
