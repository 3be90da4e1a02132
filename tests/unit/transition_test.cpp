// Descriptions of transitions: what is refused when a composition is made, and the edges made from
// them.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/error.hpp>
#include <mixwell/plugin.hpp>

#include <catch2/catch.hpp>

#include <functional>
#include <memory>
#include <string>

using namespace mixwell;

namespace {

class Flat final : public Potential {
 public:
  void evaluate(const Numbers&, ConstBatch, const Evaluation& out) const override {
    Batch g = out.gradient;
    g.setZero();
    if (out.wants_potential()) out.u().setZero();
  }
};

/// The target itself.
class Exact final : public Oracle {
 public:
  Value law(KernelGraph&, const std::string&, Value factor) const override { return factor; }
};

struct Wired {
  Wired() {
    site.path = "walk";
    site.slot = graph.slot("theta", 2);
    site.target = graph.constant("flat", std::make_shared<Flat>());
    graph.factor(site.target, {site.slot});
  }
  KernelGraph graph;
  Site site;
};

/// A kernel whose transition is a function.
class Described final : public TransitionKernel {
 public:
  explicit Described(std::function<void(Transition&)> how) : how_(std::move(how)) {}

 private:
  void transition(Transition& t) const override { how_(t); }
  std::function<void(Transition&)> how_;
};

Proposal walk(Transition& t, const std::string& noise = "propose") {
  return t.propose_symmetric(
      [](edge::Position theta, edge::Noise z, edge::ProposedPosition to) {
        z.normals(to);
        to += theta;
      },
      t.position(), t.noise(noise));
}

void describe(std::function<void(Transition&)> how) {
  Wired wired;
  Described(std::move(how)).describe(wired.graph, wired.site);
}

void refuses(std::function<void(Transition&)> how, const std::string& what) {
  CHECK_THROWS_WITH(describe(std::move(how)), Catch::Contains("walk") && Catch::Contains(what));
}

const std::shared_ptr<const Oracle>& exact() {
  static const std::shared_ptr<const Oracle> oracle = std::make_shared<Exact>();
  return oracle;
}

}  // namespace

TEST_CASE("a proposal and its acceptance are a transition") {
  Wired wired;
  Described([](Transition& t) {
    const auto law = t.law(exact());
    t.metropolis(law, walk(t));
  }).describe(wired.graph, wired.site);
  const auto& operations = wired.graph.operations();
  const auto& accept = operations.back();
  REQUIRE(accept.name == "walk/accept");
  CHECK(accept.kind == OperationKind::accept);
  CHECK(wired.graph[accept.outputs.front()].replaces == wired.graph[wired.site.slot].carried);
  REQUIRE(wired.graph.records().size() == 1);
  CHECK(wired.graph.records().front().name == "acceptance_rate");
}

TEST_CASE("transitions that are none are refused by name") {
  refuses([](Transition&) {}, "does not move its slot `theta`");
  refuses([](Transition& t) { walk(t); }, "does not move its slot `theta`");
  refuses(
      [](Transition& t) {
        walk(t, "propose");
        walk(t, "again");
      },
      "the name `operation walk/propose` is used twice");
  refuses(
      [](Transition& t) {
        const auto law = t.law(exact());
        const auto end = walk(t);
        t.metropolis(law, end);
        t.metropolis(law, end);
      },
      "calls `metropolis` twice in one transition");
  refuses(
      [](Transition& t) {
        const auto law = t.law(exact());
        t.metropolis(law, walk(t));
        t.record({"acceptance_rate", RecordType::real, "", "again"}, t.position().value);
      },
      "records the statistic `acceptance_rate` twice");
}

namespace {

/// H = I by products, unlike the identity estimator: is_identity() is false.
class Unit final : public Representation {
 public:
  void H(const Numbers&, ConstBatch v, Batch out, Workspace&) const override { out = v; }
  void B(const Numbers&, ConstBatch v, Batch out, Workspace&) const override { out = v; }
  void S(const Numbers&, ConstBatch v, Batch out, Workspace&) const override { out = v; }
  void St(const Numbers&, ConstBatch v, Batch out, Workspace&) const override { out = v; }
  void C(const Numbers&, ConstBatch v, Batch out, Workspace&) const override { out = v; }
  void log_det_H(const Numbers&, Index, Row out, Workspace&) const override { out.setZero(); }
};

class Constant final : public ConstantPreconditioner {
 public:
  std::shared_ptr<const Representation> representation() const override {
    return std::make_shared<Unit>();
  }
};

class OneStep final : public StepRule {
 public:
  void draw(const BeforeMove&, Row L) const override { L.setOnes(); }
};

const auto flat_preconditioner = std::make_shared<const Constant>();

Steps by_rule() {
  Steps steps;
  steps.rule = std::make_shared<OneStep>();
  return steps;
}

}  // namespace

TEST_CASE("parts of a transition that are asked for out of order are refused by name") {
  const StepSizeSettings eps;
  const EstimateSettings estimates;
  const Steps one{.count = 1};
  const auto accept = [](Transition& t) { t.metropolis(t.target(), walk(t)); };
  struct Row {
    std::function<void(Transition&)> how;
    std::string what;
  };
  const std::vector<Row> rows = {
      {[&](Transition& t) { t.take_estimates(estimates), t.take_estimates(estimates); },
       "`take_estimates` twice"},
      {[&](Transition& t) { t.takes_estimate_of(t.target()), t.take_estimates(estimates); },
       "`take_estimates` after `takes_estimate_of`"},
      {[&](Transition& t) { accept(t), t.take_estimates(estimates); },
       "`take_estimates` after `takes_estimate_of`"},
      {[&](Transition& t) { t.law(exact()), t.law(exact()); }, "`law` twice"},
      {[&](Transition& t) { accept(t), t.law(exact()); }, "`law` after `metropolis`"},
      {[&](Transition& t) {
         t.preconditioner(flat_preconditioner), t.preconditioner(flat_preconditioner);
       },
       "`preconditioner` twice"},
      {[&](Transition& t) { accept(t), t.preconditioner(flat_preconditioner); },
       "`preconditioner` after `metropolis`"},
      {[&](Transition& t) { t.drift_correction(); }, "`drift_correction` before `preconditioner`"},
      {[&](Transition& t) { t.step_size(eps), t.step_size(eps); }, "`step_size` twice"},
      {[&](Transition& t) { t.step_size(eps), t.step_size(StepSchedule{}); }, "`step_size` twice"},
      {[&](Transition& t) { accept(t), t.step_size(eps); }, "`step_size` after `metropolis`"},
      {[&](Transition& t) { t.steps(one), t.steps(one); }, "`steps` twice"},
      {[&](Transition& t) { accept(t), t.steps(one); }, "`steps` after `metropolis`"},
      {[&](Transition& t) { t.steps(by_rule()); }, "`steps` before `step_size`"},
      {[&](Transition& t) { t.step_size(eps), t.steps(one), t.steps(by_rule()); }, "`steps` twice"},
      {[&](Transition& t) { t.momentum(), t.momentum(); }, "`momentum` twice"},
      {[&](Transition& t) { accept(t), t.momentum(); }, "`momentum` after `metropolis`"},
      {[&](Transition& t) { accept(t), accept(t); }, "is used twice"},
      {[&](Transition& t) { accept(t), t.finish(); }, "`finish` twice"},
      {[&](Transition& t) { accept(t), t.finish(), t.takes_estimate_of(t.target()); },
       "`takes_estimate_of` after `finish`"},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    refuses(row.how, row.what);
  }
}

TEST_CASE("a momentum takes its law from the H that it is given, whoever made it") {
  Wired wired;
  Described([](Transition& t) {
    const Edge<edge::Preconditioner> H{t.graph().constant(t.path("H"), std::make_shared<Unit>())};
    PhaseMomentum p = t.momentum(Coupling::mass, H);
    t.refresh(p);
    const auto& law = dynamic_cast<const MomentumLaw&>(*t.graph()[p.law.value].function);
    CHECK_FALSE(law.is_standard());
    t.metropolis(t.target(), walk(t));
  }).describe(wired.graph, wired.site);
  Wired plain;
  Described([](Transition& t) {
    PhaseMomentum p = t.momentum();
    t.refresh(p);
    const auto& law = dynamic_cast<const MomentumLaw&>(*t.graph()[p.law.value].function);
    CHECK(law.is_standard());
    t.metropolis(t.target(), walk(t));
  }).describe(plain.graph, plain.site);
  refuses([](Transition& t) { t.momentum(Coupling::mass, {}); },
          "with an H that is not a preconditioner");
  refuses([](Transition& t) { t.momentum(Coupling::mass, {t.target().value}); },
          "with an H that is not a preconditioner");
}

TEST_CASE("a step size has to learn from something") {
  refuses(
      [](Transition& t) {
        StepSizeSettings settings;
        settings.target_acceptance = 0.5;
        t.step_size(settings);
        t.add(
            "stay", OperationKind::move, {},
            [](edge::Position theta, edge::Out<edge::Position> next) { edge::begin(theta, next); },
            t.position(), t.next());
      },
      "adapts its step size");
}

TEST_CASE("edges that lead nowhere, and noises used twice, are refused by operation") {
  refuses(
      [](Transition& t) {
        t.add(
            "stray", OperationKind::pure, {},
            [](edge::StepSize from, edge::Out<edge::StepCount> to) { to = from; },
            Edge<edge::StepSize>{}, t.derived<edge::StepCount>("L", 1));
      },
      "operation `walk/stray` has an input edge with role `parameter` but without a value");
  refuses(
      [](Transition& t) {
        const auto noise = t.noise("once");
        const auto draw = [](edge::Noise z, edge::Out<edge::StepSize> to) { z.uniforms(to); };
        t.add("first", OperationKind::pure, {}, draw, noise, t.derived<edge::StepSize>("a", 1));
        t.add("second", OperationKind::pure, {}, draw, noise, t.derived<edge::StepSize>("b", 1));
      },
      "feeds both `walk/first` and `walk/second`");
}

TEST_CASE("a shared body wants the same edges each time") {
  Wired wired;
  Transition t(wired.graph, wired.site);
  SharedOperation count([](edge::List<edge::PointPosition> points, edge::Out<edge::StepSize> to) {
    to.setConstant(static_cast<double>(points.size()));
  });
  const Edge<edge::PointPosition> point{t.position().value};
  const auto add = [&](const std::string& name, std::size_t points) {
    count.add(wired.graph, name, OperationKind::pure, {},
              std::vector<Edge<edge::PointPosition>>(points, point),
              Write<edge::StepSize>{Output::derived(name, 1)});
  };
  add("a", 2);
  add("b", 2);
  const auto& operations = wired.graph.operations();
  CHECK(operations[0].body == operations[1].body);
  CHECK_THROWS_WITH(add("c", 3), Catch::Contains("`c` shares the body"));
}

TEST_CASE("optional edges and lists are counted where they are") {
  Wired wired;
  Transition t(wired.graph, wired.site);
  const auto body = [](std::optional<edge::PointPosition>, edge::List<edge::PointGradient>,
                       edge::StepSize, std::optional<edge::Out<edge::StepCount>>,
                       edge::Out<edge::Acceptance>) {};
  const auto eps = t.add(
      "eps", OperationKind::pure, {}, [](edge::Out<edge::StepSize> to) { to.setOnes(); },
      t.derived<edge::StepSize>("eps", 1));
  const std::vector<Edge<edge::PointGradient>> three(3, {t.position().value});
  const auto [none, given] = t.add(
      "some", OperationKind::pure, {}, body, std::optional<Edge<edge::PointPosition>>(), three, eps,
      std::optional<Write<edge::StepCount>>(), t.derived<edge::Acceptance>("a", 1));
  const OperationInfo& made = wired.graph.operations().back();
  CHECK(made.inputs.size() == 4);
  CHECK(made.inputs.back().value == eps.value);
  CHECK_FALSE(none.has_value());
  CHECK(given.value == made.outputs.front());
}
