// The weights of the laws of a graph in one world.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/finite_laws.hpp"

#include "worlds/chance.hpp"

#include <algorithm>

namespace mixwell::worlds {

std::uint64_t FiniteLaws::entry(std::uint64_t table, const Factor& factor, int term,
                                const SlotPlaces& at) const {
  std::uint64_t place = mixed(mixed(seed_, table), static_cast<std::uint64_t>(term + 1));
  for (const Variable v : factor.slots) {
    const auto where = at.find(v.id);
    if (where == at.end()) {
      throw NoReading("an update of one slot reads the law of `" + reading_.graph()[v].name +
                      "` too");
    }
    place = mixed(place, static_cast<std::uint64_t>(where->second + 31 * (v.id + 1)));
  }
  return 1 + (place >> 20) % 5;
}

std::uint64_t FiniteLaws::target(const Factor& factor, const SlotPlaces& at) const {
  const LawReading& law = reading_.law(factor.law);
  if (!law.estimated) return entry(law.table, factor, 0, at);
  std::uint64_t sum = 0;
  for (int term = 0; term < reading_.sizes().draws; ++term)
    sum += entry(law.table, factor, term + 1, at);
  return sum;
}

namespace {

/// Of factors with this law those of which some slot has a place.
template <class Visit>
void each_factor(const KernelGraph& graph, Value law, const SlotPlaces& at, const Visit& visit) {
  for (const Factor& f : graph.factors()) {
    if (!(f.law == law)) continue;
    const bool concerned =
        std::any_of(f.slots.begin(), f.slots.end(), [&](Variable v) { return at.contains(v.id); });
    if (concerned) visit(f);
  }
}

}  // namespace

std::uint64_t FiniteLaws::of_factors(Value law, const SlotPlaces& at) const {
  std::uint64_t product = 1;
  each_factor(reading_.graph(), law, at, [&](const Factor& f) { product *= target(f, at); });
  return product;
}

std::uint64_t FiniteLaws::estimate(Value factor, int from, const SlotPlaces& at) const {
  std::uint64_t product = 1;
  each_factor(reading_.graph(), factor, at, [&](const Factor& f) {
    product *= entry(reading_.law(factor).table, f, from + 1, at);
  });
  return product;
}

FiniteLaws::Told FiniteLaws::told(Value law, const LawReading& of, int number) const {
  const KernelGraph& graph = reading_.graph();
  Told all;
  if (graph[law].storage) all.before = number;
  for (const Value digit : reading_.digits(law)) {
    const int value = number % reading_.size(digit);
    number /= reading_.size(digit);
    const Value v = seen(graph, digit);
    if (digit == of.before) {
      all.before = value;
    } else if (graph[v].kind == ValueKind::version) {
      for (const auto& [slot, place] : reading_.split(graph[v].variable, value))
        all.at.emplace(slot.id, place);
    }
  }
  return all;
}

std::uint64_t FiniteLaws::summed(const LawReading& of, int before, const SlotPlaces& at) const {
  const KernelGraph& graph = reading_.graph();
  const Value factor = factor_behind(graph, of.before);
  std::vector<Variable> missing;
  Radix radix;
  each_factor(graph, factor, at, [&](const Factor& f) {
    for (const Variable v : f.slots) {
      if (at.contains(v.id)) continue;
      missing.push_back(v);
      radix.sizes.push_back(reading_.size(v));
    }
  });
  std::uint64_t sum = 0;
  for (int k = 0; k < radix.total(); ++k) {
    SlotPlaces whole = at;
    const std::vector<int> digits = radix.digits(k);
    for (std::size_t i = 0; i < missing.size(); ++i) whole[missing[i].id] = digits[i];
    sum += weight(of.before, before, whole);
  }
  return sum;
}

/// Units are given out in pairs, to both mirror images where the law is symmetric.
std::uint64_t FiniteLaws::free(const LawReading& of, int number, const SlotPlaces& where) const {
  Radix radix;
  std::vector<int> digits;
  for (const Variable v : of.arguments) {
    radix.sizes.push_back(reading_.size(v));
    const auto place = where.find(v.id);
    if (place == where.end())
      throw NoReading("an update reads a law of `" + reading_.graph()[v].name +
                      "`, which it does not move");
    digits.push_back(place->second);
  }
  const int n = radix.total();
  const int x = radix.number(digits);
  std::uint64_t arguments = 0;
  for (const Variable v : of.arguments)
    arguments = mixed(arguments, static_cast<std::uint64_t>(v.id));
  Chance chance(
      mixed(mixed(mixed(seed_, of.table), arguments), static_cast<std::uint64_t>(number + 1)));
  std::uint64_t weight = 1;
  for (int unit = 0; unit < n; ++unit) {
    const int one = chance.below(n);
    const int other = of.symmetric ? n - 1 - one : chance.below(n);
    weight += static_cast<std::uint64_t>((one == x) + (other == x));
  }
  return weight;
}

bool FiniteLaws::concerns(Value law, const SlotPlaces& at) const {
  const auto& of = reading_.law(law).arguments;
  return std::all_of(of.begin(), of.end(), [&](Variable v) { return at.contains(v.id); });
}

std::uint64_t FiniteLaws::weight(Value law, int number, const SlotPlaces& at) const {
  const LawReading& of = reading_.law(law);
  if (of.kind == LawKind::factor) return of_factors(law, at);
  if (of.kind == LawKind::free) return free(of, number, at);
  if (of.kind == LawKind::estimate)
    return estimate(factor_behind(reading_.graph(), of.before), number, at);
  Told all = told(law, of, number);
  for (const auto& [slot, place] : at)
    all.at[slot] = place;  // a place that is asked for comes first
  if (of.kind == LawKind::marginal) return summed(of, all.before, all.at);
  return weight(of.before, all.before, all.at);
}

}  // namespace mixwell::worlds
