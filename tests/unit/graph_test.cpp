// The rules that every kernel graph obeys while it is built.
// SPDX-License-Identifier: Apache-2.0
#include "toy_graphs.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/dot.hpp>

#include <catch2/catch.hpp>

using namespace toy;

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
