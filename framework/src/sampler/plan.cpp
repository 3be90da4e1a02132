// Compiles a kernel graph.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/plan.hpp"

#include <mixwell/base/error.hpp>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/graph/transitive_reduction.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace mixwell {
namespace {

using Dag = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

/// Data that several of the passes below use.
class PlanMaker {
 public:
  explicit PlanMaker(const KernelGraph& graph) : graph_(graph), unread_(unread_gradients(graph)) {}

  Plan make() {
    index_readers();
    place_values();
    share_evaluations();
    check_guarded_evaluations();
    redirect_stale_reads();
    list_steps();
    mark_rare_steps();
    form_levels();
    return std::move(plan_);
  }

 private:
  std::size_t count() const { return graph_.operations().size(); }
  const OperationInfo& operation(std::int32_t o) const { return graph_.operation(o); }

  void index_readers() {
    readers_.resize(graph_.values().size());
    for (std::size_t o = 0; o < count(); ++o) {
      for (const Input& input : graph_.operations()[o].inputs) {
        readers_[static_cast<std::size_t>(input.value.id)].push_back(static_cast<std::int32_t>(o));
      }
    }
    for (const Record& record : graph_.records()) {
      readers_[static_cast<std::size_t>(record.value.id)].push_back(
          static_cast<std::int32_t>(count()));
    }
  }

  void place_values() {
    plan_.placement.resize(graph_.values().size());
    for (std::size_t v = 0; v < graph_.values().size(); ++v) {
      const ValueInfo& value = graph_.values()[v];
      if (value.rows == 0 || unread_[v]) continue;
      if (value.kind == ValueKind::version) {
        const VariableInfo& variable = graph_[value.variable];
        plan_.placement[v] = {variable.name, variable.kind == VariableKind::slot ||
                                                 last_reader(variable.carried) >= 0};
      } else if (value.storage) {
        plan_.placement[v] = plan_.at(value.storage);
      } else {
        plan_.placement[v] = {"derived/" + value.name, false};
      }
    }
  }

  /// Evaluations of one law at successive versions of one slot share memory, if nothing reads an
  /// evaluation after the next one is written. If the law is constant, the newest evaluation is
  /// carried to the next sweep.
  void share_evaluations() {
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Value>>
        chains;  // (law, slot) -> u, g, u, g
    for (std::size_t v = 0; v < graph_.values().size(); ++v) {
      const ValueInfo& value = graph_.values()[v];
      if (!value.evaluated_law || value.producer < 0) continue;
      if (graph_[value.evaluated_at].kind != ValueKind::version) continue;
      chains[{value.evaluated_law.id, graph_[value.evaluated_at].variable.id}].push_back(
          {static_cast<std::int32_t>(v)});
    }
    for (const auto& [key, values] : chains) share_chain(values);
  }

  void share_chain(const std::vector<Value>& values) {
    const ValueInfo& first = graph_[values.front()];
    const ValueInfo& last = graph_[values.back()];
    for (std::size_t k = 0; k + 2 < values.size(); ++k) {
      if (last_reader(values[k]) > graph_[values[k + 2]].producer) return;
    }
    const VariableInfo& slot = graph_[graph_[first.evaluated_at].variable];
    const bool carried = values.size() > 2 && first.evaluated_at == slot.carried &&
                         last.evaluated_at == slot.current &&
                         graph_.is_constant(first.evaluated_law);
    const std::string name =
        fmt::format("cache/{}/{}", graph_[first.evaluated_law].name, slot.name);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (unread_[static_cast<std::size_t>(values[k].id)]) continue;
      plan_.placement[static_cast<std::size_t>(values[k].id)] = {name + (k % 2 == 0 ? "/u" : "/g"),
                                                                 carried};
    }
    if (!carried) return;
    prologue_.insert(first.producer);
    for (std::size_t k = 0; k < 2; ++k) {
      carried_from_[values[k].id] = graph_[values[values.size() - 2 + k]].producer;
    }
  }

  /// In the columns of other branches, an evaluation keeps the numbers of the evaluation at the
  /// previous version. So the two evaluations must share memory.
  void check_guarded_evaluations() const {
    for (const OperationInfo& info : graph_.operations()) {
      if (!info.guard) continue;
      for (const Value v : info.outputs) {
        const ValueInfo& value = graph_[v];
        if (!value.evaluated_law || graph_[value.evaluated_at].kind != ValueKind::version) continue;
        if (unread_[static_cast<std::size_t>(v.id)]) continue;
        if (plan_.at(v).buffer.starts_with("cache/")) continue;
        throw InputError(fmt::format(
            "kernel graph: `{}` is a value in a branch of a mixture, but an operation reads this "
            "value after a newer version replaced it. Let the operation read the newest version.",
            value.name));
      }
    }
  }

  std::int32_t last_reader(Value v) const {
    const auto& readers = readers_[static_cast<std::size_t>(v.id)];
    return readers.empty() ? -1 : readers.back();
  }

  /// A version that is read after its successor was written needs its own copy.
  void redirect_stale_reads() {
    plan_.reads.resize(count());
    for (std::size_t o = 0; o < count(); ++o) {
      for (const Input& input : graph_.operations()[o].inputs) {
        plan_.reads[o].push_back(read_buffer(static_cast<std::int32_t>(o), input.value));
      }
    }
    for (const ValueInfo& next : graph_.values()) {
      if (next.kind != ValueKind::version || !next.replaces) continue;
      if (last_reader(next.replaces) > next.producer) {
        copies_[next.producer].push_back(next.replaces);
      }
    }
  }

  std::string read_buffer(std::int32_t reader, Value v) const {
    const Value next = graph_[v].replaced_by;
    if (next && graph_[next].producer < reader) return copy_buffer(graph_, v);
    return plan_.at(v).buffer;
  }

  void list_steps() {
    for (std::size_t o = 0; o < count(); ++o) {
      const auto id = static_cast<std::int32_t>(o);
      for (const Value old : copies_[id]) {
        Step copy;
        copy.copied = old;
        plan_.steps.push_back(copy);
      }
      if (operation(id).body == nullptr) continue;
      Step step;
      step.operation = id;
      step.prologue = prologue_.count(id) != 0;
      const auto& outputs = operation(id).outputs;
      step.barrier = std::any_of(outputs.begin(), outputs.end(),
                                 [&](Value v) { return graph_[v].scope == Scope::run; });
      plan_.steps.push_back(step);
    }
  }

  void need(std::int32_t o, std::set<std::int32_t>& needed) const {
    if (o < 0 || !needed.insert(o).second) return;
    for (const Input& input : operation(o).inputs) {
      need(graph_[input.value].producer, needed);
      const auto carried = carried_from_.find(input.value.id);
      if (carried != carried_from_.end()) need(carried->second, needed);
    }
  }

  /// The operations that write versions, and all operations on which these depend.
  std::set<std::int32_t> needed_by_versions() const {
    std::set<std::int32_t> needed;
    for (std::size_t o = 0; o < count(); ++o) {
      const auto& outputs = graph_.operations()[o].outputs;
      const bool writes = std::any_of(outputs.begin(), outputs.end(), [&](Value v) {
        return graph_[v].kind == ValueKind::version;
      });
      if (writes) need(static_cast<std::int32_t>(o), needed);
    }
    return needed;
  }

  std::set<std::int32_t> needed_by_records(bool once) const {
    std::set<std::int32_t> needed;
    for (const Record& record : graph_.records()) {
      if (record.once == once) need(graph_[record.value].producer, needed);
    }
    return needed;
  }

  void mark_rare_steps() {
    const std::set<std::int32_t> always = needed_by_versions();
    const std::set<std::int32_t> each_draw = needed_by_records(false);
    const std::set<std::int32_t> once = needed_by_records(true);
    for (Step& step : plan_.steps) {
      const std::int32_t o = step.operation;
      if (o < 0 || always.count(o) != 0) continue;
      const bool rare = once.count(o) != 0 && each_draw.count(o) == 0;
      step.when = rare ? When::first_draw : When::recorded_sweep;
    }
  }

  /// The buffers that a step reads and writes.
  std::pair<std::set<std::string>, std::set<std::string>> touches(const Step& step) const {
    std::set<std::string> in;
    std::set<std::string> out;
    if (step.operation < 0) {
      in.insert(plan_.at(step.copied).buffer);
      out.insert(copy_buffer(graph_, step.copied));
      return {in, out};
    }
    const auto& reads = plan_.reads[static_cast<std::size_t>(step.operation)];
    in.insert(reads.begin(), reads.end());
    for (const Value v : operation(step.operation).outputs) out.insert(plan_.at(v).buffer);
    in.erase("");
    out.erase("");
    return {in, out};
  }

  /// Data edges and anti-dependences both constrain the order on shared memory.
  Dag dependence() const {
    Dag dag(plan_.steps.size());
    std::map<std::string, std::size_t> writer;
    std::map<std::string, std::vector<std::size_t>> readers;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      if (plan_.steps[s].prologue) continue;
      const auto [in, out] = touches(plan_.steps[s]);
      std::set<std::size_t> before;
      for (const auto& b : in) {
        if (writer.count(b) != 0) before.insert(writer[b]);
      }
      for (const auto& b : out) {
        if (writer.count(b) != 0) before.insert(writer[b]);
        before.insert(readers[b].begin(), readers[b].end());
      }
      before.erase(s);
      for (const std::size_t b : before) boost::add_edge(b, s, dag);
      for (const auto& b : in) readers[b].push_back(s);
      for (const auto& b : out) {
        writer[b] = s;
        readers[b].clear();
      }
    }
    return dag;
  }

  static Dag reduced(const Dag& dag) {
    Dag reduction;
    std::map<Dag::vertex_descriptor, Dag::vertex_descriptor> to;
    std::vector<std::size_t> ids(boost::num_vertices(dag));
    for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = k;
    boost::transitive_reduction(dag, reduction, boost::make_assoc_property_map(to), ids.data());
    Dag renamed(boost::num_vertices(dag));
    std::map<Dag::vertex_descriptor, Dag::vertex_descriptor> from;
    for (const auto& [original, copy] : to) from[copy] = original;
    for (auto [e, end] = boost::edges(reduction); e != end; ++e) {
      boost::add_edge(from[boost::source(*e, reduction)], from[boost::target(*e, reduction)],
                      renamed);
    }
    return renamed;
  }

  bool may_fuse(std::size_t a, std::size_t b) const {
    return !plan_.steps[a].barrier && !plan_.steps[b].barrier;
  }

  /// A chain u -> v with one edge out of u and one edge into v becomes one task. The level of a
  /// task is the length of the longest path to it.
  void form_levels() {
    const Dag dag = reduced(dependence());
    const std::size_t n = plan_.steps.size();
    std::vector<std::size_t> level(n, 0);
    std::vector<std::pair<std::size_t, std::size_t>> at(n);  // level, task
    for (std::size_t s = 0; s < n; ++s) {
      if (plan_.steps[s].prologue) continue;
      const auto [in, in_end] = boost::in_edges(s, dag);
      if (std::distance(in, in_end) == 1) {
        const std::size_t u = boost::source(*in, dag);
        if (boost::out_degree(u, dag) == 1 && may_fuse(u, s)) {
          at[s] = at[u];
          level[s] = level[u];
          plan_.levels[at[u].first][at[u].second].push_back(static_cast<std::int32_t>(s));
          continue;
        }
      }
      for (auto e = in; e != in_end; ++e) {
        level[s] = std::max(level[s], level[boost::source(*e, dag)] + 1);
      }
      if (plan_.levels.size() <= level[s]) plan_.levels.resize(level[s] + 1);
      at[s] = {level[s], plan_.levels[level[s]].size()};
      plan_.levels[level[s]].push_back({static_cast<std::int32_t>(s)});
    }
  }

  const KernelGraph& graph_;
  std::vector<bool> unread_;
  Plan plan_;
  std::vector<std::vector<std::int32_t>> readers_;
  std::map<std::int32_t, std::vector<Value>> copies_;
  std::set<std::int32_t> prologue_;
  std::map<std::int32_t, std::int32_t> carried_from_;
};

}  // namespace

std::string copy_buffer(const KernelGraph& graph, Value version) {
  return "copy/" + graph[version].name;
}

Plan make_plan(const KernelGraph& graph) { return PlanMaker(graph).make(); }

}  // namespace mixwell
