#!/usr/bin/env python3
# Bodies that do not fit their edges: what the compiler says first.
# SPDX-License-Identifier: Apache-2.0
"""usage: refused.py COMPILE_COMMANDS ANY_PLUGIN_SOURCE"""
import json
import pathlib
import re
import sys

import swap_edges

BEGIN = """#include <mixwell/plugin.hpp>
using namespace mixwell;
void describe(Transition& t) {
  const auto eps = t.add("eps", OperationKind::pure, {}, [](edge::Out<edge::StepSize> e) { e.setOnes(); },
                         t.derived<edge::StepSize>("eps", 1));
  const auto theta = t.position();
  const auto noise = t.noise("n");
  const auto to = t.derived<edge::Proposed<edge::Position>>("theta*", 1);
  (void)eps;
"""
END = "}\n"


def add(body, edges):
    return f't.add("op", OperationKind::move, {{}}, {body}, {edges});'


CASES = {  # name: (text, what the first error names; None: it compiles)
    "as it should be": (add("[](edge::Position, edge::Noise, edge::ProposedPosition) {}", "theta, noise, to"), None),
    "with its block": (add("[](Columns&, edge::Position, edge::ProposedPosition) {}", "theta, to"), None),
    "exchanged": (add("[](edge::Position, edge::Noise, edge::ProposedPosition) {}", "noise, theta, to"),
                  r"the_body_does_not_take_this_edge<1.*Position.*Noise"),
    "another meaning": (add("[](edge::Momentum, edge::ProposedPosition) {}", "theta, to"),
                        r"the_body_does_not_take_this_edge<1.*Momentum.*Position"),
    "a bare matrix": (add("[](ConstMatrixMap, edge::ProposedPosition) {}", "theta, to"),
                      r"the_body_does_not_take_this_edge<1"),
    "one too many": (add("[](edge::Position, edge::ProposedPosition) {}", "theta, noise, to"),
                     r"the_number_of_edges_differs<2, 3>"),
    "one too few": (add("[](edge::Position, edge::Noise, edge::ProposedPosition) {}", "theta, to"),
                    r"the_number_of_edges_differs<3, 2>"),
    "an input for an output": (add("[](edge::Position, edge::Proposed<edge::Position>) {}", "theta, to"),
                               r"the_body_does_not_take_this_edge<2"),
    "one meaning twice": (add("[](edge::Position, edge::Position, edge::ProposedPosition) {}", "theta, theta, to"),
                          r"two_edges_of_one_meaning_need_tags<.*Position"),
    "without types": (add("[](auto, auto) {}", "theta, to"), r"the_body_must_be_a_lambda_without_auto"),
    "statistics in another order": (
        "enum class K { a, b }; constexpr StatisticTable<K, 2> table{{{K::b, {}}, {K::a, {}}}};",
        r"not a constant expression|the rows must be in the order|call to consteval"),
}


def main():
    commands = json.loads(pathlib.Path(sys.argv[1]).read_text())
    command, directory = swap_edges.command_of(commands, pathlib.Path(sys.argv[2]))
    failed = []
    for name, (text, expected) in CASES.items():
        messages = swap_edges.compile_text(BEGIN + text + "\n" + END, command, directory)
        first = re.search(r"error:[^\n]*", messages)
        right = first is None if expected is None else first and re.search(expected, first.group(0))
        print(f"{'ok    ' if right else 'FAILED'} {name}: {first.group(0) if first else 'compiles'}")
        if not right:
            failed.append(name)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
