// Builds the kernel graph, and checks the rules that every graph must obey.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/error.hpp>
#include <mixwell/graph/graph.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mixwell {
namespace {

/// Evaluates a law at a version of a slot. Inputs: law, state. Outputs: u, g; g may have no memory.
class EvaluateBody final : public Body {
 public:
  void run(ColumnBlock& block) const override {
    const ConstMatrixMap theta = block.in(1);
    const MatrixMap g(block.out(1).data(), theta.rows(), theta.cols());
    block.law(0).evaluate(theta, {block.out(0).data(), g, block.scratch()});
  }
};

/// Checks that every state is the newest version of its variable.
void check_states(const KernelGraph& graph, const OperationInfo& info) {
  for (const Input& input : info.inputs) {
    const ValueInfo& value = graph[input.value];
    if (input.role != Role::state || value.kind != ValueKind::version || !value.replaced_by) {
      continue;
    }
    throw InputError(
        fmt::format("kernel graph: operation `{}` starts from state `{}`, but `{}` has replaced "
                    "this state. An operation must start from the newest version of a variable. "
                    "graph.current() returns this version.",
                    info.name, value.name, graph[value.replaced_by].name));
  }
}

/// A variable that is 0 before the first sweep.
VariableInfo zero(std::string name, VariableKind kind, Index rows) {
  VariableInfo info;
  info.name = std::move(name);
  info.kind = kind;
  info.rows = rows;
  info.initial = Eigen::VectorXd::Zero(rows);
  return info;
}

ValueInfo named(std::string name, ValueKind kind) {
  ValueInfo info;
  info.name = std::move(name);
  info.kind = kind;
  return info;
}

}  // namespace

Body::~Body() = default;

std::string_view to_string(Role role) noexcept {
  constexpr std::array<std::string_view, 15> names = {"state",
                                                      "proposed",
                                                      "parameter",
                                                      "law",
                                                      "law at proposal",
                                                      "stage law",
                                                      "evaluation",
                                                      "noise",
                                                      "A",
                                                      "A'",
                                                      "drift",
                                                      "diffusion",
                                                      "friction",
                                                      "drift correction",
                                                      "weights"};
  return names[static_cast<std::size_t>(role)];
}

std::string_view to_string(Space space) noexcept {
  constexpr std::array<std::string_view, 5> names = {"real", "sphere", "whole numbers", "line",
                                                     "improper"};
  return names[static_cast<std::size_t>(space)];
}

Variable KernelGraph::add_variable(VariableInfo info) {
  claim_name("variable " + info.name);
  const Variable variable{static_cast<std::int32_t>(variables_.size())};
  ValueInfo first = named(info.name + "@0", ValueKind::version);
  first.rows = info.rows;
  first.scope = info.scope;
  first.variable = variable;
  info.carried = info.current = add_value(std::move(first));
  variables_.push_back(std::move(info));
  return variable;
}

Value KernelGraph::add_value(ValueInfo info) {
  values_.push_back(std::move(info));
  return {static_cast<std::int32_t>(values_.size() - 1)};
}

void KernelGraph::claim_name(const std::string& name) {
  if (!names_.insert(name).second) {
    throw InputError(
        fmt::format("kernel graph: the name `{}` is used twice. Give each part of the graph its "
                    "own name.",
                    name));
  }
}

Variable KernelGraph::slot(std::string name, Index rows) {
  VariableInfo info = zero(std::move(name), VariableKind::slot, rows);
  info.position = info.name;
  return add_variable(std::move(info));
}

Variable KernelGraph::auxiliary(std::string name, Index rows, const AuxiliaryTraits& traits) {
  VariableInfo info = zero(std::move(name), VariableKind::auxiliary, rows);
  info.traits = traits;
  return add_variable(std::move(info));
}

Variable KernelGraph::estimate(std::string name, Variable slot, Index rows) {
  VariableInfo info = zero(std::move(name), VariableKind::estimate, rows);
  info.parts = {slot};
  return add_variable(std::move(info));
}

Variable KernelGraph::history(std::string name, Eigen::VectorXd initial, Forgets forgets,
                              Scope scope, double rate, std::string learns) {
  VariableInfo info = zero(std::move(name), VariableKind::history, initial.size());
  info.initial = std::move(initial);
  info.forgets = forgets;
  info.scope = scope;
  info.rate = rate;
  info.learns = std::move(learns);
  return add_variable(std::move(info));
}

Value KernelGraph::constant(std::string name, std::shared_ptr<const Function> function) {
  ValueInfo info = named(std::move(name), ValueKind::constant);
  info.function = std::move(function);
  return add_value(std::move(info));
}

void KernelGraph::factor(Value law, std::vector<Variable> slots) {
  factors_.push_back({law, std::move(slots)});
}

Value KernelGraph::noise(std::string name) {
  claim_name("noise " + name);
  return add_value(named(std::move(name), ValueKind::noise));
}

Value KernelGraph::current(Variable variable) const { return variables_.at(variable.id).current; }

std::shared_ptr<const Potential> KernelGraph::potential(Value law) const {
  return std::dynamic_pointer_cast<const Potential>((*this)[law].function);
}

bool KernelGraph::is_constant(Value value) const {
  const ValueInfo& info = values_.at(value.id);
  if (info.kind == ValueKind::constant) return true;
  if (info.kind != ValueKind::derived || info.producer < 0) return false;
  return std::ranges::all_of(operations_.at(info.producer).inputs,
                             [&](const Input& i) { return is_constant(i.value); });
}

void KernelGraph::consume_noises(std::int32_t operation, const OperationInfo& info) {
  for (const Input& input : info.inputs) {
    const ValueInfo& value = values_.at(input.value.id);
    if (value.kind != ValueKind::noise) continue;
    const auto [taken, first] = consumers_.emplace(input.value.id, operation);
    if (first) continue;
    const bool same = taken->second == operation;
    throw InputError(
        fmt::format("kernel graph: noise `{}` feeds both `{}` and `{}`. Give each operation its "
                    "own noise with KernelGraph::noise.",
                    value.name, same ? info.name : operations_.at(taken->second).name, info.name));
  }
}

Value KernelGraph::next_version(std::int32_t operation, Variable variable) {
  VariableInfo& info = variables_.at(variable.id);
  const ValueInfo& before = values_.at(info.current.id);
  const std::int32_t version = before.version + 1;
  ValueInfo next = named(fmt::format("{}@{}", info.name, version), ValueKind::version);
  next.rows = info.rows;
  next.scope = info.scope;
  next.variable = variable;
  next.version = version;
  next.replaces = info.current;
  next.producer = operation;
  const Value written = add_value(std::move(next));
  values_[info.current.id].replaced_by = written;
  return info.current = written;
}

Value KernelGraph::add_output(std::int32_t operation, const Output& output) {
  if (output.is_version()) return next_version(operation, output.variable);
  claim_name("value " + output.name);
  ValueInfo info = named(output.name, ValueKind::derived);
  info.rows = output.rows;
  info.function = output.function;
  info.producer = operation;
  if (output.is_evaluation()) {
    info.evaluated_law = output.law;
    info.evaluated_at = output.at ? output.at : current(output.variable);
    info.carried = output.carried;
  }
  return add_value(std::move(info));
}

std::vector<Value> KernelGraph::add(std::string name, OperationKind kind, const Traits& traits,
                                    std::vector<Input> inputs, std::vector<Output> outputs,
                                    std::shared_ptr<const Body> body) {
  claim_name("operation " + name);
  const Guard guard = body ? guard_ : Guard{};
  if (guard) inputs.push_back({guard.choice, Role::weights});
  OperationInfo info{std::move(name), kind, traits, std::move(inputs), {}, std::move(body), guard};
  const auto id = static_cast<std::int32_t>(operations_.size());
  consume_noises(id, info);
  check_states(*this, info);
  for (const Output& output : outputs) {
    if (guard && output.is_version() && variables_.at(output.variable.id).scope == Scope::run) {
      throw InputError(
          fmt::format("operation `{}` learns from all replicates together, but it is in a mixture, "
                      "where each replicate chooses its own branch. Let each replicate learn "
                      "separately.",
                      info.name));
    }
    info.outputs.push_back(add_output(id, output));
  }
  std::vector<Value> written = info.outputs;
  operations_.push_back(std::move(info));
  return written;
}

Value KernelGraph::view(std::string name, std::shared_ptr<const Function> function, Value of,
                        const Traits& traits, Value in_place_of) {
  const Index rows = values_.at(of.id).rows;
  const Scope scope = values_.at(of.id).scope;
  const std::string output = name + "/view";
  std::vector<Input> inputs{{of, Role::parameter}};
  if (in_place_of) inputs.push_back({in_place_of, Role::law});
  const Value view = add(std::move(name), OperationKind::pure, traits, std::move(inputs),
                         {Output::derived(output, rows, std::move(function))}, nullptr)
                         .front();
  values_[view.id].storage = of;
  values_[view.id].scope = scope;
  return view;
}

std::pair<Value, Value> KernelGraph::exchange(const std::string& name, Value a, Value b) {
  Traits traits;
  traits.involution = true;
  traits.flips = Flips::nothing;
  traits.volume = true;
  traits.whole_numbers = true;
  const auto proposed =
      add(name, OperationKind::move, traits, {{a, Role::state}, {b, Role::state}},
          {Output::derived(name + "/" + values_.at(a.id).name, values_.at(a.id).rows),
           Output::derived(name + "/" + values_.at(b.id).name, values_.at(b.id).rows)},
          nullptr);
  values_[proposed[0].id].storage = b;
  values_[proposed[1].id].storage = a;
  return {proposed[0], proposed[1]};
}

Cached KernelGraph::cached(Value law, Variable slot) const {
  const Value at = current(slot);
  for (std::size_t o = operations_.size(); o-- > 0;) {
    Cached found;
    for (const Value out : operations_[o].outputs) {
      const ValueInfo& value = values_[out.id];
      if (!(value.evaluated_law == law && value.evaluated_at == at)) continue;
      (found.u ? found.g : found.u) = out;
    }
    if (found.g) return found;
  }
  return {};
}

bool KernelGraph::is_made_in_branch(Value law) const {
  const std::int32_t by = values_[law.id].producer;
  if (!guard_ || by < 0) return false;
  const Guard& made = operations_[by].guard;
  return made.choice == guard_.choice && made.branch == guard_.branch;
}

Cached KernelGraph::evaluation(Value law, Variable slot) {
  const Cached known = cached(law, slot);
  if (known.g) return known;
  const Value at = current(slot);
  if (is_made_in_branch(law)) return evaluate(law, slot, at);
  // The next reader may belong to another branch, so the law is evaluated in every column.
  const Guard branch = set_guard();
  const Cached found = evaluate(law, slot, at);
  set_guard(branch);
  return found;
}

Cached KernelGraph::evaluation_at(Value law, Variable slot, Value proposed) {
  return evaluate(law, slot, proposed);
}

Cached KernelGraph::evaluate(Value law, Variable slot, Value at) {
  const Index rows = variables_.at(slot.id).rows;
  const std::string name =
      fmt::format("evaluate {} at {}", values_[law.id].name, values_[at.id].name);
  const auto out = add(name, OperationKind::pure, {}, {{law, Role::law}, {at, Role::state}},
                       {Output::evaluation(name + "/u", 1, law, slot, at),
                        Output::carried_gradient(name + "/g", rows, law, slot, at)},
                       std::make_shared<EvaluateBody>());
  return {out[0], out[1]};
}

void KernelGraph::begin_description(const Component& kernel) {
  if (open_descriptions_++ > 0) return;
  descriptions_.push_back({&kernel, static_cast<std::int32_t>(operations_.size()), 0,
                           static_cast<std::int32_t>(values_.size()), 0});
}

void KernelGraph::end_description() {
  if (--open_descriptions_ > 0) return;
  descriptions_.back().end_operation = static_cast<std::int32_t>(operations_.size());
  descriptions_.back().end_value = static_cast<std::int32_t>(values_.size());
}

void KernelGraph::record(Record record) {
  if (leaves_out(record.group)) return;
  claim_name(
      fmt::format("record {}/{} of slot {}", to_string(record.group), record.name, record.slot));
  if (record.once &&
      (record.group != RecordGroup::sample_stats || record.type != RecordType::real)) {
    throw InputError(fmt::format(
        "kernel graph: `{}` is recorded only once in a run, so its type must be `real` and its "
        "group must be `sample_stats`. Change its type and group, or record it with every draw.",
        record.name));
  }
  records_.push_back(std::move(record));
}

}  // namespace mixwell
