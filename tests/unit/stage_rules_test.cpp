// Rule R on small graphs: proposals by stages, each with one mistake.
// SPDX-License-Identifier: Apache-2.0
#include "toy_graphs.hpp"

#include <mixwell/lab/certificate.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace toy;

namespace {

/// A slot, a density that stages keep, and an accept over one stage.
struct Delayed {
  KernelGraph graph;
  Slots s = add_slots(graph, 1);
  Variable trial = graph.trial("trial", s.slot[0]);
  Value rough = graph.constant("V", std::make_shared<Bowl>());

  Value start() {
    graph.begin_trial(trial);
    return graph.evaluation(rough, trial).u;
  }

  /// One Metropolis decision of the trial by the density `law`.
  void stage(const std::string& path, Value law) {
    add_update(graph, path, {.slot = trial, .law = law});
  }

  /// The inputs of the last decision, which a test may leave out or exchange.
  std::vector<Input> inputs(Value v, Value v_end) {
    const Cached at = graph.evaluation(s.law[0], s.slot[0]);
    return {{graph.current(s.slot[0]), Role::state},
            {graph.current(trial), Role::proposed},
            {s.law[0], Role::law},
            {rough, Role::stage_law},
            {at.u, Role::evaluation},
            {v, Role::evaluation},
            {v_end, Role::evaluation},
            {graph.noise("accept"), Role::noise}};
  }

  Verdict decide(std::vector<Input> inputs) {
    graph.add("accept", OperationKind::accept, {}, std::move(inputs), {Output::next(s.slot[0])},
              nullptr);
    return certify(graph);
  }

  Verdict usual() {
    const Value v = start();
    stage("stage", rough);
    return decide(inputs(v, graph.evaluation(rough, trial).u));
  }
};

void check_biased(const Verdict& v, Rule rule, const std::string& says) {
  INFO(to_string(v.rule) << ": " << v.reason);
  CHECK(v.label() == "biased");
  CHECK(v.rule == rule);
  CHECK(v.reason.find(says) != std::string::npos);
}

}  // namespace

TEST_CASE("a proposal by one reversible stage is exact") {
  Delayed d;
  const Verdict v = d.usual();
  INFO(v.reason);
  CHECK(v.label() == "exact");
  CHECK(v.proved);
}

TEST_CASE("a stage law that is made from where the slot is, is biased") {
  Delayed d;
  d.rough =
      made_law(d.graph, "fit", {}, d.s.law[0], {{d.graph.current(d.s.slot[0]), Role::parameter}});
  check_biased(d.usual(), Rule::own_value, "the updated variable's own value");
}

TEST_CASE("a stage law that is made from where a stage led is biased") {
  Delayed d;
  d.start();
  d.stage("before", d.rough);
  d.rough = made_law(d.graph, "fit", {}, d.s.law[0], {{d.graph.current(d.trial), Role::parameter}});
  check_biased(d.usual(), Rule::own_value, "");
}

TEST_CASE("a ratio without the law of the stages is biased") {
  Delayed d;
  const Value v = d.start();
  d.stage("stage", d.rough);
  auto inputs = d.inputs(v, d.graph.evaluation(d.rough, d.trial).u);
  std::erase_if(inputs, [](const Input& i) { return i.role == Role::stage_law; });
  check_biased(d.decide(inputs), Rule::stages, "does not divide out");
}

TEST_CASE("a ratio that divides out another law than the stages keep is biased") {
  Delayed d;
  const Value other = d.graph.constant("W", std::make_shared<Bowl>());
  const Value v = d.start();
  d.stage("stage", other);
  check_biased(d.decide(d.inputs(v, d.graph.evaluation(d.rough, d.trial).u)), Rule::stages,
               "does not leave invariant. The stage must use this law itself, not a law that an "
               "oracle makes");
}

TEST_CASE("a ratio with the stages' law at one end alone is biased") {
  Delayed d;
  const Value v = d.start();
  d.stage("stage", d.rough);
  check_biased(d.decide(d.inputs(v, v)), Rule::stages, "both at the state and at the proposal");
}

TEST_CASE("stages that start elsewhere than at the state are biased") {
  Delayed d;
  const Value v = d.start();
  d.stage("stage", d.rough);
  const Value end = d.graph.evaluation(d.rough, d.trial).u;
  add_update(d.graph, "meanwhile", {.slot = d.s.slot[0], .law = d.s.law[0]});
  check_biased(d.decide(d.inputs(v, end)), Rule::stages, "do not start at the state");
}

TEST_CASE("a stage that only declares to keep its law is biased, unproven") {
  Delayed d;
  const Value v = d.start();
  Traits opaque;
  opaque.invariant = true;
  add_update(d.graph, "stage",
             {.slot = d.trial, .law = d.rough, .metropolis = false, .move = opaque});
  const Verdict found = d.decide(d.inputs(v, d.graph.evaluation(d.rough, d.trial).u));
  check_biased(found, Rule::stages, "nothing shows that `stage/move` is reversible");
  CHECK_FALSE(found.proved);
}

TEST_CASE("two stages that nobody described as the same are biased") {
  Delayed d;
  const Value v = d.start();
  d.stage("one", d.rough);
  d.stage("two", d.rough);
  check_biased(d.decide(d.inputs(v, d.graph.evaluation(d.rough, d.trial).u)), Rule::stages,
               "`one/accept` and `two/accept` differ");
}

TEST_CASE("a later parameter that reads a trial is biased") {
  Delayed d;
  d.usual();
  const Value seen = fit(d.graph, "seen", {d.graph.current(d.trial)});
  add_update(d.graph, "later", {.slot = d.s.slot[0], .law = d.s.law[0], .parameters = {seen}});
  check_biased(certify(d.graph), Rule::own_value, "the outcome of one of the proposal's stages");
}
