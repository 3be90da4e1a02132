// The smallest world that leaves the target, recomputed with rational numbers.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/world.hpp"

#include <mixwell/lab/worlds.hpp>

#include <boost/multiprecision/cpp_int.hpp>

#include <string>

namespace mixwell {
namespace {

using namespace worlds;

/// A rational number.
class Fraction {
 public:
  Fraction() = default;
  explicit Fraction(const Term& t) : value_(t.share.part, t.share.of) {}
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

class Account {
 public:
  Account(const FiniteReading& reading, const KeyLayout& layout, std::uint64_t seed)
      : reading_(reading),
        graph_(reading.graph()),
        layout_(layout),
        world_(reading, layout, seed) {}

  CounterExample of(const Departure& departure, bool joint) {
    CounterExample all;
    all.departure = departure;
    const auto targets = world_.marginals(joint);
    for (int n = 0; n < departure.sweep; ++n) world_.evolution().sweep();
    const auto found = world_.difference(targets);
    if (!found) throw std::logic_error("rational numbers do not confirm a departure");
    Radix radix;
    for (const Variable v : found->slots) {
      all.slots.push_back(graph_[v].name);
      radix.sizes.push_back(reading_.size(v));
    }
    all.sizes = radix.sizes;
    all.state = radix.digits(found->state);
    for (const auto& [slots, target] : targets) {
      if (slots == found->slots) all.expected = target.at(found->state).text();
    }
    all.found = world_.evolution().marginal(found->slots)[found->state].text();
    for (const Factor& f : graph_.factors()) all.weights.push_back(weights(f));
    for (std::size_t k = 0; k < layout_.steps().size(); ++k) {
      all.operations.push_back(table(layout_.steps()[k], world_.evolution().known()[k]));
    }
    return all;
  }

 private:
  WorldTable weights(const Factor& factor) const {
    WorldTable table;
    table.name = graph_[factor.law].name;
    Radix radix;
    for (const Variable v : factor.slots) {
      table.inputs.push_back(graph_[v].name);
      radix.sizes.push_back(reading_.size(v));
    }
    for (int n = 0; n < radix.total(); ++n) {
      const std::vector<int> digits = radix.digits(n);
      SlotPlaces where;
      for (std::size_t k = 0; k < digits.size(); ++k) where[factor.slots[k].id] = digits[k];
      table.rows.push_back({digits, {}, std::to_string(world_.laws().target(factor, where))});
    }
    return table;
  }

  static std::vector<std::size_t> with_bits(const std::vector<KeyBits>& cells) {
    std::vector<std::size_t> all;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (cells[k].bits > 0) all.push_back(k);
    }
    return all;
  }
  static std::vector<int> values(const std::vector<KeyBits>& cells,
                                 const std::vector<std::size_t>& which, StateKey key) {
    std::vector<int> all;
    for (const std::size_t k : which) all.push_back(cells[k].value(key));
    return all;
  }

  /// Inputs and outputs of one value are left out.
  WorldTable table(const KeyStep& step, const KnownOutcomes<Fraction>& known) const {
    const OperationInfo& who = graph_.operations()[step.operation];
    const auto in = with_bits(step.in);
    const auto out = with_bits(step.out);
    WorldTable all;
    all.name = who.name;
    for (const std::size_t k : in) all.inputs.push_back(graph_[who.inputs[k].value].name);
    for (const std::size_t k : out) all.outputs.push_back(graph_[who.outputs[k]].name);
    for (const auto& [key, outcomes] : known) {
      for (const auto& [bits, share] : outcomes) {
        all.rows.push_back({values(step.in, in, key), values(step.out, out, bits), share.text()});
      }
    }
    return all;
  }

  const FiniteReading& reading_;
  const KernelGraph& graph_;
  const KeyLayout& layout_;
  World<Fraction> world_;
};

std::optional<CounterExample> smallest(const KernelGraph& graph, const WorldsEffort& effort,
                                       int places) try {
  Sizes sizes;
  sizes.place = places;
  const FiniteReading reading(graph, sizes);
  const KeyLayout layout(reading);
  for (int k = 0; k < effort.worlds; ++k) {
    const std::uint64_t seed = effort.first + static_cast<std::uint64_t>(k);
    auto departure = World<Exact>(reading, layout, seed).departure(effort.sweeps, effort.joint);
    if (!departure) continue;
    departure->world = seed;
    return Account(reading, layout, seed).of(*departure, effort.joint);
  }
  return std::nullopt;
} catch (const NoReading&) {
  return std::nullopt;
}

}  // namespace

std::optional<CounterExample> counter_example(const KernelGraph& graph,
                                              const WorldsEffort& effort) {
  for (const int places : {2, 3}) {
    if (auto found = smallest(graph, effort, places)) return found;
  }
  return std::nullopt;
}

}  // namespace mixwell
