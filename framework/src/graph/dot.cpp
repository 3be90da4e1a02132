// The kernel graph as Graphviz text.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab/dot.hpp>

#include <fmt/format.h>

#include <array>
#include <set>
#include <string_view>

namespace mixwell {
namespace {

std::string_view kind_name(OperationKind kind) {
  constexpr std::array<std::string_view, 6> names = {"pure",   "refresh", "move",
                                                     "accept", "observe", "regroup"};
  return names[static_cast<std::size_t>(kind)];
}

std::string dot_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? "\\n" : std::string(1, c);
  }
  return out + '"';
}

std::string_view style_of(ValueKind kind) {
  constexpr std::array<std::string_view, 4> styles = {
      "shape=ellipse, style=filled, fillcolor=\"#eeeeee\"",
      "shape=diamond, style=filled, fillcolor=\"#fde9c9\"",
      "shape=ellipse, style=filled, fillcolor=\"#cfe3f5\"", "shape=ellipse"};
  return styles[static_cast<std::size_t>(kind)];
}

std::set<std::int32_t> used_values(const KernelGraph& graph) {
  std::set<std::int32_t> used;
  for (const OperationInfo& operation : graph.operations()) {
    for (const Input& input : operation.inputs) used.insert(input.value.id);
    for (const Value v : operation.outputs) used.insert(v.id);
  }
  return used;
}

std::string carries(const KernelGraph& graph, const std::set<std::int32_t>& used) {
  std::string dot;
  for (const VariableInfo& v : graph.variables()) {
    if (v.carried == v.current || used.count(v.carried.id) == 0) continue;
    dot += fmt::format("  v{} -> v{} [style=dashed, constraint=false, label=\"carry\"];\n",
                       v.current.id, v.carried.id);
  }
  return dot;
}

}  // namespace

std::string to_dot(const KernelGraph& graph, const std::string& title) {
  std::string dot = fmt::format(
      "digraph {} {{\n  label={};\n  labelloc=t;\n  rankdir=TB;\n"
      "  node [fontname=\"Helvetica\", fontsize=11];\n"
      "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#555555\"];\n",
      dot_text("sweep"), dot_text(title));
  const auto used = used_values(graph);
  for (const std::int32_t v : used) {
    const ValueInfo& info = graph[Value{v}];
    dot += fmt::format("  v{} [label={}, {}];\n", v, dot_text(info.name), style_of(info.kind));
  }
  for (std::size_t o = 0; o < graph.operations().size(); ++o) {
    const OperationInfo& info = graph.operations()[o];
    dot += fmt::format("  o{} [shape=box, style=\"rounded,filled\", fillcolor=white, label={}];\n",
                       o, dot_text(fmt::format("{}\n{}", kind_name(info.kind), info.name)));
    for (const Input& input : info.inputs) {
      dot += fmt::format("  v{} -> o{} [label={}];\n", input.value.id, o,
                         dot_text(std::string(to_string(input.role))));
    }
    for (const Value out : info.outputs) dot += fmt::format("  o{} -> v{};\n", o, out.id);
  }
  return dot + carries(graph, used) + "}\n";
}

}  // namespace mixwell
