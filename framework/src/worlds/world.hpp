// One world of a graph, and how it differs from the target.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worlds/evolution.hpp"

#include <mixwell/lab/worlds.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace mixwell::worlds {

/// Where a law differs most from the target.
struct Difference {
  std::vector<Variable> slots;
  int state = 0;
  double size = 0.0;
};

template <class Number>
class World {
 public:
  World(const FiniteReading& reading, const KeyLayout& layout, std::uint64_t seed, WorkLimit& work)
      : reading_(reading),
        laws_(reading, mixed(seed)),
        operations_(reading, laws_, mixed(seed, 2)),
        evolution_(reading, layout, laws_, operations_, work) {}

  Evolution<Number>& evolution() { return evolution_; }
  const FiniteLaws& laws() const { return laws_; }

  /// After the first sweep that leaves the target; joint: the law of all recorded slots together.
  /// To first order, registers come to rest while slots stand still; then there is one sweep.
  std::optional<Departure> departure(int sweeps, bool joint) {
    const auto targets = marginals(joint);
    if constexpr (is_first_order<Number>) {
      come_to_rest();
      sweeps = 1;
    }
    for (int n = 1; n <= sweeps; ++n) {
      evolution_.sweep();
      const auto now = difference(targets);
      if (now) return Departure{0, reading_.sizes().place, n, now->size};
    }
    return std::nullopt;
  }
  void come_to_rest() {
    if (is_moved_otherwise(reading_.graph())) throw NoReading("not every update is a small step");
    for (int n = 0; n < sweeps_to_rest; ++n) evolution_.sweep();
    evolution_.change([](const Number& weight) { return weight.without_slope(); });
  }

  using Marginals = std::vector<std::pair<std::vector<Variable>, std::map<int, Number>>>;
  Marginals marginals(bool joint) const {
    Marginals all;
    for (const auto& slots : compared(joint)) all.emplace_back(slots, evolution_.marginal(slots));
    return all;
  }
  std::optional<Difference> difference(const Marginals& targets) const {
    for (const auto& [slots, target] : targets) {
      const auto found = largest(slots, target, evolution_.marginal(slots));
      if (found) return found;
    }
    return std::nullopt;
  }

 private:
  static constexpr int sweeps_to_rest = 8;

  std::vector<std::vector<Variable>> compared(bool joint) const {
    const auto recorded = recorded_slots(reading_.graph());
    if (joint) return {recorded};
    std::vector<std::vector<Variable>> all;
    for (const Factor& f : reading_.graph().factors()) {
      std::vector<Variable> part;
      for (const Variable v : f.slots) {
        if (std::find(recorded.begin(), recorded.end(), v) != recorded.end()) part.push_back(v);
      }
      if (!part.empty()) all.push_back(std::move(part));
    }
    return all;
  }

  static std::optional<Difference> largest(const std::vector<Variable>& slots,
                                           const std::map<int, Number>& target,
                                           const std::map<int, Number>& now) {
    std::optional<Difference> found;
    for (const auto& [state, wanted] : target) {
      const auto here = now.find(state);
      const Number is = here == now.end() ? Number() : here->second;
      if (is == wanted) continue;
      const double size = std::abs(is.real() - wanted.real());
      if (!found || size > found->size) found = Difference{slots, state, size};
    }
    return found;
  }

  const FiniteReading& reading_;
  FiniteLaws laws_;
  Operations operations_;
  Evolution<Number> evolution_;
};

/// The smallest sizes first.
inline std::vector<Sizes> all_sizes(const WorldsEffort& effort) {
  std::vector<Sizes> all{{.place = 2, .momentum = 2}, {.place = 2}, {}};
  for (Sizes& one : all) {
    if (effort.frozen) one.memory = 1;  // a constant
  }
  return all;
}

}  // namespace mixwell::worlds
