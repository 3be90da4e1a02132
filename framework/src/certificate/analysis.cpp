// Graph queries that several rules of the certificate use.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"

#include <algorithm>
#include <utility>

namespace mixwell {
namespace {

/// Appends the elements of `more` that `all` does not have yet.
template <class T>
std::vector<T> united(std::vector<T> all, const std::vector<T>& more) {
  for (const T& one : more) {
    if (!contains(all, one)) all.push_back(one);
  }
  return all;
}

bool says_something(const Verdict& v) {
  return v.accuracy != Accuracy::exact || v.adaptive || v.density != "pi" || !v.assumes.empty() ||
         !v.premises.empty();
}

/// The parts of both verdicts, in their order.
std::vector<Verdict> joined_parts(Verdict& total, const Verdict& other) {
  std::vector<Verdict> parts = std::move(total.parts);
  total.parts.clear();
  if (parts.empty() && says_something(total)) parts.push_back(total);
  if (other.parts.empty() && !other.reason.empty()) parts.push_back(other);
  parts.insert(parts.end(), other.parts.begin(), other.parts.end());
  return parts;
}

/// Appends one citation to another, separated by "; ", unless it is already there.
std::string both_cited(const std::string& all, const std::string& more) {
  if (all.empty() || more.empty()) return all + more;
  return ("; " + all + "; ").find("; " + more + "; ") == std::string::npos ? all + "; " + more
                                                                           : all;
}

}  // namespace

Analysis::Analysis(const KernelGraph& of, bool frozen)
    : graph(of),
      cones(of),
      all(transitions(of, frozen)),
      influence(of, cones),
      staleness(of, cones, all),
      writers(of.variables().size()),
      noises_(of.values().size()) {
  for (std::size_t t = 0; t < all.size(); ++t)
    for (const Variable v : all[t].writes) writers[index(v)].push_back(t);
  for (const Value v : all_values(graph)) noises_[index(v)] = graph[v].kind == ValueKind::noise;
  find_branches();
  find_units();
}

void Analysis::find_branches() {
  branches_.resize(graph.values().size());
  for (const Value v : all_values(graph)) {
    if (graph[v].kind != ValueKind::derived || graph[v].producer < 0) continue;
    std::set<Branch>& found = branches_[index(v)];
    const OperationInfo& by = operation(graph[v].producer);
    if (by.guard && !graph[v].evaluated_law) found.insert({by.guard.choice.id, by.guard.branch});
    if (!is_pure(graph, v)) continue;
    for (const Value source : sources(graph, v)) {
      const auto& behind = branches_[index(source)];
      found.insert(behind.begin(), behind.end());
    }
  }
}

bool Analysis::is_of_another_branch(const OperationInfo& who, Value read) const {
  const auto& made_in = branches_[index(read)];
  return std::ranges::any_of(made_in, [&](const Branch& b) {
    return b != Branch{who.guard.choice.id, who.guard.branch};
  });
}

void Analysis::find_units() {
  units_.resize(all.size());
  starters_.resize(graph.values().size());
  inputs_.resize(all.size());
  for (std::size_t t = 0; t < all.size(); ++t) {
    units_[t].push_back(t);
    for (const OperationInfo* part : parts(t))
      for (const Input& input : part->inputs) inputs_[t].push_back({part, input});
    for (const auto& [part, i] : inputs(t)) {
      auto& starting = starters_[index(i.value)];
      const bool is_new = starting.empty() || starting.back() != t;
      if (i.role == Role::state && is_new) starting.push_back(t);
    }
  }
  for (std::size_t t = all.size(); t-- > 0;) {
    if (all[t].decided_by == t) continue;
    auto& unit = units_[all[t].decided_by];
    unit.insert(unit.begin(), t);
  }
}

bool Analysis::is_made_by(std::size_t t, std::int32_t operation) const {
  return std::ranges::any_of(unit(t), [&](std::size_t one) {
    return all[one].operation == operation || contains(all[one].moves, operation);
  });
}

bool Analysis::reads_as_state(std::size_t t, Value version) const {
  const auto& starting = starters(version);
  return std::binary_search(starting.begin(), starting.end(), t);
}

bool Analysis::is_state_of(std::size_t t, Variable v) const {
  return moves(t, v) || (is(v, VariableKind::joined) && moves(t, graph[v].parts.front())) ||
         (is(v, VariableKind::auxiliary) && reads_version(t, v, Role::state));
}

bool Analysis::reads_version(std::size_t t, Variable v, Role role) const {
  return std::ranges::any_of(inputs(t), [&](const PartInput& i) {
    const Value read = i.input.value;
    return i.input.role == role && is_version(read) && graph[read].variable == v;
  });
}

std::vector<const OperationInfo*> Analysis::parts(std::size_t t) const {
  std::vector<const OperationInfo*> found{&info(t)};
  for (const std::int32_t m : all[t].moves) found.push_back(&operation(m));
  return found;
}

bool Analysis::writes(std::size_t t, Variable v) const { return contains(all[t].writes, v); }

bool Analysis::moves(std::size_t t, Variable v) const {
  return std::ranges::any_of(all[t].writes, [&](Variable w) {
    if (w == v) return true;
    if (!is(w, VariableKind::trial)) return false;
    const Variable slot = graph[w].parts.front();
    return slot == v || contains(graph[slot].parts, v);
  });
}

bool Analysis::is_stage(std::size_t t) const {
  return is(all[t].writes.front(), VariableKind::trial);
}

Stages Analysis::stages(std::size_t t) const {
  Stages found;
  const Value proposed = input_of(info(t), Role::proposed);
  if (!proposed) return found;
  for (const Value at : staged_versions(graph, proposed)) {
    if (is_gathered(graph, at)) found.start = at;
    if (const auto by = transition_of(graph[at].producer)) found.of.push_back(*by);
  }
  std::reverse(found.of.begin(), found.of.end());
  return found;
}

bool Analysis::is_copy(Value value, Value version) const {
  return is(value, VariableKind::trial) && is_gathered(graph, value) &&
         operation(graph[value].producer).inputs.front().value == version;
}

Premise Analysis::premise(std::size_t t, const OperationInfo& who, Role role, Value leaf) const {
  const ValueInfo& v = graph[leaf];
  return {who.name, std::string(to_string(role)), v.name, standing(t, leaf),
          is_version(leaf) && (mutual(t, v.variable) || is_state_of(t, v.variable))};
}

const char* Analysis::standing(std::size_t t, Value leaf) const {
  const ValueInfo& v = graph[leaf];
  if (v.kind == ValueKind::constant) return "constant";
  if (v.kind == ValueKind::noise) return "noise";
  if (v.kind == ValueKind::derived) return "result";
  if (graph[v.variable].kind == VariableKind::history) {
    return is_written(v.variable) ? "past" : "still";
  }
  if (!staleness.is_replaced(leaf, t)) return "current";
  return staleness.is_stale(leaf, t) ? "stale" : "replaced";
}

bool Analysis::mutual(std::size_t t, Variable v) const {
  return std::ranges::any_of(all[t].writes, [&](Variable w) { return influence.mutual(w, v); });
}

IdSet Analysis::slots_among(const IdSet& values) const {
  IdSet found(graph.variables().size());
  each(values, [&](std::int32_t v) {
    if (is(Value{v}, VariableKind::slot)) found.set(index(graph[Value{v}].variable));
  });
  return found;
}

const OperationInfo* Analysis::refresh_of(Value state) const {
  const OperationInfo* const by = is(state, VariableKind::auxiliary) ? maker(state) : nullptr;
  return by != nullptr && by->kind == OperationKind::refresh ? by : nullptr;
}

bool Analysis::is_fresh(const OperationInfo& who, Value state) const {
  const OperationInfo* const by = refresh_of(state);
  return by != nullptr && redraws(*by, who.guard);
}

IdSet Analysis::noises_among(IdSet among) const {
  among.resize(noises_.size());
  return among & noises_;
}

IdSet Analysis::noises_behind(Value of) const {
  return noises_among(of ? cones.leaves(of) : IdSet());
}

IdSet Analysis::noises_behind(Value of, std::size_t t) const {
  return noises_among(of ? leaves(of, t) : IdSet());
}

bool Analysis::judges(std::size_t t, Variable v) const {
  return reads_version(t, v, Role::state) || reads_version(t, v, Role::proposed);
}

IdSet Analysis::leaves(Value of, std::optional<std::size_t> judge) const {
  IdSet found = cones.leaves(of);
  std::vector<std::int32_t> open;
  each(found, [&](std::int32_t leaf) { open.push_back(leaf); });
  while (!open.empty()) {
    const Value leaf{open.back()};
    open.pop_back();
    if (!is(leaf, VariableKind::auxiliary)) continue;
    if (judge && judges(*judge, graph[leaf].variable)) continue;
    for (const Value at : since_redraw(leaf, {})) {
      if (maker(at) == nullptr) continue;
      for (const Value law : auxiliary_laws(*maker(at))) {
        each(cones.leaves(law) - found, [&](std::int32_t more) {
          found.set(index(more));
          open.push_back(more);
        });
      }
    }
  }
  return found;
}

std::vector<std::string> Analysis::path(Value leaf, Value of) const {
  if (cones.depends(of, leaf)) return cones.path(leaf, of);
  return {graph[leaf].name, graph[of].name};
}

std::vector<Value> Analysis::laws(const OperationInfo& who, bool of_auxiliaries) const {
  std::vector<Value> found;
  for (const Input& input : who.inputs) {
    const bool counts = input.role == Role::law && is_auxiliary_law(input) == of_auxiliaries;
    if (counts) found.push_back(input.value);
  }
  return found;
}

bool Analysis::is_drawn_anew_since(std::size_t t, Value version) const {
  const Variable variable = graph[version].variable;
  return std::ranges::any_of(auxiliaries(info(t)), [&](Value state) {
    return graph[state].variable == variable &&
           !contains(since_redraw(state, info(t).guard), version);
  });
}

bool Analysis::is_still(Value version) const {
  return is(version, VariableKind::history) && !is_written(graph[version].variable);
}

bool Analysis::is_constant(Value of) const {
  return !any(cones.leaves(of), [&](Value leaf) {
    return graph[leaf].kind != ValueKind::constant && !is_still(leaf);
  });
}

Value Analysis::law_before(Value law) const {
  if (maker(law) == nullptr) return {};
  const Value stands_for = input_of(*maker(law), Role::law);
  return stands_for ? stands_for : graph[law].storage;
}

std::vector<Value> Analysis::factors_of(Value law) const {
  if (graph[law].kind == ValueKind::constant) return {law};
  if (graph[law].kind != ValueKind::derived || maker(law) == nullptr) return {};
  const OperationInfo& by = *maker(law);
  if (graph[law].storage && !input_of(by, Role::law)) return factors_of(graph[law].storage);
  std::vector<Value> found;
  for (const Value behind : values_of(by, Role::law))
    for (const Value v : factors_of(behind)) found.push_back(v);
  return found;
}

std::vector<Value> Analysis::laws_with(const Factor& factor, const OperationInfo& who) const {
  std::vector<Value> laws = values_of(who, Role::law);
  std::erase_if(laws, [&](Value law) { return !contains(factors_of(law), factor.law); });
  return laws;
}

bool Analysis::is_factor_made(Value law) const {
  const auto made_from = factors_of(law);
  return std::ranges::any_of(graph.factors(),
                             [&](const Factor& f) { return contains(made_from, f.law); });
}

std::vector<Value> Analysis::since_redraw(Value last, const Guard& where) const {
  std::vector<Value> found;
  for (Value at = last; at; at = graph[at].replaces) {
    found.push_back(at);
    if (maker(at) != nullptr && redraws(*maker(at), where)) break;
  }
  return found;
}

std::vector<Value> Past::all() const {
  std::vector<Value> both = here;
  both.insert(both.end(), before.begin(), before.end());
  return both;
}

Past Analysis::past(Value last, const Guard& where) const {
  Past found{since_redraw(last, where), {}};
  if (graph[found.here.back()].producer < 0)
    found.before = since_redraw(graph[graph[last].variable].current, where);
  return found;
}

std::vector<Variable> Analysis::behind(Variable history) const {
  std::vector<Variable> found{history};
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (!is(found[k], VariableKind::history)) continue;
    for (const std::size_t t : writers[index(found[k])]) {
      for (const Input& input : info(t).inputs) {
        each(cones.versions(input.value), [&](std::int32_t v) {
          const Variable one = graph[Value{v}].variable;
          if (!contains(found, one)) found.push_back(one);
        });
      }
    }
  }
  return found;
}

bool has_law(const OperationInfo& who, Value law) {
  return std::ranges::any_of(who.inputs,
                             [&](const Input& i) { return i.value == law && is_law_role(i.role); });
}

Verdict fine(Rule rule, std::string reason, std::string citation) {
  Verdict v;
  v.rule = rule;
  v.reason = std::move(reason);
  v.citation = std::move(citation);
  return v;
}

Verdict biased(Rule rule, const std::string& node, bool proved, std::string reason,
               std::vector<std::string> path) {
  Verdict v = fine(rule, std::move(reason));
  v.accuracy = Accuracy::none;
  v.proved = proved;
  v.nodes = {node};
  v.path = std::move(path);
  return v;
}

Verdict cited(Verdict v, std::string citation) {
  v.citation = std::move(citation);
  return v;
}

Verdict assuming(const Analysis& a, Verdict v, const OperationInfo& who, std::string trait,
                 std::optional<int> value) {
  v.assumes.push_back({who.name, std::move(trait), value});
  if (!is_built_in(a.graph, who)) v.declared.push_back(v.assumes.back());
  return v;
}

Verdict resting_on(const Analysis& a, Verdict v, Value function, const std::string& contract) {
  if (is_built_in(a.graph, function)) return v;
  v.assumes.push_back({a.graph[function].name, contract, {}});
  v.declared.push_back(v.assumes.back());
  return v;
}

int rank(const Verdict& v) {
  if (v.optimiser) return 5;
  switch (v.accuracy) {
    case Accuracy::exact:
      return v.adaptive ? 1 : 0;
    case Accuracy::asymptotic:
      return 2;
    case Accuracy::none:
      return v.proved ? 4 : 3;
  }
  return 4;
}

void join(Verdict& total, const Verdict& other) {
  std::vector<Verdict> parts = joined_parts(total, other);
  merge(total, other);
  total.parts = std::move(parts);
}

void merge(Verdict& total, const Verdict& other) {
  Verdict both = rank(other) > rank(total) ? other : total;
  if (total.accuracy == Accuracy::asymptotic && other.accuracy == Accuracy::asymptotic)
    both.order = std::min(total.order, other.order);
  both.adaptive = total.adaptive || other.adaptive;
  both.density = total.density == "pi" ? other.density : total.density;
  both.assumes = united(std::move(total.assumes), other.assumes);
  both.declared = united(std::move(total.declared), other.declared);
  both.coupled = total.coupled || other.coupled;
  both.notes = united(std::move(total.notes), other.notes);
  if (both.accuracy == Accuracy::none)
    both.notes.clear();
  else
    both.citation = both_cited(total.citation, other.citation);
  total = std::move(both);
}

}  // namespace mixwell
