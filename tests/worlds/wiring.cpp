// The values, laws and options of wirings.
// SPDX-License-Identifier: Apache-2.0
#include "wiring.hpp"

#include "placeholders.hpp"

#include <fmt/format.h>

#include <array>

namespace mixwell::testing {

KernelGraph wired(const Language& language, Tape& tape) {
  return WiringWriter(language, tape).write();
}

KernelGraph WiringWriter::write() {
  add_slots();
  add_factors();
  if (language_.estimates) normals_ = graph_.estimate("z", slots_[0], place);
  for (std::size_t k = 0; k < language_.registers.size(); ++k) {
    registers_.push_back(graph_.history(fmt::format("r{}", k), Eigen::VectorXd::Zero(memory),
                                        language_.registers[k]));
  }
  for (int k = 0; k < language_.noises; ++k) hand_on(fmt::format("w{}", k));
  for (int k = 0; k < language_.statements; ++k) {
    path_ = std::to_string(k);
    statement();
  }
  if (language_.records_first) {
    Record x;
    x.name = "x";
    x.value = graph_.current(slots_[0]);
    graph_.record(x);
  }
  return std::move(graph_);
}

void WiringWriter::add_slots() {
  for (int k = 0; k < language_.slots; ++k) {
    const std::string name(1, static_cast<char>('a' + k));
    slots_.push_back(language_.parts
                         ? graph_.part(name, "x", {place * k, place * k + 1, place * k + 2})
                         : graph_.slot(name, place));
  }
}

void WiringWriter::add_factors() {
  if (language_.parts) {
    factors_.assign(slots_.size(), graph_.constant("pi", some_law()));
    graph_.factor(factors_[0], slots_);
    return;
  }
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const bool estimated = language_.estimates && k == 0;
    factors_.push_back(
        graph_.constant("pi-" + graph_[slots_[k]].name, estimated ? estimated_law() : some_law()));
    graph_.factor(factors_[k], {slots_[k]});
  }
}

// ---- choices of an option

std::vector<Value> WiringWriter::readable() const {
  std::vector<Value> all;
  for (std::size_t k = 0; k < graph_.values().size(); ++k) {
    const ValueInfo& v = graph_.values()[k];
    const bool is_version = v.kind == ValueKind::version;
    const bool momentum = is_version && graph_[v.variable].kind == VariableKind::auxiliary;
    const bool has_numbers = (is_version || v.kind == ValueKind::derived) && v.rows > 1;
    if (!has_numbers || v.function || v.evaluated_law || v.storage) continue;
    if (!momentum || language_.reads_momenta) all.push_back({static_cast<std::int32_t>(k)});
  }
  return all;
}

/// One of the existing numbers, or none.
Value WiringWriter::number() {
  const std::vector<Value> all = readable();
  const int k = tape_.option(static_cast<int>(all.size()) + 1);
  return k == 0 ? Value{} : all[static_cast<std::size_t>(k - 1)];
}

/// A new noise, or a draw that other statements use too.
Input WiringWriter::noise(const char* what) {
  const int k = tape_.option(static_cast<int>(noises_.size()) + 1);
  if (k == 0) return {graph_.noise(named(what)), Role::noise};
  return {noises_[static_cast<std::size_t>(k - 1)], Role::noise};
}

Input WiringWriter::chance() {
  Input i = noise("chance");
  if (graph_[i.value].kind != ValueKind::noise) i.role = Role::parameter;
  return i;
}

void WiringWriter::guard() {
  if (!language_.guards) return;
  if (const Value choice = number()) graph_.set_guard({choice, 1});
}

std::size_t WiringWriter::slot() {
  return slots_.size() == 1 ? 0
                            : static_cast<std::size_t>(tape_.pick(static_cast<int>(slots_.size())));
}

/// Newest first.
std::vector<Value> WiringWriter::versions(Variable v) const {
  std::vector<Value> all;
  for (Value one = graph_.current(v); one; one = graph_[one].replaces) all.push_back(one);
  return all;
}

Value WiringWriter::state(Variable v) {
  if (!language_.old_states) return graph_.current(v);
  const auto all = versions(v);
  return all[static_cast<std::size_t>(tape_.option(static_cast<int>(all.size())))];
}

/// A version of a slot that is read as a state and not written, or none.
Value WiringWriter::bystander() {
  if (!language_.bystanders) return {};
  std::vector<Value> all;
  for (const Variable v : slots_) {
    for (const Value one : versions(v)) all.push_back(one);
  }
  const int k = tape_.option(static_cast<int>(all.size()) + 1);
  return k == 0 ? Value{} : all[static_cast<std::size_t>(k - 1)];
}

/// A number that has a bound and is continuous, unless an option says otherwise; or none.
Value WiringWriter::bounded(const char* what) {
  const Value of = number();
  if (!of) return of;
  Traits traits;
  traits.bound = Bound::global;
  traits.continuous = tape_.option(2) == 0;
  return graph_
      .add(named(what), OperationKind::pure, traits, {{of, Role::parameter}},
           {Output::derived(named(what), digest)}, some_body())
      .front();
}

// ---- laws

Value WiringWriter::law(std::size_t k) {
  return language_.parts ? law_of_part(k) : law_with_noise(k);
}

/// The law given the other parts, each at one of its versions, or without some of them.
Value WiringWriter::law_of_part(std::size_t k) {
  std::vector<Input> inputs{{factors_[k], Role::law}};
  Index numbers = 1;
  bool whole = true;
  for (std::size_t other = 0; other < slots_.size(); ++other) {
    if (other == k) continue;
    if (language_.collapses && tape_.option(2) == 1) {
      whole = false;
      continue;
    }
    const auto all = versions(slots_[other]);
    inputs.push_back({all[static_cast<std::size_t>(tape_.option(static_cast<int>(all.size())))],
                      Role::parameter});
    numbers *= place;
  }
  Traits traits;
  traits.unbiased = traits.exact_potential = whole;
  traits.marginal = !whole;
  return graph_
      .add(named("law"), OperationKind::pure, traits, std::move(inputs),
           {Output::derived(named("law"), numbers, some_law())}, some_body())
      .front();
}

/// A law with the same U and a gradient that may depend on a number.
Value WiringWriter::law_with_noise(std::size_t k) {
  const Value of = language_.noisy_laws ? number() : Value{};
  if (!of) return factors_[k];
  Traits traits;
  traits.unbiased = traits.exact_potential = true;
  return graph_
      .add(named("law"), OperationKind::pure, traits,
           {{factors_[k], Role::law}, {of, Role::parameter}},
           {Output::derived(named("law"), graph_[of].rows, some_law())}, some_body())
      .front();
}

/// One of two laws that never change, or a law made from a number.
Value WiringWriter::momentum_law(Variable p) {
  const auto all = readable();
  const int which = tape_.option(2 + static_cast<int>(all.size()));
  if (which < 2) {
    Value& known = constant_momentum_laws_[{p.id, which}];
    if (!known) known = graph_.constant(fmt::format("{}/law-{}", named("p"), which), some_law());
    return known;
  }
  const Value of = all[static_cast<std::size_t>(which - 2)];
  return graph_
      .add(named("p/law"), OperationKind::pure, {}, {{of, Role::parameter}},
           {Output::derived(named("p/law"), graph_[of].rows, some_law())}, some_body())
      .front();
}

/// A law of its own batch or of a shared one; around a reference if an option says so.
Value WiringWriter::batch_law(std::size_t k) {
  const int batch = language_.noisy_laws ? tape_.option(2 + static_cast<int>(noises_.size())) : 0;
  if (batch == 0) return factors_[k];
  if (batch == 1) hand_on(named("batch"));
  const Value of = batch == 1 ? noises_.back() : noises_[static_cast<std::size_t>(batch - 2)];
  if (batch == 1) noises_.pop_back();
  std::vector<Input> inputs{{factors_[k], Role::law}, {of, Role::parameter}};
  if (const Value around = number()) inputs.push_back({around, Role::parameter});
  Traits traits;
  traits.unbiased = true;
  return graph_
      .add(named("law"), OperationKind::pure, traits, std::move(inputs),
           {Output::derived(named("law"), digest, some_law())}, some_body())
      .front();
}

/// q(. | of), which may depend on another number.
Value WiringWriter::proposal_law(const char* what, Value of, Value extra, const Law& q,
                                 const std::shared_ptr<const Body>& body) {
  std::vector<Input> inputs{{of, Role::parameter}};
  if (extra) inputs.push_back({extra, Role::parameter});
  return graph_
      .add(named(what), OperationKind::pure, {}, std::move(inputs),
           {Output::derived(named(what), place, q)}, body)
      .front();
}

Value WiringWriter::estimate(const char* what, Value of, const Law& how,
                             const std::shared_ptr<const Body>& body) {
  Traits traits;
  traits.unbiased = true;
  return graph_
      .add(named(what), OperationKind::pure, traits,
           {{factors_[0], Role::law}, {of, Role::parameter}},
           {Output::derived(named(what), place, how)}, body)
      .front();
}

// ---- a wiring as text

namespace {

constexpr std::array kinds{"pure", "refresh", "move", "accept", "observe", "regroup"};
constexpr std::array memories{"unknown", "persistent", "window", "diminishing"};

std::string line(const KernelGraph& graph, const OperationInfo& o) {
  std::vector<std::string> in, out;
  for (const Input& i : o.inputs)
    in.push_back(fmt::format("{} {}", to_string(i.role), graph[i.value].name));
  for (const Value v : o.outputs) out.push_back(graph[v].name);
  const std::string guard =
      o.guard ? fmt::format("  [where {} = {}]", graph[o.guard.choice].name, o.guard.branch) : "";
  const char* const full = o.kind != OperationKind::refresh ? ""
                           : o.traits.full                  ? "  [full]"
                                                            : "  [partial]";
  return fmt::format("  {} {} ({}) -> {}{}{}\n", kinds[static_cast<std::size_t>(o.kind)], o.name,
                     fmt::join(in, ", "), fmt::join(out, " "), full, guard);
}

}  // namespace

std::string listed(const KernelGraph& graph) {
  std::string text;
  for (const OperationInfo& o : graph.operations()) text += line(graph, o);
  for (const VariableInfo& v : graph.variables()) {
    if (v.kind == VariableKind::history)
      text +=
          fmt::format("  register {}: {}\n", v.name, memories[static_cast<std::size_t>(v.forgets)]);
  }
  return text;
}

}  // namespace mixwell::testing
