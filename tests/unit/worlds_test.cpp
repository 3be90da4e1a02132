// Finite worlds: what they find invariant, which missing traits they notice, and what they report.
// SPDX-License-Identifier: Apache-2.0
#include "toy_graphs.hpp"

#include <mixwell/lab/worlds.hpp>

#include <boost/multiprecision/cpp_int.hpp>
#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

using namespace toy;

namespace {

using Fraction = boost::multiprecision::cpp_rational;

/// Hamiltonian Monte Carlo of one slot, bent by a test.
KernelGraph leap(const Update& bent = {}) {
  KernelGraph graph;
  const Slots s = add_slots(graph, 1);
  Update update = bent;
  update.slot = s.slot[0];
  update.law = s.law[0];
  add_update(graph, "a", update);
  return graph;
}

Update with_move(const Traits& traits) {
  Update update;
  update.move = traits;
  return update;
}

/// A slot that is drawn from its law.
KernelGraph drawn(const Traits& traits) {
  KernelGraph graph;
  const Slots s = add_slots(graph, 1);
  graph.add("draw", OperationKind::refresh, traits,
            {{s.law[0], Role::law}, {graph.noise("draw"), Role::noise}}, {Output::next(s.slot[0])},
            nullptr);
  return graph;
}

/// Values by the names of a graph.
using State = std::map<std::string, int>;
using LawOfStates = std::map<State, Fraction>;

/// Whether a row applies, and what the state is then.
bool applies(const WorldTable& table, const WorldRow& row, const State& state) {
  for (std::size_t k = 0; k < row.in.size(); ++k) {
    if (state.at(table.inputs[k]) != row.in[k]) return false;
  }
  return true;
}

LawOfStates after(const WorldTable& table, const LawOfStates& law) {
  LawOfStates next;
  for (const auto& [state, probability] : law) {
    for (const WorldRow& row : table.rows) {
      if (!applies(table, row, state)) continue;
      State there = state;
      for (std::size_t k = 0; k < row.out.size(); ++k) there[table.outputs[k]] = row.out[k];
      next[there] += probability * Fraction(row.share);
    }
  }
  return next;
}

/// Of one slot, whose newest version is `last`.
LawOfStates after_sweeps(const CounterExample& example, const std::string& last) {
  Fraction sum = 0;
  for (const auto& row : example.weights[0].rows) sum += Fraction(row.share);
  LawOfStates law;
  for (const auto& row : example.weights[0].rows) {
    law[{{"x0@0", row.in[0]}}] = Fraction(row.share) / sum;
  }
  for (int n = 0; n < example.departure.sweep; ++n) {
    for (const WorldTable& table : example.operations) law = after(table, law);
    LawOfStates kept;
    for (const auto& [state, probability] : law) kept[{{"x0@0", state.at(last)}}] += probability;
    law = kept;
  }
  return law;
}

}  // namespace

TEST_CASE("worlds find Metropolis over a redrawn momentum invariant") {
  const FiniteReadingResult found = read_on_worlds(leap());
  CHECK(found.invariant());
  CHECK(found.worlds == 20);
}

TEST_CASE("worlds notice a move that is no involution, or changes volume") {
  Traits traits = reversible();
  traits.involution = false;
  CHECK(read_on_worlds(leap(with_move(traits))).departure);
  traits = reversible();
  traits.volume = false;
  CHECK(read_on_worlds(leap(with_move(traits))).departure);
}

TEST_CASE("worlds notice a draw that does not keep its law") {
  CHECK(read_on_worlds(drawn(full_refresh())).invariant());
  CHECK(read_on_worlds(drawn({})).departure);
}

TEST_CASE("worlds notice a ratio that has another law than the target") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 1);
  Traits other;
  other.density = "another one";
  const Value law = made_law(graph, "other", other, s.law[0]);
  add_update(graph, "a", {.slot = s.slot[0], .law = s.law[0], .ratio_law = law});
  CHECK(read_on_worlds(graph).departure);
}

TEST_CASE("worlds say what of a graph they cannot read") {
  Update update;
  update.metropolis = false;
  const FiniteReadingResult found = read_on_worlds(leap(update));
  CHECK_FALSE(found.invariant());
  CHECK(found.unread == "`a/move` moves without a Metropolis decision");
  CHECK_FALSE(counter_example(leap(update)));
}

TEST_CASE("a counter-example of worlds can be recomputed from its tables") {
  Traits traits = reversible();
  traits.involution = false;
  const auto example = counter_example(leap(with_move(traits)));
  REQUIRE(example);
  CHECK(example->slots == std::vector<std::string>{"x0"});
  CHECK(example->sizes == std::vector<int>{2});
  CHECK(example->expected != example->found);
  LawOfStates law = after_sweeps(*example, "x0@1");
  CHECK(law[{{"x0@0", example->state.at(0)}}] == Fraction(example->found));
}

TEST_CASE("worlds give no counter-example of what is invariant") {
  CHECK_FALSE(counter_example(leap()));
}
