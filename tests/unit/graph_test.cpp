// The rules that a kernel graph must obey while it is built, and queries of its edges.
// SPDX-License-Identifier: Apache-2.0
#include "graph/edges.hpp"
#include "toy_graphs.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/dot.hpp>

#include <catch2/catch.hpp>

using namespace toy;

namespace {

const OperationInfo& operation(const KernelGraph& graph, const std::string& name) {
  for (const OperationInfo& o : graph.operations()) {
    if (o.name == name) return o;
  }
  throw std::logic_error(name);
}

/// One Metropolis update, recorded or not.
struct OneUpdate {
  explicit OneUpdate(Traits move = reversible()) : s(add_slots(graph, 2)) {
    add_update(graph, "a", {.slot = s.slot[0], .law = s.law[0], .move = move});
  }
  KernelGraph graph;
  Slots s;
};

}  // namespace

TEST_CASE("versions follow one another and know what they replace") {
  KernelGraph graph;
  const Variable x = graph.slot("x", 3);
  const Value before = graph.current(x);
  const Value after =
      graph
          .add("move", OperationKind::move, {}, {{before, Role::state}}, {Output::next(x)}, nullptr)
          .front();
  CHECK(graph.current(x) == after);
  CHECK(graph[after].name == "x@1");
  CHECK(graph[after].replaces == before);
  CHECK(graph[after].rows == 3);
  CHECK(graph[x].carried == before);
}

TEST_CASE("a noise has one consumer and names are unique") {
  KernelGraph graph;
  const Variable x = graph.slot("x", 1);
  const Value noise = graph.noise("n");
  graph.add("a", OperationKind::move, {}, {{noise, Role::noise}}, {Output::next(x)}, nullptr);
  CHECK_THROWS_WITH(
      graph.add("b", OperationKind::move, {}, {{noise, Role::noise}}, {Output::next(x)}, nullptr),
      Catch::Contains("`n` feeds both `a` and `b`"));
  CHECK_THROWS_AS(graph.noise("n"), InputError);
  CHECK_THROWS_AS(graph.slot("x", 2), InputError);
  CHECK_THROWS_AS(graph.add("a", OperationKind::pure, {}, {}, {}, nullptr), InputError);
}

TEST_CASE("an evaluation is made once for each law and version") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 1);
  const Cached first = graph.evaluation(s.law[0], s.slot[0]);
  CHECK(graph[first.u].rows == 1);
  CHECK(graph[first.g].rows == 2);
  CHECK(graph.evaluation(s.law[0], s.slot[0]).u == first.u);
  const Value other = graph.constant("V", std::make_shared<Bowl>());
  CHECK_FALSE(graph.evaluation(other, s.slot[0]).u == first.u);
  graph.add("move", OperationKind::move, {}, {{graph.current(s.slot[0]), Role::state}},
            {Output::next(s.slot[0])}, nullptr);
  CHECK_FALSE(graph.evaluation(s.law[0], s.slot[0]).u == first.u);
}

TEST_CASE("the DOT text names operations, values, roles and the carry") {
  KernelGraph graph;
  const Slots s = add_slots(graph, 1);
  add_update(graph, "hmc", {s.slot[0], s.law[0]});
  const std::string dot = to_dot(graph, "a \"title\"");
  for (const char* part : {"digraph", "accept\\nhmc/accept", "x0@1", "label=\"proposed\"",
                           "label=\"carry\"", "a \\\"title\\\""}) {
    CHECK_THAT(dot, Catch::Contains(part));
  }
}

TEST_CASE("a proposal and a version belong to the variable that they may replace") {
  const OneUpdate one;
  const OperationInfo& move = operation(one.graph, "a/move");
  CHECK(origin(one.graph, move.outputs[0]) == one.s.slot[0]);
  CHECK(origin(one.graph, one.graph.current(one.s.slot[0])) == one.s.slot[0]);
  const auto p = origin(one.graph, move.outputs[1]);
  REQUIRE(p);
  CHECK(is_turned(one.graph, *p));
  CHECK_FALSE(is_turned(one.graph, one.s.slot[0]));
  CHECK_FALSE(origin(one.graph, one.s.law[0]));
  CHECK_FALSE(origin(one.graph, operation(one.graph, "a/accept").outputs[1]));
}

TEST_CASE("a move that replaces its slot without a decision is uncorrected") {
  OneUpdate one;
  CHECK_FALSE(is_uncorrected(one.graph, operation(one.graph, "a/move")));
  add_update(one.graph, "b", {.slot = one.s.slot[1], .law = one.s.law[1], .metropolis = false});
  CHECK(is_uncorrected(one.graph, operation(one.graph, "b/move")));
  Traits invariant;
  invariant.invariant = true;
  add_update(one.graph, "c",
             {.slot = one.s.slot[1], .law = one.s.law[1], .metropolis = false, .move = invariant});
  CHECK_FALSE(is_uncorrected(one.graph, operation(one.graph, "c/move")));
}

TEST_CASE("only a map that flips momenta and decides nothing by itself negates them") {
  Traits move = reversible();
  move.flips = Flips::momentum;
  CHECK(negates_momenta(operation(OneUpdate(move).graph, "a/move")));
  move.keeps_law = true;
  CHECK_FALSE(negates_momenta(operation(OneUpdate(move).graph, "a/move")));
  move.keeps_law = false;
  move.flips = Flips::noise;
  CHECK_FALSE(negates_momenta(operation(OneUpdate(move).graph, "a/move")));
}

TEST_CASE("a law leads back to its factor, and a view to the value whose numbers it shows") {
  OneUpdate one;
  const Value made = made_law(one.graph, "tempered", {}, one.s.law[0]);
  CHECK(law_before(one.graph, made) == one.s.law[0]);
  CHECK(factor_behind(one.graph, made) == one.s.law[0]);
  CHECK(factor_behind(one.graph, one.s.law[1]) == one.s.law[1]);
  const Value view = one.graph.view("view", std::make_shared<Bowl>(), made);
  CHECK(seen(one.graph, view) == made);
  CHECK(factor_behind(one.graph, view) == one.s.law[0]);
  const Value kinetic = operation(one.graph, "a/refresh").inputs[0].value;
  CHECK_FALSE(factor_behind(one.graph, kinetic));
}

TEST_CASE("slots that nothing of the posterior follows from are not recorded") {
  OneUpdate one;
  CHECK(recorded_slots(one.graph) == one.s.slot);  // nothing is recorded: all are
  one.graph.record({.group = RecordGroup::posterior,
                    .name = "x1",
                    .shape = {},
                    .type = RecordType::real,
                    .unit = "",
                    .help = "",
                    .value = one.graph.current(one.s.slot[1])});
  CHECK(recorded_slots(one.graph) == std::vector{one.s.slot[1]});
}
