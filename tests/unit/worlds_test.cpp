// Finite worlds: what they find invariant, which missing traits they notice, and what they report.
// SPDX-License-Identifier: Apache-2.0
#include "counterexample/counter_example.hpp"
#include "toy_graphs.hpp"

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

/// A slot that is drawn from its distribution.
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

/// Whether a row applies to the state.
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

/// For one slot, whose newest version is `last`.
LawOfStates after_sweeps(const CounterExample& example, const std::string& last) {
  LawOfStates law;
  for (const auto& row : example.start.rows) law[{{"x0@0", row.out[0]}}] = Fraction(row.share);
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
  const WorldsEffort effort{.first_order = true};
  const FiniteReadingResult found = read_on_worlds(leap(), effort);
  CHECK_FALSE(found.invariant());
  CHECK(found.unread == "some updates of slots are not small steps (`local` moves)");
  CHECK_FALSE(counter_example(leap(), effort));
}

namespace {

/// A trajectory of a slot and its momentum without a decision.
KernelGraph uncorrected(bool one_coupling) {
  KernelGraph graph;
  const Slots s = add_slots(graph, 1);
  const Variable p = graph.auxiliary("p", 2);
  const Value kinetic = graph.constant("kinetic", std::make_shared<Bowl>());
  const Value a = graph.constant("A", std::make_shared<Bowl>());
  const Value other = graph.constant("other", std::make_shared<Bowl>());
  graph.add("refresh", OperationKind::refresh, full_refresh(),
            {{kinetic, Role::law}, {graph.noise("refresh"), Role::noise}}, {Output::next(p)},
            nullptr);
  graph.add("move", OperationKind::move, reversible(),
            {{graph.current(s.slot[0]), Role::state},
             {graph.current(p), Role::state},
             {s.law[0], Role::law},
             {kinetic, Role::law},
             {a, Role::position_coupling},
             {one_coupling ? a : other, Role::momentum_coupling}},
            {Output::next(s.slot[0]), Output::next(p)}, nullptr);
  return graph;
}

/// A small step by a matrix of the slot's own position; `total`: of its correction.
KernelGraph small_step(bool corrected, bool total) {
  KernelGraph graph;
  const Slots s = add_slots(graph, 1);
  const Value at = graph.current(s.slot[0]);
  const Value matrix = fit(graph, "fit", {at});
  Traits divergence;
  divergence.total = total;
  const Value gamma = graph
                          .add("divergence", OperationKind::pure, divergence,
                               {{at, Role::parameter}, {matrix, Role::parameter}},
                               {Output::derived("Gamma", 2)}, nullptr)
                          .front();
  Traits local;
  local.local = true;
  local.order = 1;
  std::vector<Input> inputs = {
      {at, Role::state}, {s.law[0], Role::law}, {matrix, Role::drift}, {matrix, Role::diffusion}};
  if (corrected) inputs.push_back({gamma, Role::drift_correction});
  inputs.push_back({graph.noise("step"), Role::noise});
  graph.add("step", OperationKind::move, local, std::move(inputs), {Output::next(s.slot[0])},
            nullptr);
  return graph;
}

}  // namespace

TEST_CASE("worlds read a trajectory without a decision in its limit") {
  CHECK(read_on_worlds(uncorrected(true)).invariant());
  CHECK(read_on_worlds(uncorrected(false)).departure);
  Update update;
  update.metropolis = false;
  CHECK(read_on_worlds(leap(update)).invariant());
  update.move.order = 0;
  CHECK(read_on_worlds(leap(update)).departure);
}

TEST_CASE("worlds read small steps with the total divergence of their matrix, and no other") {
  const WorldsEffort effort{.first_order = true};
  CHECK(read_on_worlds(small_step(true, true), effort).invariant());
  CHECK(read_on_worlds(small_step(true, false), effort).departure);
  CHECK(read_on_worlds(small_step(false, true), effort).departure);
  const auto example = counter_example(small_step(false, true), effort);
  REQUIRE(example);
  CHECK(example->first_order);
  CHECK(example->found.find(" eps") != std::string::npos);
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

namespace {

/// Metropolis by a density that is called pi but differs from it.
KernelGraph by_misnamed_density() {
  KernelGraph graph;
  const Slots s = add_slots(graph, 1);
  Traits other;
  other.density = "pi";
  const Value law = made_law(graph, "other", other, s.law[0]);
  add_update(graph, "a", {.slot = s.slot[0], .law = law});
  return graph;
}

}  // namespace

TEST_CASE("worlds contradict a certificate that believes a misnamed density") {
  const KernelGraph graph = by_misnamed_density();
  const Verdict verdict = certify(graph);
  REQUIRE(verdict.certificate_class() == CertificateClass::exact);
  CHECK(compare_with_worlds(graph, verdict).judgement == WorldsJudgement::hole);
  CHECK(compare_with_worlds(leap(), verdict).judgement == WorldsJudgement::right);
}

TEST_CASE("worlds contradict an exact verdict on a graph that is wrong") {
  Traits traits = reversible();
  traits.volume = false;
  const KernelGraph wrong = leap(with_move(traits));
  CHECK(compare_with_worlds(wrong, certify(leap())).judgement == WorldsJudgement::hole);
  CHECK(compare_with_worlds(wrong, certify(wrong)).judgement == WorldsJudgement::wrong);
}

TEST_CASE("worlds say that a biased verdict on an invariant graph is strict") {
  Verdict biased = certify(leap());
  biased.accuracy = Accuracy::none;
  CHECK(compare_with_worlds(leap(), biased).judgement == WorldsJudgement::strict);
  biased.optimiser = true;
  CHECK(compare_with_worlds(leap(), biased).judgement == WorldsJudgement::silent);
}

TEST_CASE("worlds that do not fit into the work are left out, and counted") {
  const std::int64_t all = read_on_worlds(leap()).work;
  CHECK(read_on_worlds(leap(), {.most_work = all}).worlds == 20);
  const FiniteReadingResult half = read_on_worlds(leap(), {.most_work = all / 2});
  CHECK(half.invariant());
  CHECK(half.worlds >= 8);
  CHECK(half.worlds <= 12);
  CHECK(read_on_worlds(leap(), {.most_work = 10}).unread ==
        "the exact distribution in one finite world takes too long to compute");
}

TEST_CASE("worlds refuse many slots before they read them") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 18);
  for (std::size_t k = 0; k < 18; ++k)
    add_update(graph, "a" + std::to_string(k), {.slot = s.slot.at(k), .law = s.law.at(k)});
  const FiniteReadingResult found = read_on_worlds(graph);
  CHECK(found.unread == "the composition has too many slots");
  CHECK(found.work == 0);
}

TEST_CASE("worlds take what is frozen for a constant") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 1);
  const Variable memory = graph.history("memory", Eigen::VectorXd::Zero(1), Forgets::persistent);
  add_update(graph, "a",
             {.slot = s.slot[0], .law = s.law[0], .parameters = {graph.current(memory)}});
  graph.add("keep", OperationKind::observe, {},
            {{graph.current(memory), Role::state}, {graph.current(s.slot[0]), Role::parameter}},
            {Output::next(memory)}, nullptr);
  CHECK(read_on_worlds(graph).departure);
  CHECK(read_on_worlds(graph, {.frozen = true}).invariant());
}
