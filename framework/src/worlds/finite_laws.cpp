// Computes the weight of each state under the laws of a graph, in one finite world.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/reading.hpp"

namespace mixwell::worlds {

void FiniteLaws::place(SlotPlaces& where, Variable v, int value) const {
  for (const auto& [member, digit] : reading_.split(v, value)) where[at(member.id)] = digit;
}

SlotPlaces FiniteLaws::only(Variable v, int value) const {
  SlotPlaces where = nowhere();
  place(where, v, value);
  return where;
}

std::uint64_t FiniteLaws::entry(std::uint64_t table, const Factor& factor, int term,
                                const SlotPlaces& where) const {
  std::uint64_t place = mixed(mixed(seed_, table), at(term + 1));
  for (const Variable v : factor.slots) {
    if (where[at(v.id)] < 0) {
      throw NoReading("an update of one slot also reads the law of another slot, `" +
                      reading_.graph()[v].name + "`");
    }
    place = mixed(place, at(where[at(v.id)] + 31 * (v.id + 1)));
  }
  return 1 + (place >> 20) % 5;
}

std::uint64_t FiniteLaws::target(const Factor& factor, const SlotPlaces& where) const {
  const LawReading& law = reading_.law(factor.law);
  if (!law.estimated) return entry(law.table, factor, 0, where);
  std::uint64_t sum = 0;
  for (int term = 0; term < reading_.sizes().draws; ++term)
    sum += entry(law.table, factor, term + 1, where);
  return sum;
}

std::uint64_t FiniteLaws::target(const SlotPlaces& where) const {
  std::uint64_t product = 1;
  for (const Factor& f : reading_.graph().factors()) {
    if (where[at(f.slots.front().id)] >= 0) product *= target(f, where);
  }
  return product;
}

namespace {

/// Visits the factors that have this law and a slot with a place in `where`.
template <class Visit>
void each_factor(const KernelGraph& graph, Value law, const SlotPlaces& where, const Visit& visit) {
  for (const Factor& f : graph.factors()) {
    if (!(f.law == law)) continue;
    if (std::ranges::any_of(f.slots, [&](Variable v) { return where[at(v.id)] >= 0; })) visit(f);
  }
}

}  // namespace

std::uint64_t FiniteLaws::of_factors(Value law, const SlotPlaces& where) const {
  std::uint64_t product = 1;
  each_factor(reading_.graph(), law, where, [&](const Factor& f) { product *= target(f, where); });
  return product;
}

std::uint64_t FiniteLaws::estimate(Value factor, int from, const SlotPlaces& where) const {
  std::uint64_t product = 1;
  each_factor(reading_.graph(), factor, where, [&](const Factor& f) {
    product *= entry(reading_.law(factor).table, f, from + 1, where);
  });
  return product;
}

std::uint64_t FiniteLaws::summed(const LawReading& of, int before, const SlotPlaces& where) const {
  std::vector<Variable> missing;
  Radix radix;
  each_factor(reading_.graph(), of.factor, where, [&](const Factor& f) {
    for (const Variable v : f.slots) {
      if (where[at(v.id)] >= 0) continue;
      missing.push_back(v);
      radix.sizes.push_back(reading_.size(v));
    }
  });
  std::uint64_t sum = 0;
  for (int k = 0; k < radix.total(); ++k) {
    SlotPlaces whole = where;
    const std::vector<int> digits = radix.digits(k);
    for (std::size_t i = 0; i < missing.size(); ++i) whole[at(missing[i].id)] = digits[i];
    sum += weight(of.before, before, whole);
  }
  return sum;
}

/// The weight of a free law. Units of weight are distributed in pairs. If the law is symmetric, the
/// two units of a pair go to mirror images.
std::uint64_t FiniteLaws::free(const LawReading& of, int number, const SlotPlaces& where) const {
  Radix radix;
  std::vector<int> digits;
  std::uint64_t arguments = 0;
  for (const Variable v : of.arguments) {
    if (where[at(v.id)] < 0)
      throw NoReading("an update reads a law of `" + reading_.graph()[v].name +
                      "`, which this update does not move");
    radix.sizes.push_back(reading_.size(v));
    digits.push_back(where[at(v.id)]);
    arguments = mixed(arguments, at(v.id));
  }
  const int n = radix.total();
  const int x = radix.number(digits);
  Chance chance(mixed(mixed(mixed(seed_, of.table), arguments), at(number + 1)));
  std::uint64_t weight = 1;
  for (int unit = 0; unit < n; ++unit) {
    const int one = chance.below(n);
    const int other = of.symmetric ? n - 1 - one : chance.below(n);
    weight += static_cast<std::uint64_t>((one == x) + (other == x));
  }
  return weight;
}

bool FiniteLaws::concerns(Value law, const SlotPlaces& where) const {
  const auto& of = reading_.law(law).arguments;
  return std::ranges::all_of(of, [&](Variable v) { return where[at(v.id)] >= 0; });
}

/// The digits of a law's number give the places of slots that are not in `where`.
std::uint64_t FiniteLaws::weight(Value law, int number, const SlotPlaces& where) const {
  const KernelGraph& graph = reading_.graph();
  const LawReading& of = reading_.law(law);
  if (of.kind == LawKind::factor) return of_factors(law, where);
  if (of.kind == LawKind::free) return free(of, number, where);
  if (of.kind == LawKind::estimate) return estimate(of.factor, number, where);
  SlotPlaces all = where;
  int before = graph[law].storage ? number : 0;
  const LawDigits& digits = reading_.digits(law);
  const std::vector<int> values = digits.radix.digits(number);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const ValueInfo& told = graph[seen(graph, digits.values[k])];
    if (digits.values[k] == of.before) {
      before = values[k];
    } else if (told.kind == ValueKind::version) {
      for (const auto& [slot, place] : reading_.split(told.variable, values[k]))
        all[at(slot.id)] = all[at(slot.id)] < 0 ? place : all[at(slot.id)];
    }
  }
  return of.kind == LawKind::marginal ? summed(of, before, all) : weight(of.before, before, all);
}

}  // namespace mixwell::worlds
