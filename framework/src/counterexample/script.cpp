// Writes a counter-example as a Python script that recomputes it.
// SPDX-License-Identifier: Apache-2.0
#include "counterexample/counter_example.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

namespace mixwell {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

constexpr auto numbers = "number = Fraction\n";

constexpr auto numbers_of_first_order = R"(
class FirstOrder:
    """The number a + b eps, where eps is a small step size. Terms in eps^2 are dropped."""
    def __init__(self, a, b=0):
        self.a, self.b = Fraction(a), Fraction(b)

    def __add__(self, other):
        return FirstOrder(self.a + other.a, self.b + other.b)

    def __mul__(self, other):
        return FirstOrder(self.a * other.a, self.a * other.b + self.b * other.a)

    def __str__(self):
        return f"{self.a} + {self.b} eps" if self.b else str(self.a)


def number(share):
    return FirstOrder(*share.removesuffix(" eps").split(" + "))
)";

constexpr auto program = R"(
def add(law, state, probability):
    key = tuple(sorted(state.items()))
    law[key] = law[key] + probability if key in law else probability


def outcomes(step, state):
    name, inputs, outputs, forgets, branch, table = step
    if branch and state.get(branch[0], 0) != branch[1]:
        return {tuple(state.get(value, 0) for value in branch[2]): "1"}
    return table[tuple(state[value] for value in inputs)]


def after(step, law):
    result = {}
    for key, probability in law.items():
        state = dict(key)
        for places, share in outcomes(step, state).items():
            there = {value: place for value, place in state.items() if value not in step[3]}
            add(result, there | dict(zip(step[2], places)), probability * number(share))
    return result


def of_state(law):
    return sum((probability for key, probability in law.items()
                if all(dict(key)[slot] == place for slot, place in STATE.items())), number("0"))


law = {}
for places, weight in START.items():
    add(law, dict(zip(CARRIED, places)), number(f"{weight}/{sum(START.values())}"))
target = of_state(law)
for sweep in range(SWEEPS):
    for step in SWEEP:
        law = after(step, law)
    ends, law = law, {}
    for key, probability in ends.items():
        add(law, {start: dict(key)[end] for start, end in CARRIED.items()}, probability)
print("in the target:", target)
print("after the sweeps:", of_state(law))
)";

std::string python_text(const std::string& text) { return nlohmann::json(text).dump(); }

/// (), ("a",), ("a", "b")
template <class Word, class All>
std::string tuple_of(const All& all, const Word& word) {
  std::string text = "(";
  for (std::size_t k = 0; k < all.size(); ++k) text += (k > 0 ? ", " : "") + word(all[k]);
  return text + (all.size() == 1 ? ",)" : ")");
}
std::string tuple_of(const std::vector<std::string>& names) { return tuple_of(names, python_text); }
std::string tuple_of(const std::vector<int>& places) {
  return tuple_of(places, [](int place) { return std::to_string(place); });
}

std::string branch_of(const WorldTable& table) {
  if (table.otherwise.empty()) return "None";
  return fmt::format("({}, {}, {})", python_text(table.choice), table.branch,
                     tuple_of(table.otherwise));
}

std::string text_of(const WorldTable& table) {
  std::map<std::vector<int>, std::string> rows;
  for (const WorldRow& row : table.rows) {
    std::string& outcomes = rows[row.in];
    outcomes += fmt::format("{}{}: {}", outcomes.empty() ? "" : ", ", tuple_of(row.out),
                            python_text(row.share));
  }
  std::string text = fmt::format("    ({}, {}, {},\n     {}, {}, {{\n", python_text(table.name),
                                 tuple_of(table.inputs), tuple_of(table.outputs),
                                 tuple_of(table.forgets), branch_of(table));
  for (const auto& [in, outcomes] : rows)
    text += fmt::format("         {}: {{{}}},\n", tuple_of(in), outcomes);
  return text + "     }),\n";
}

/// The shares as whole numbers with the same ratios.
std::string weights_of(const std::vector<WorldRow>& rows) {
  cpp_int common = 1;
  for (const WorldRow& row : rows) common = lcm(common, denominator(cpp_rational(row.share)));
  std::string text;
  for (const WorldRow& row : rows) {
    const cpp_rational weight = cpp_rational(row.share) * common;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", tuple_of(row.out),
                        numerator(weight).str());
  }
  return text;
}

/// The values at the start of a sweep, in the order of `start`.
std::string carried_of(const CounterExample& example) {
  const std::map<std::string, std::string> ends(example.carried.begin(), example.carried.end());
  std::string text;
  for (const std::string& name : example.start.outputs)
    text += fmt::format("    {}: {},\n", python_text(name), python_text(ends.at(name)));
  return text;
}

std::string state_of(const CounterExample& example) {
  std::string text;
  for (std::size_t k = 0; k < example.slots.size(); ++k) {
    text += fmt::format("{}{}: {}", k > 0 ? ", " : "", python_text(example.slots[k] + "@0"),
                        example.state[k]);
  }
  return text;
}

}  // namespace

std::string state_in_words(const CounterExample& example) {
  std::string text;
  for (std::size_t k = 0; k < example.slots.size(); ++k)
    text += fmt::format("{}{} = {}", k > 0 ? ", " : "", example.slots[k], example.state[k]);
  return text;
}

std::string script_of(const CounterExample& example, const std::string& what) {
  std::string sweep;
  for (const WorldTable& table : example.operations) sweep += text_of(table);
  return fmt::format(
      "# {}: a finite world in which the distribution of the slots departs from the target.\n# "
      "Each slot has {} places (possible values). Each operation is replaced by a random table "
      "that satisfies the operation's declared traits.\n# `mixwell check --counterexample` wrote "
      "this script. It prints the exact probability of {} under the target and after the "
      "sweeps.\nfrom fractions import Fraction\n\n# Each value at the start of a sweep, and the "
      "value that replaces it at the end.\nCARRIED = {{\n{}}}\n# Weights before the first sweep. "
      "The slots have the weights of the target.\nSTART = {{{}}}\n# Operation, inputs, outputs, "
      "values that nothing reads any more, branch, and for each input\n# the outputs with their "
      "probabilities.\nSWEEP = [\n{}]\nSWEEPS = {}\nSTATE = {{{}}}\n{}\n{}",
      what, example.departure.places, state_in_words(example), carried_of(example),
      weights_of(example.start.rows), sweep, example.departure.sweep, state_of(example),
      example.first_order ? numbers_of_first_order : numbers, program);
}

}  // namespace mixwell
