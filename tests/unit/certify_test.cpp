// Verdicts of compositions whose class is known, and of the same with one mistake.
// SPDX-License-Identifier: Apache-2.0
#include "toy_graphs.hpp"

#include <mixwell/lab/certificate.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>

using namespace toy;

namespace {

struct One {
  KernelGraph graph;
  Slots s = add_slots(graph, 1);
};

void record(KernelGraph& graph, Variable slot) {
  Record record;
  record.name = "x";
  record.shape = {2};
  record.value = graph.current(slot);
  graph.record(record);
}

}  // namespace

TEST_CASE("a Metropolis update with constant parameters is exact") {
  One c;
  add_update(c.graph, "a", {c.s.slot[0], c.s.law[0]});
  const Verdict v = certify(c.graph);
  CHECK(v.label() == "exact");
  CHECK(v.proved);
  CHECK(std::count(v.assumes.begin(), v.assumes.end(), Assumption{"a/move", "involution", {}}) ==
        1);
  CHECK(std::count(v.assumes.begin(), v.assumes.end(), Assumption{"a/move", "volume", {}}) == 1);
}

TEST_CASE("the same update without Metropolis is asymptotic of the scheme's order") {
  One c;
  add_update(c.graph, "a", {.slot = c.s.slot[0], .law = c.s.law[0], .metropolis = false});
  const Verdict v = certify(c.graph);
  CHECK(v.label() == "asymptotic");
  CHECK(v.order == 2);
  CHECK(v.rule == Rule::scheme);
}

TEST_CASE("a move that does not declare reversibility or volume is biased, unproven") {
  for (const bool involution : {true, false}) {
    One c;
    Traits t = reversible();
    (involution ? t.involution : t.volume) = false;
    add_update(c.graph, "a", {.slot = c.s.slot[0], .law = c.s.law[0], .move = t});
    const Verdict v = certify(c.graph);
    CHECK(v.label() == "biased");
    CHECK_FALSE(v.proved);
  }
}

TEST_CASE("an opaque kernel is as good as what it declares") {
  const auto opaque = [](std::optional<bool> invariant) {
    One c;
    Traits t;
    t.invariant = invariant;
    add_update(c.graph, "a",
               {.slot = c.s.slot[0], .law = c.s.law[0], .metropolis = false, .move = t});
    return certify(c.graph);
  };
  CHECK(opaque(true).label() == "exact");
  CHECK(opaque(false).label() == "biased");
  CHECK(opaque(false).proved);
  CHECK(opaque({}).label() == "biased");
  CHECK_FALSE(opaque({}).proved);
}

TEST_CASE("an opaque kernel must keep the law that its momentum was drawn from") {
  One c;
  Traits t;
  t.invariant = true;
  const Value other = c.graph.constant("another kinetic energy", std::make_shared<Bowl>());
  add_update(c.graph, "a",
             {.slot = c.s.slot[0],
              .law = c.s.law[0],
              .metropolis = false,
              .move = t,
              .refresh_law = other});
  const Verdict verdict = certify(c.graph);
  CHECK(verdict.label() == "biased");
  CHECK(verdict.rule == Rule::auxiliary);
}

TEST_CASE("an optimiser is no sampler") {
  One c;
  Traits t;
  t.optimises = true;
  add_update(c.graph, "a",
             {.slot = c.s.slot[0], .law = c.s.law[0], .metropolis = false, .move = t});
  const Verdict verdict = certify(c.graph);
  CHECK(verdict.label() == "none");
  CHECK(verdict.proved);
  CHECK(verdict.rule == Rule::optimiser);
}

TEST_CASE("a mixture is exact if its choice depends on noise or on other slots alone") {
  for (const std::string from : {"noise", "other slot", "own slot"}) {
    INFO(from);
    KernelGraph graph;
    const Slots s = add_slots(graph, 2);
    const Value source = from == "noise"        ? graph.noise("choose")
                         : from == "other slot" ? graph.current(s.slot[1])
                                                : graph.current(s.slot[0]);
    const Role role = from == "noise" ? Role::noise : Role::parameter;
    const Value choice = graph
                             .add("choose", OperationKind::pure, {}, {{source, role}},
                                  {Output::derived("branch", 1)}, nullptr)
                             .front();
    for (const Index branch : {0, 1}) {  // a body: guards belong to operations that run
      graph.set_guard({choice, branch});
      add_update(graph, "a" + std::to_string(branch),
                 {.slot = s.slot[0], .law = s.law[0], .body = std::make_shared<Nothing>()});
    }
    graph.set_guard();
    add_update(graph, "b", {.slot = s.slot[1], .law = s.law[1]});
    CHECK(certify(graph).label() == (from == "own slot" ? "biased" : "exact"));
  }
}

TEST_CASE("learning that dies out is adaptive while it lasts and exact once frozen") {
  for (const Forgets forgets : {Forgets::diminishing, Forgets::persistent, Forgets::unknown}) {
    KernelGraph graph;
    const Slots s = add_slots(graph, 1);
    const Variable learnt = graph.history("learnt", Eigen::VectorXd::Zero(1), forgets);
    const Value probability = add_update(
        graph, "a", {.slot = s.slot[0], .law = s.law[0], .parameters = {graph.current(learnt)}});
    graph.add("learn", OperationKind::observe, {},
              {{graph.current(learnt), Role::state}, {probability, Role::parameter}},
              {Output::next(learnt)}, nullptr);
    const Certificate c = certify(graph, graph);
    CHECK(c.now.label() == (forgets == Forgets::diminishing ? "adaptive" : "biased"));
    CHECK(c.now.rule == Rule::learning);
    CHECK(c.now.proved == (forgets != Forgets::unknown));
    CHECK(c.frozen.label() == "exact");
    CHECK(c.now.path.front() == "learnt@0");
  }
}

TEST_CASE("a register that nobody writes in this phase is frozen") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 1);
  const Variable learnt = graph.history("learnt", Eigen::VectorXd::Zero(1), Forgets::unknown);
  add_update(graph, "a",
             {.slot = s.slot[0], .law = s.law[0], .parameters = {graph.current(learnt)}});
  CHECK(certify(graph).label() == "exact");
}

TEST_CASE("a history that the slot cannot influence is harmless") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 2);
  const Variable pilot = graph.history("pilot", Eigen::VectorXd::Zero(1), Forgets::persistent);
  add_update(graph, "a", {s.slot[0], s.law[0]});
  graph.add("learn", OperationKind::observe, {},
            {{graph.current(pilot), Role::state}, {graph.current(s.slot[0]), Role::parameter}},
            {Output::next(pilot)}, nullptr);
  add_update(graph, "b",
             {.slot = s.slot[1], .law = s.law[1], .parameters = {graph.current(pilot)}});
  CHECK(certify(graph).label() == "exact");
}

TEST_CASE("a preconditioner from current values of other slots is exact, in sequence") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 3);
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<Value> others;
    for (std::size_t j = 0; j < 3; ++j) {
      if (j != k) others.push_back(graph.current(s.slot[j]));
    }
    const std::string name = "u" + std::to_string(k);
    const Value H = fit(graph, name + "/fit", others);
    add_update(graph, name, {.slot = s.slot[k], .law = s.law[k], .parameters = {H}});
  }
  CHECK(certify(graph).label() == "exact");
}

TEST_CASE("a preconditioner that sees the updated slot is biased, with the path") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 2);
  const Value H = fit(graph, "fit", {graph.current(s.slot[0]), graph.current(s.slot[1])});
  add_update(graph, "a", {.slot = s.slot[0], .law = s.law[0], .parameters = {H}});
  add_update(graph, "b", {s.slot[1], s.law[1]});
  const Verdict v = certify(graph);
  CHECK(v.label() == "biased");
  CHECK(v.proved);
  CHECK(v.rule == Rule::own_value);
  CHECK(v.path == std::vector<std::string>{"x0@0", "fit/H"});
}

TEST_CASE("all slots at once from old values, or one fit a sweep, is biased by stale reads") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 2);
  const Value h0 = fit(graph, "fit0", {graph.current(s.slot[1])});
  const Value h1 = fit(graph, "fit1", {graph.current(s.slot[0])});
  add_update(graph, "a", {.slot = s.slot[0], .law = s.law[0], .parameters = {h0}});
  add_update(graph, "b", {.slot = s.slot[1], .law = s.law[1], .parameters = {h1}});
  const Verdict v = certify(graph);
  CHECK(v.label() == "biased");
  CHECK(v.rule == Rule::stale_value);
}

TEST_CASE("an old value read by an update that could as well come first is not stale") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 2);
  const Value h1 = fit(graph, "fit1", {graph.current(s.slot[0])});
  add_update(graph, "a", {s.slot[0], s.law[0]});
  add_update(graph, "b", {.slot = s.slot[1], .law = s.law[1], .parameters = {h1}});
  CHECK(certify(graph).label() == "exact");
}

TEST_CASE("one unadjusted slot makes an ensemble that depends on it asymptotic") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 2);
  add_update(graph, "a", {.slot = s.slot[0], .law = s.law[0], .metropolis = false});
  const Value H = fit(graph, "fit", {graph.current(s.slot[0])});
  add_update(graph, "b", {.slot = s.slot[1], .law = s.law[1], .parameters = {H}});
  CHECK(certify(graph).label() == "asymptotic");
}

TEST_CASE("a momentum drawn from another law than the ratio's is biased") {
  One c;
  const Value other = c.graph.constant("other", std::make_shared<Bowl>());
  add_update(c.graph, "a", {.slot = c.s.slot[0], .law = c.s.law[0], .refresh_law = other});
  const Verdict v = certify(c.graph);
  CHECK(v.label() == "biased");
  CHECK(v.proved);
  CHECK(v.rule == Rule::auxiliary);
}

TEST_CASE("a ratio with another law leaves out the factor, whatever the flow uses") {
  One c;
  const Value other = c.graph.constant("other", std::make_shared<Bowl>());
  add_update(c.graph, "a", {.slot = c.s.slot[0], .law = c.s.law[0], .ratio_law = other});
  CHECK(certify(c.graph).label() == "biased");
  One right;
  const Value surrogate = right.graph.constant("surrogate", std::make_shared<Bowl>());
  add_update(right.graph, "a",
             {.slot = right.s.slot[0], .law = surrogate, .ratio_law = right.s.law[0]});
  CHECK(certify(right.graph).label() == "exact");
}

TEST_CASE("a noisy law in the ratio is biased") {
  One c;
  Traits t;
  t.unbiased = true;
  const Value noisy =
      made_law(c.graph, "minibatch", t, c.s.law[0], {{c.graph.noise("minibatch"), Role::noise}});
  add_update(c.graph, "a", {c.s.slot[0], noisy});
  CHECK(certify(c.graph).label() == "biased");
  One unadjusted;
  const Value law = made_law(unadjusted.graph, "minibatch", t, unadjusted.s.law[0],
                             {{unadjusted.graph.noise("m"), Role::noise}});
  add_update(unadjusted.graph, "a",
             {.slot = unadjusted.s.slot[0], .law = law, .metropolis = false});
  const Verdict v = certify(unadjusted.graph);
  CHECK(v.label() == "asymptotic");
  CHECK(v.order == 1);
}

TEST_CASE("another density is named, and a slot without update or target is refused") {
  One c;
  Traits t;
  t.density = "exp(-V)";
  const Value law = made_law(c.graph, "surrogate", t, c.s.law[0]);
  add_update(c.graph, "a", {c.s.slot[0], law});
  CHECK(certify(c.graph).label() == "approximate");
  CHECK(certify(c.graph).density == "exp(-V)");

  One idle;
  CHECK(certify(idle.graph).label() == "biased");
  KernelGraph lawless;
  const Variable x = lawless.slot("x", 2);
  add_update(lawless, "a", {x, lawless.constant("U", std::make_shared<Bowl>())});
  CHECK(certify(lawless).label() == "biased");
}

TEST_CASE("a cached evaluation of another point or law is biased") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 2);
  const Cached elsewhere = graph.evaluation(s.law[1], s.slot[1]);
  Traits t = reversible();
  graph.add("move", OperationKind::move, t,
            {{graph.current(s.slot[0]), Role::state},
             {s.law[0], Role::law},
             {elsewhere.g, Role::evaluation}},
            {Output::next(s.slot[0])}, nullptr);
  add_update(graph, "b", {s.slot[1], s.law[1]});
  const Verdict v = certify(graph);
  CHECK(v.label() == "biased");
  CHECK(v.rule == Rule::factor);
}

TEST_CASE("updates of one slot that keep different densities are biased") {
  One c;
  Traits t;
  t.density = "exp(-V)";
  const Value law = made_law(c.graph, "surrogate", t, c.s.law[0]);
  add_update(c.graph, "a", {c.s.slot[0], law});
  add_update(c.graph, "b", {c.s.slot[0], c.s.law[0]});
  CHECK(certify(c.graph).label() == "biased");
  CHECK(certify(c.graph).rule == Rule::one_density);
}

TEST_CASE("a preconditioner that shares the noise of the drift is biased, one of its own is not") {
  for (const bool shared : {true, false}) {
    One c;
    Traits t;
    t.unbiased = true;
    const Value batch =
        c.graph
            .add("batch", OperationKind::pure, {}, {{c.graph.noise("batch"), Role::noise}},
                 {Output::derived("batch/rows", 1)}, nullptr)
            .front();
    const Value other =
        c.graph
            .add("other", OperationKind::pure, {}, {{c.graph.noise("other"), Role::noise}},
                 {Output::derived("other/rows", 1)}, nullptr)
            .front();
    const Value law = made_law(c.graph, "minibatch", t, c.s.law[0], {{batch, Role::parameter}});
    const Value H = fit(c.graph, "fit", {shared ? batch : other});
    add_update(c.graph, "a",
               {.slot = c.s.slot[0], .law = law, .parameters = {H}, .metropolis = false});
    CHECK(certify(c.graph).label() == (shared ? "biased" : "asymptotic"));
  }
}

TEST_CASE("a law that reads a slot outside its factor is biased") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 2);
  Traits t;
  t.density = "conditional";
  const Value law =
      made_law(graph, "condition", t, s.law[0], {{graph.current(s.slot[1]), Role::parameter}});
  add_update(graph, "a", {s.slot[0], law});
  add_update(graph, "b", {s.slot[1], s.law[1]});
  CHECK(certify(graph).label() == "biased");
  CHECK(certify(graph).rule == Rule::factor);
}

TEST_CASE("a cached gradient stands for its law and its version, whoever computed it") {
  // The second slot's step depends on the gradient that the first one's accept handed on.
  for (const bool stale : {false, true}) {
    KernelGraph graph;
    const Slots s = add_slots(graph, 2);
    const auto update = [&](int k, Value seen) {
      const std::string path = "a" + std::to_string(k);
      const Value law = s.law[static_cast<std::size_t>(k)];
      const Variable slot = s.slot[static_cast<std::size_t>(k)];
      graph.evaluation(law, slot);
      Traits traits;
      traits.invariant = true;
      graph.add(path, OperationKind::move, traits,
                {{graph.current(slot), Role::state}, {law, Role::law}, {seen, Role::parameter}},
                {Output::next(slot), Output::evaluation(path + "/u", 1, law, slot),
                 Output::evaluation(path + "/g", 2, law, slot)},
                nullptr);
    };
    const Cached old = graph.evaluation(s.law[0], s.slot[0]);
    update(0, graph.evaluation(s.law[1], s.slot[1]).g);
    update(1, stale ? old.g : graph.evaluation(s.law[0], s.slot[0]).g);
    const Verdict verdict = certify(graph);
    CHECK(verdict.label() == (stale ? "biased" : "exact"));
    if (stale) CHECK(verdict.rule == Rule::stale_value);
  }
}

namespace {

const std::shared_ptr<const Body>& shared_body() {
  static const std::shared_ptr<const Body> body = std::make_shared<Nothing>();
  return body;
}

/// A density of an auxiliary made at `at`, as for a Gaussian proposal or a position-dependent mass.
Value law_at(KernelGraph& graph, const std::string& name, Value at,
             const std::shared_ptr<const Body>& body, const std::shared_ptr<const Bowl>& how) {
  return graph
      .add(name, OperationKind::pure, {}, {{at, Role::parameter}},
           {Output::derived(name + "/law", 4, how)}, body)
      .front();
}

enum class Reverse { mirrored, missing, other_body, at_the_state };

/// x and y ~ F(x) change places; the ratio has F(x) and, mirrored, F(y).
Verdict exchange_with(Reverse reverse) {
  KernelGraph graph;
  const Slots s = add_slots(graph, 1);
  const auto how = std::make_shared<Bowl>();
  const Value x = graph.current(s.slot[0]);
  const Value forward = law_at(graph, "forward", x, shared_body(), how);
  const Variable aux = graph.auxiliary("y", 2);
  graph.add("propose", OperationKind::refresh, full_refresh(),
            {{forward, Role::law}, {graph.noise("propose"), Role::noise}}, {Output::next(aux)},
            nullptr);
  const Value y = graph.current(aux);
  const auto [x_new, y_new] = graph.exchange("exchange", x, y);
  std::vector<Input> inputs = {{x, Role::state},        {y, Role::state},
                               {x_new, Role::proposed}, {y_new, Role::proposed},
                               {s.law[0], Role::law},   {forward, Role::law}};
  if (reverse != Reverse::missing) {
    const Value at = reverse == Reverse::at_the_state ? x : y;
    const auto body = reverse == Reverse::other_body ? std::make_shared<Nothing>() : shared_body();
    inputs.push_back({law_at(graph, "reverse", at, body, how), Role::law_at_proposal});
  }
  inputs.push_back({graph.noise("accept"), Role::noise});
  graph.add("accept", OperationKind::accept, {}, inputs, {Output::next(s.slot[0])}, nullptr);
  return certify(graph);
}

}  // namespace

TEST_CASE("a law of the state is right where its mirror at the proposal is in the ratio") {
  CHECK(exchange_with(Reverse::mirrored).label() == "exact");
  CHECK(exchange_with(Reverse::missing).label() == "biased");
  CHECK(exchange_with(Reverse::missing).rule == Rule::own_value);
  for (const Reverse wrong : {Reverse::other_body, Reverse::at_the_state}) {
    CHECK(exchange_with(wrong).label() == "biased");
    CHECK(exchange_with(wrong).proved);
  }
}

namespace {

/// theta <- theta - eps H g + Gamma + noise, with H of `point`.
struct LangevinStep {
  Variable slot;
  Value law;
  Value point;
  bool drift_correction = false;
  Traits gamma{};
  Traits fit{};
  bool local = true;
};

void add_langevin(KernelGraph& graph, const std::string& path, const LangevinStep& step) {
  const Value H =
      graph
          .add(path + "/fit", OperationKind::pure, step.fit, {{step.point, Role::parameter}},
               {Output::derived(path + "/H", 4)}, shared_body())
          .front();
  Traits move;
  move.order = 1;
  move.local = step.local;
  std::vector<Input> inputs = {{graph.current(step.slot), Role::state},
                               {step.law, Role::law},
                               {H, Role::drift},
                               {H, Role::diffusion},
                               {graph.noise(path), Role::noise}};
  if (step.drift_correction) {
    const Value gamma = graph
                            .add(path + "/gamma", OperationKind::pure, step.gamma,
                                 {{H, Role::parameter}, {step.point, Role::parameter}},
                                 {Output::derived(path + "/Gamma", 2)}, shared_body())
                            .front();
    inputs.push_back({gamma, Role::drift_correction});
  }
  graph.add(path, OperationKind::move, move, inputs, {Output::next(step.slot)}, nullptr);
}

Traits total() {
  Traits t;
  t.total = true;
  return t;
}

/// And with a bound.
Traits continuous() {
  Traits t;
  t.continuous = true;
  t.bound = Bound::global;
  return t;
}

Traits bounded() {
  Traits t;
  t.bound = Bound::global;
  return t;
}

}  // namespace

TEST_CASE("a preconditioner of the own value needs its total drift correction") {
  for (const int correction : {0, 1, 2}) {  // none, of one step only, total
    One c;
    add_langevin(c.graph, "sgld",
                 {.slot = c.s.slot[0],
                  .law = c.s.law[0],
                  .point = c.graph.current(c.s.slot[0]),
                  .drift_correction = correction > 0,
                  .gamma = correction == 2 ? total() : Traits{},
                  .fit = continuous()});
    const Verdict v = certify(c.graph);
    CHECK(v.label() == (correction == 2 ? "asymptotic" : "biased"));
    CHECK(v.proved);
  }
}

TEST_CASE("a drift correction is that of a matrix that is continuous and has a bound") {
  for (const bool is_continuous : {true, false}) {
    for (const Bound bound : {Bound::unknown, Bound::local, Bound::global}) {
      One c;
      Traits fit;
      fit.continuous = is_continuous;
      fit.bound = bound;
      add_langevin(c.graph, "sgld",
                   {.slot = c.s.slot[0],
                    .law = c.s.law[0],
                    .point = c.graph.current(c.s.slot[0]),
                    .drift_correction = true,
                    .gamma = total(),
                    .fit = fit});
      const Verdict v = certify(c.graph);
      const bool holds = is_continuous && bound != Bound::unknown;
      CHECK(v.label() == (holds ? "asymptotic" : "biased"));
      CHECK(v.notes.empty() == !(holds && bound == Bound::local));
    }
  }
}

TEST_CASE("what scales a step and follows another slot has a bound") {
  for (const Bound bound : {Bound::unknown, Bound::global}) {
    KernelGraph graph;
    const Slots s = add_slots(graph, 2);
    Traits fit;
    fit.bound = bound;
    for (const int k : {0, 1}) {
      add_langevin(
          graph, k == 0 ? "a" : "b",
          {.slot = s.slot[k], .law = s.law[k], .point = graph.current(s.slot[1 - k]), .fit = fit});
    }
    const Verdict v = certify(graph);
    CHECK(v.label() == (bound == Bound::global ? "asymptotic" : "biased"));
    if (bound == Bound::unknown) CHECK((v.rule == Rule::bound && !v.proved));
  }
}

TEST_CASE("past values of other slots vanish from small steps of one-step schemes alone") {
  for (const bool local : {true, false}) {
    for (const bool smooth : {true, false}) {
      KernelGraph graph;
      const Slots s = add_slots(graph, 2);
      const Variable past = graph.history("past", Eigen::VectorXd::Zero(2), Forgets::window);
      add_langevin(graph, "a",
                   {.slot = s.slot[0],
                    .law = s.law[0],
                    .point = graph.current(past),
                    .fit = smooth ? continuous() : bounded(),
                    .local = local});
      add_langevin(graph, "b",
                   {.slot = s.slot[1],
                    .law = s.law[1],
                    .point = graph.current(s.slot[0]),
                    .fit = bounded(),
                    .local = local});
      graph.add("remember", OperationKind::observe, {},
                {{graph.current(past), Role::state}, {graph.current(s.slot[1]), Role::parameter}},
                {Output::next(past)}, nullptr);
      const Verdict v = certify(graph);
      CHECK(v.label() == (local && smooth ? "asymptotic" : "biased"));
      if (!local || !smooth) {
        CHECK(v.rule == Rule::past_of_others);
        CHECK(v.feedback == std::vector<std::string>{"x0", "x1", "past"});
      }
    }
  }
}

TEST_CASE("a window of the updated slot's own past counts as its own value") {
  One c;
  const Variable past = c.graph.history("past", Eigen::VectorXd::Zero(2), Forgets::window);
  add_update(c.graph, "a",
             {.slot = c.s.slot[0], .law = c.s.law[0], .parameters = {c.graph.current(past)}});
  c.graph.add(
      "remember", OperationKind::observe, {},
      {{c.graph.current(past), Role::state}, {c.graph.current(c.s.slot[0]), Role::parameter}},
      {Output::next(past)}, nullptr);
  const Certificate both = certify(c.graph, c.graph);
  CHECK(both.now.label() == "biased");
  CHECK(both.now.rule == Rule::own_value);
  CHECK(both.now.feedback == std::vector<std::string>{"x0", "past"});
  CHECK(both.frozen.label() == "exact");
}

TEST_CASE("an unbiased law may read anything where no Metropolis step judges by it") {
  for (const bool unbiased : {true, false}) {
    One c;
    const Variable anchor = c.graph.history("anchor", Eigen::VectorXd::Zero(2), Forgets::window);
    Traits t;
    t.unbiased = unbiased;
    t.density = unbiased ? "" : "V";
    const Value law =
        made_law(c.graph, "control variate", t, c.s.law[0],
                 {{c.graph.current(anchor), Role::parameter}, {c.graph.noise("m"), Role::noise}});
    add_update(c.graph, "a", {.slot = c.s.slot[0], .law = law, .metropolis = false});
    c.graph.add(
        "remember", OperationKind::observe, {},
        {{c.graph.current(anchor), Role::state}, {c.graph.current(c.s.slot[0]), Role::parameter}},
        {Output::next(anchor)}, nullptr);
    CHECK(certify(c.graph).label() == (unbiased ? "asymptotic" : "biased"));
  }
}

TEST_CASE("the verdict is about what is recorded, and about what it depends on") {
  for (const bool depends : {false, true}) {
    KernelGraph graph;
    const Slots s = add_slots(graph, 2);
    const Value own = fit(graph, "own", {graph.current(s.slot[0])});
    const Value seen = fit(graph, "seen", {graph.current(s.slot[depends ? 1 : 0])});
    add_update(graph, "pilot", {.slot = s.slot[0], .law = s.law[0], .parameters = {own, seen}});
    const Value H = fit(graph, "fit", {graph.current(s.slot[0])});
    add_update(graph, "main", {.slot = s.slot[1], .law = s.law[1], .parameters = {H}});
    CHECK(certify(graph).label() == "biased");  // both slots count where none is recorded
    record(graph, s.slot[1]);
    CHECK(certify(graph).label() == (depends ? "biased" : "exact"));
  }
}

TEST_CASE("what a law is conditional on must be right too") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 1);
  const Variable w = graph.slot("w", 2);
  const Value joint = graph.constant("U(w, x)", std::make_shared<Bowl>());
  graph.factor(joint, {w, s.slot[0]});
  Traits t;
  t.unbiased = true;
  const auto conditional = [&](const std::string& name, Variable on) {
    return made_law(graph, name, t, joint, {{graph.current(on), Role::parameter}});
  };
  // x keeps both of its factors; w's update leaves the joint one out.
  const Value of_x = conditional("given w", w);
  const Variable p = graph.auxiliary("p", 2);
  const Value kinetic = graph.constant("kinetic", std::make_shared<Bowl>());
  graph.add("refresh", OperationKind::refresh, full_refresh(),
            {{kinetic, Role::law}, {graph.noise("refresh"), Role::noise}}, {Output::next(p)},
            nullptr);
  Traits declared;
  declared.invariant = true;
  graph.add("x", OperationKind::move, declared,
            {{graph.current(s.slot[0]), Role::state},
             {s.law[0], Role::law},
             {of_x, Role::law},
             {graph.noise("x"), Role::noise}},
            {Output::next(s.slot[0])}, nullptr);
  graph.add(
      "w", OperationKind::move, declared,
      {{graph.current(w), Role::state}, {s.law[0], Role::law}, {graph.noise("w"), Role::noise}},
      {Output::next(w)}, nullptr);
  record(graph, s.slot[0]);
  CHECK(certify(graph).label() == "biased");
}

TEST_CASE("one step from a fresh momentum wants a scheme of order two") {
  for (const bool fresh : {true, false}) {
    for (const int order : {1, 2}) {
      One c;
      const Variable p = c.graph.auxiliary("p", 2);
      const Value kinetic = c.graph.constant("kinetic", std::make_shared<Bowl>());
      Traits redraw;
      redraw.keeps_law = true;
      redraw.full = fresh;
      std::vector<Input> inputs{{kinetic, Role::law}, {c.graph.noise("refresh"), Role::noise}};
      if (!fresh) inputs.push_back({c.graph.current(p), Role::state});
      c.graph.add("refresh", OperationKind::refresh, redraw, inputs, {Output::next(p)}, nullptr);
      Traits move;
      move.order = order;
      move.local = true;
      c.graph.add("move", OperationKind::move, move,
                  {{c.graph.current(c.s.slot[0]), Role::state},
                   {c.graph.current(p), Role::state},
                   {c.s.law[0], Role::law},
                   {kinetic, Role::law}},
                  {Output::next(c.s.slot[0]), Output::next(p)}, nullptr);
      const Verdict v = certify(c.graph);
      INFO(fresh << " " << order << ": " << v.reason);
      CHECK(v.label() == (fresh && order == 1 ? "biased" : "asymptotic"));
    }
  }
}

TEST_CASE("a momentum carried over sweeps needs a law that never changes") {
  for (const bool changes : {false, true}) {
    KernelGraph graph;
    const Slots s = add_slots(graph, 2);
    const auto how = std::make_shared<Bowl>();
    const Value kinetic = changes
                              ? law_at(graph, "mass", graph.current(s.slot[1]), shared_body(), how)
                              : graph.constant("kinetic", how);
    const Variable p = graph.auxiliary("p", 2);
    Traits partial;
    partial.keeps_law = true;
    graph.add("refresh", OperationKind::refresh, partial,
              {{kinetic, Role::law},
               {graph.noise("refresh"), Role::noise},
               {graph.current(p), Role::state}},
              {Output::next(p)}, nullptr);
    const Value x = graph.current(s.slot[0]);
    const auto end =
        graph.add("move", OperationKind::move, reversible(),
                  {{x, Role::state}, {graph.current(p), Role::state}, {s.law[0], Role::law}},
                  {Output::derived("x*", 2), Output::derived("p*", 2)}, nullptr);
    graph.add("accept", OperationKind::accept, {},
              {{x, Role::state},
               {graph.current(p), Role::state},
               {end[0], Role::proposed},
               {end[1], Role::proposed},
               {s.law[0], Role::law},
               {kinetic, Role::law},
               {graph.noise("accept"), Role::noise}},
              {Output::next(s.slot[0]), Output::next(p)}, nullptr);
    add_update(graph, "b", {s.slot[1], s.law[1]});
    const Verdict v = certify(graph);
    CHECK(v.label() == (changes ? "biased" : "exact"));
    if (changes) CHECK(v.rule == Rule::auxiliary);
  }
}

TEST_CASE("a slot that nothing random reaches is noted") {
  One c;
  Traits t;
  t.invariant = true;
  c.graph.add("rotate", OperationKind::move, t,
              {{c.graph.current(c.s.slot[0]), Role::state}, {c.s.law[0], Role::law}},
              {Output::next(c.s.slot[0])}, nullptr);
  const Verdict v = certify(c.graph);
  CHECK(v.label() == "exact");
  REQUIRE(v.notes.size() == 1);
  CHECK(v.notes.front().find("x0") != std::string::npos);
}

TEST_CASE("a sequential ensemble of 52 slots is certified exact") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 52);
  for (std::size_t k = 0; k < 52; ++k) {
    std::vector<Value> others;
    for (std::size_t j = 0; j < 52; ++j) {
      if (j == k) continue;
      others.push_back(graph.current(s.slot[j]));
      others.push_back(graph.evaluation(s.law[j], s.slot[j]).g);
    }
    const std::string name = "u" + std::to_string(k);
    const Value H = fit(graph, name + "/fit", others);
    add_update(graph, name, {.slot = s.slot[k], .law = s.law[k], .parameters = {H}});
  }
  CHECK(certify(graph).label() == "exact");
}
