// The verdict of a graph, from its structure and the declared traits.
// SPDX-License-Identifier: Apache-2.0
#include "cone.hpp"

#include <mixwell/certificate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace mixwell {
namespace {

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

/// The worse of two verdicts speaks; what holds of either part holds of the whole.
Verdict join(const Verdict& a, const Verdict& b) {
  Verdict worse = rank(b) > rank(a) ? b : a;
  const Verdict& other = rank(b) > rank(a) ? a : b;
  worse.adaptive = a.adaptive || b.adaptive;
  if (worse.accuracy == Accuracy::asymptotic && other.accuracy == Accuracy::asymptotic) {
    worse.order = std::min(a.order, b.order);
  }
  if (worse.density == "pi") worse.density = other.density;
  for (const std::string& assumed : other.assumes) {
    if (std::find(worse.assumes.begin(), worse.assumes.end(), assumed) == worse.assumes.end()) {
      worse.assumes.push_back(assumed);
    }
  }
  return worse;
}

/// The rules of one graph. Whatever no rule covers is not shown right: biased, unproven.
class Judge {
 public:
  /// frozen: as if nothing were learnt any more.
  Judge(const KernelGraph& graph, bool frozen)
      : graph_(graph),
        frozen_(frozen),
        transitions_(mixwell::transitions(graph)),
        component_(influence_components(graph)),
        staleness_(graph, transitions_) {}

  Verdict judge() {
    Verdict all = exact("1",
                        "every parameter is a constant, fresh noise, or the current value of "
                        "another variable; every update keeps its law");
    all.reference =
        "Duane et al. 1987 for the constant case; Zhang & Sutton 2011 for values of other slots";
    for (std::size_t t = 0; t < transitions_.size(); ++t) all = join(all, transition(t));
    return join(all, coverage());
  }

 private:
  static Verdict exact(std::string rule, std::string reason) {
    Verdict v;
    v.rule = std::move(rule);
    v.reason = std::move(reason);
    return v;
  }

  Verdict none(std::string rule, bool proved, std::string reason, std::size_t t,
               std::vector<std::string> path = {}) const {
    Verdict v = exact(std::move(rule), std::move(reason));
    v.accuracy = Accuracy::none;
    v.proved = proved;
    v.nodes = {info(t).name};
    v.path = std::move(path);
    return v;
  }

  Verdict asymptotic(std::string rule, int order, std::string reason, std::size_t t) const {
    Verdict v = exact(std::move(rule), std::move(reason));
    v.accuracy = Accuracy::asymptotic;
    v.order = order;
    v.nodes = {info(t).name};
    return v;
  }

  const OperationInfo& operation(std::int32_t id) const {
    return graph_.operations()[static_cast<std::size_t>(id)];
  }
  const OperationInfo& info(std::size_t t) const { return operation(transitions_[t].operation); }

  /// The operations of a transition: the one that writes, then its moves.
  std::vector<const OperationInfo*> parts(std::size_t t) const {
    std::vector<const OperationInfo*> all{&info(t)};
    for (const std::int32_t m : transitions_[t].moves) all.push_back(&operation(m));
    return all;
  }

  bool writes(std::size_t t, Variable v) const {
    const auto& w = transitions_[t].writes;
    return std::find(w.begin(), w.end(), v) != w.end();
  }

  bool is_written(Variable v) const {
    for (std::size_t t = 0; t < transitions_.size(); ++t) {
      if (writes(t, v)) return true;
    }
    return false;
  }

  Verdict transition(std::size_t t) {
    switch (info(t).kind) {
      case OperationKind::observe:
        return exact("F", "a register is no part of the target");
      case OperationKind::refresh:
        return join(refresh(t), parameters(t));
      case OperationKind::accept:
        return join(join(accept(t), parameters(t)), evaluations(t));
      case OperationKind::move:
        return join(join(move(t), parameters(t)), evaluations(t));
      default:
        return none("", false, "no rule covers this kind of operation", t);
    }
  }

  Verdict refresh(std::size_t t) {
    if (!info(t).traits.keeps_law) {
      return none("", false, "the refresh does not declare that it keeps its law", t);
    }
    return assuming(exact("1", "drawn from its law"), info(t), "keeps_law");
  }

  static Verdict assuming(Verdict v, const OperationInfo& who, const std::string& trait) {
    v.assumes.push_back(fmt::format("{}: {}", who.name, trait));
    return v;
  }

  Verdict accept(std::size_t t) {
    Verdict v =
        exact("1", "reversible, volume-preserving proposal with Metropolis on the exact law");
    if (transitions_[t].moves.empty()) {
      return none("A", false, "the proposal does not come from a move", t);
    }
    for (const std::int32_t m : transitions_[t].moves) {
      const OperationInfo& move = operation(m);
      if (!move.traits.involution || !move.traits.volume) {
        return none(
            "1", false,
            fmt::format("`{}` does not declare a reversible map that preserves volume", move.name),
            t);
      }
      v = assuming(assuming(v, move, "involution"), move, "volume");
      if (!starts_at_state(move, info(t))) {
        return none("A", true,
                    "the proposal starts elsewhere than at the state it is compared with", t);
      }
    }
    v = join(v, auxiliary_laws(t));
    return join(v, noisy_ratio(t));
  }

  bool starts_at_state(const OperationInfo& move, const OperationInfo& accept) const {
    const auto is_state = [&](Value v) {
      return std::any_of(accept.inputs.begin(), accept.inputs.end(),
                         [&](const Input& i) { return i.role == Role::state && i.value == v; });
    };
    return std::all_of(move.inputs.begin(), move.inputs.end(), [&](const Input& i) {
      return i.role != Role::state || graph_[i.value].kind != ValueKind::version ||
             is_state(i.value);
    });
  }

  bool has_law(const OperationInfo& who, Value law) const {
    return std::any_of(who.inputs.begin(), who.inputs.end(), [&](const Input& i) {
      return (i.role == Role::law || i.role == Role::law_at_proposal) && i.value == law;
    });
  }

  /// An auxiliary is judged by the very law it was drawn from.
  Verdict auxiliary_laws(std::size_t t) {
    for (const Input& input : info(t).inputs) {
      const ValueInfo& v = graph_[input.value];
      if (input.role != Role::state || v.kind != ValueKind::version) continue;
      if (graph_[v.variable].kind != VariableKind::auxiliary) continue;
      if (v.producer < 0 || operation(v.producer).kind != OperationKind::refresh) {
        return none("L", false, fmt::format("`{}` is carried over sweeps", v.name), t);
      }
      for (const Input& drawn : operation(v.producer).inputs) {
        if (drawn.role == Role::law && !has_law(info(t), drawn.value)) {
          return none("L", true,
                      fmt::format("`{}` was drawn from another law than the ratio uses", v.name), t,
                      {graph_[drawn.value].name});
        }
      }
    }
    return exact("L", "auxiliaries are judged by the law they were drawn from");
  }

  /// The leaves of a value that are fresh randomness.
  std::vector<Leaf> noises(Value of) const {
    std::vector<Leaf> found = cone(graph_, of);
    std::erase_if(found,
                  [&](const Leaf& leaf) { return graph_[leaf.value].kind != ValueKind::noise; });
    return found;
  }

  Verdict noisy_ratio(std::size_t t) {
    for (const Input& input : info(t).inputs) {
      if (input.role != Role::law) continue;
      const auto found = noises(input.value);
      if (!found.empty()) {
        return none("5", true, "the acceptance ratio uses a noisy law", t, found.front().path);
      }
    }
    return exact("1", "the ratio is exact");
  }

  Value source(const OperationInfo& who, Role role) const {
    for (const Input& i : who.inputs) {
      if (i.role == role) return i.value;
    }
    return {};
  }

  Verdict move(std::size_t t) {
    const OperationInfo& who = info(t);
    if (who.traits.optimises) {
      Verdict v = none("O", true, "an optimiser: it seeks a mode and does not sample", t);
      v.optimiser = true;
      return v;
    }
    if (who.traits.invariant) {
      if (*who.traits.invariant) {
        return join(assuming(exact("1", "declared invariant"), who, "invariant"),
                    auxiliary_laws(t));
      }
      return assuming(none("", true, "the kernel declares that it does not keep its law", t), who,
                      "not invariant");
    }
    if (who.traits.order == 0) {
      return none("", false, "the move declares neither that it keeps its law nor an order", t);
    }
    if (const auto shared = shared_noise(who); !shared.empty()) {
      return none("N", true, "a parameter and the law share one noise", t, shared);
    }
    const bool noisy = !noises(source(who, Role::law)).empty();
    if (!fully_refreshed(who) && !source(who, Role::friction)) {
      return none("L", noisy,
                  noisy ? "gradient noise without friction and without fresh momentum"
                        : "a momentum carried over sweeps without a Metropolis step",
                  t);
    }
    if (source(who, Role::position_coupling) != source(who, Role::momentum_coupling) ||
        source(who, Role::drift) != source(who, Role::diffusion)) {
      return none("5", true, "the two sides of the dynamics use different matrices", t);
    }
    Verdict v = asymptotic("5", noisy ? 1 : who.traits.order,
                           "no Metropolis step: the error of the scheme remains in the draws", t);
    v.reference = "right as eps -> 0 at fixed integration time";
    return assuming(std::move(v), who, fmt::format("order {}", who.traits.order));
  }

  /// The path of a noise that both the law and another parameter of an operation depend on.
  std::vector<std::string> shared_noise(const OperationInfo& who) const {
    const auto of_law = noises(source(who, Role::law));
    for (const Input& input : who.inputs) {
      if (!is_parameter(input.role) || input.role == Role::law) continue;
      for (const Leaf& leaf : noises(input.value)) {
        const bool shared = std::any_of(of_law.begin(), of_law.end(),
                                        [&](const Leaf& l) { return l.value == leaf.value; });
        if (shared) return leaf.path;
      }
    }
    return {};
  }

  bool fully_refreshed(const OperationInfo& who) const {
    return std::all_of(who.inputs.begin(), who.inputs.end(), [&](const Input& i) {
      const ValueInfo& v = graph_[i.value];
      if (i.role != Role::state || v.kind != ValueKind::version) return true;
      if (graph_[v.variable].kind != VariableKind::auxiliary) return true;
      return v.producer >= 0 && operation(v.producer).traits.full;
    });
  }

  /// A cached (u, g) must be that of a law of the operation, at its own state or proposal.
  Verdict evaluations(std::size_t t) {
    for (const OperationInfo* who : parts(t)) {
      for (const Input& input : who->inputs) {
        const ValueInfo& v = graph_[input.value];
        if (input.role != Role::evaluation || !v.evaluated_law) continue;
        const bool at_state = std::any_of(
            who->inputs.begin(), who->inputs.end(),
            [&](const Input& i) { return i.role == Role::state && i.value == v.evaluated_at; });
        if (!has_law(*who, v.evaluated_law) || !at_state) {
          return none("C", true,
                      fmt::format("`{}` was evaluated for another law or at another point", v.name),
                      t);
        }
      }
    }
    return exact("C", "evaluations are current");
  }

  static bool is_parameter(Role role) {
    return role != Role::state && role != Role::proposed && role != Role::noise &&
           role != Role::evaluation;
  }

  Verdict parameters(std::size_t t) {
    Verdict v = exact("1", "parameters do not depend on what is updated");
    for (const OperationInfo* who : parts(t)) {
      for (const Input& input : who->inputs) {
        if (!is_parameter(input.role)) continue;
        for (const Leaf& leaf : cone(graph_, input.value)) v = join(v, leaf_verdict(t, leaf));
      }
    }
    return v;
  }

  bool same_component(Variable v, std::size_t t) const {
    return std::any_of(transitions_[t].writes.begin(), transitions_[t].writes.end(),
                       [&](Variable w) {
                         return component_[static_cast<std::size_t>(w.id)] ==
                                component_[static_cast<std::size_t>(v.id)];
                       });
  }

  Verdict leaf_verdict(std::size_t t, const Leaf& leaf) {
    const ValueInfo& v = graph_[leaf.value];
    if (v.kind == ValueKind::constant || v.kind == ValueKind::noise) {
      return exact("1", "constant or fresh noise");
    }
    if (v.kind == ValueKind::derived) {
      return none("2", false, "a parameter depends on a proposal or a statistic of this sweep", t,
                  leaf.path);
    }
    if (graph_[v.variable].kind == VariableKind::history) return history(t, v, leaf);
    if (writes(t, v.variable)) {
      return none("2", true,
                  "a parameter depends on the updated variable's own value, and neither the "
                  "acceptance ratio nor a divergence term accounts for it",
                  t, leaf.path);
    }
    if (staleness_.is_stale(leaf.value, t)) {
      return none("1s", true, "a parameter reads a value that was replaced before the update", t,
                  leaf.path);
    }
    return exact("1", "current value of another variable");
  }

  Verdict history(std::size_t t, const ValueInfo& v, const Leaf& leaf) {
    if (frozen_ || !is_written(v.variable)) return exact("F", "frozen");
    if (!same_component(v.variable, t)) return exact("P", "a history this update cannot influence");
    const VariableInfo& variable = graph_[v.variable];
    if (variable.forgets == Forgets::diminishing) {
      Verdict adaptive = exact("4",
                               "parameters still move, by ever smaller amounts, with the "
                               "chain's own history");
      adaptive.adaptive = true;
      adaptive.nodes = {info(t).name};
      adaptive.path = leaf.path;
      adaptive.reference = "Roberts & Rosenthal 2007 (diminishing adaptation)";
      return assuming(std::move(adaptive), info(t), fmt::format("`{}` diminishes", variable.name));
    }
    return none("4", variable.forgets != Forgets::unknown,
                "parameters follow the chain's own history and never settle", t, leaf.path);
  }

  /// Every slot is updated, and every factor that names it is in the laws of each of its updates.
  Verdict coverage() {
    Verdict v = exact("C", "every factor is in the laws of the updates it concerns");
    for (std::size_t k = 0; k < graph_.variables().size(); ++k) {
      const Variable slot{static_cast<std::int32_t>(k)};
      if (graph_[slot].kind != VariableKind::slot) continue;
      v = join(v, covered(slot));
    }
    return v;
  }

  Verdict covered(Variable slot) {
    bool has_factor = false;
    Verdict v = exact("C", "covered");
    std::optional<std::string> kept;
    for (const Factor& factor : graph_.factors()) {
      if (std::find(factor.scope.begin(), factor.scope.end(), slot) == factor.scope.end()) continue;
      has_factor = true;
      for (std::size_t t = 0; t < transitions_.size(); ++t) {
        if (!writes(t, slot)) continue;
        const Verdict seen = sees(t, factor);
        if (!kept) kept = seen.density;
        if (seen.accuracy != Accuracy::none && *kept != seen.density) {
          return none("D", true,
                      fmt::format("updates of `{}` keep different densities: {} and {}",
                                  graph_[slot].name, *kept, seen.density),
                      t);
        }
        v = join(v, seen);
      }
    }
    if (has_factor && is_written(slot)) return v;
    Verdict missing = exact("C", has_factor ? "a slot is never updated" : "a slot has no target");
    missing.accuracy = Accuracy::none;
    missing.nodes = {graph_[slot].name};
    return missing;
  }

  Verdict sees(std::size_t t, const Factor& factor) {
    if (info(t).traits.invariant && !*info(t).traits.invariant) return exact("C", "");
    for (const Input& input : info(t).inputs) {
      if (input.role != Role::law) continue;
      const auto leaves = cone(graph_, input.value);
      const bool found = std::any_of(leaves.begin(), leaves.end(),
                                     [&](const Leaf& leaf) { return leaf.value == factor.law; });
      if (found) return join(density(t, input.value), within_scope(t, factor, leaves));
    }
    return none("C", true,
                fmt::format("the update leaves out the factor `{}`", graph_[factor.law].name), t);
  }

  /// A law may be conditional on slots of its factor's scope alone.
  Verdict within_scope(std::size_t t, const Factor& factor, const std::vector<Leaf>& leaves) {
    for (const Leaf& leaf : leaves) {
      const ValueInfo& v = graph_[leaf.value];
      if (v.kind != ValueKind::version || graph_[v.variable].kind != VariableKind::slot) continue;
      if (std::find(factor.scope.begin(), factor.scope.end(), v.variable) == factor.scope.end()) {
        return none("C", true, "the law depends on a slot outside its factor", t, leaf.path);
      }
    }
    return exact("C", "within scope");
  }

  Verdict density(std::size_t t, Value law) {
    Verdict v = exact("C", "the law is the target's");
    if (graph_[law].producer < 0) return v;
    const Traits& traits = operation(graph_[law].producer).traits;
    if (!traits.density.empty()) {
      v.density = traits.density;
      return v;
    }
    if (traits.unbiased) return v;
    return none("C", false,
                fmt::format("`{}` is made from the target's law in a way nothing is declared about",
                            graph_[law].name),
                t);
  }

  const KernelGraph& graph_;
  bool frozen_;
  std::vector<Transition> transitions_;
  std::vector<int> component_;
  Staleness staleness_;
};

std::string accuracy_word(const Verdict& v) {
  if (v.accuracy == Accuracy::exact) return "exact";
  return v.accuracy == Accuracy::asymptotic ? "asymptotic" : "none";
}

}  // namespace

std::string Verdict::label() const {
  if (optimiser) return "none";
  if (accuracy == Accuracy::none) return "biased";
  if (adaptive) return "adaptive";
  if (density != "pi") return "approximate";
  return accuracy_word(*this);
}

Verdict certify(const KernelGraph& graph) { return Judge(graph, false).judge(); }

Certificate certify(const KernelGraph& warmup, const KernelGraph& sampling) {
  Certificate certificate;
  certificate.warmup = certify(warmup);
  certificate.now = certify(sampling);
  certificate.frozen = Judge(sampling, true).judge();
  certificate.after_warmup = rank(certificate.warmup) > rank(certificate.now);
  return certificate;
}

}  // namespace mixwell
