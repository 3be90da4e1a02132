// The verdict of a graph, from its structure and the declared traits.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"
#include "certificate/noise_flow.hpp"
#include "certificate/without_rule.hpp"

#include <mixwell/lab/certificate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

/// Verdicts of components of mutual influence, and what the recorded slots make of them.
class Judge {
 public:
  /// `without`: the rule that is not asked, if there is one.
  Judge(const KernelGraph& graph, bool frozen, std::optional<Rule> without = {})
      : a_(graph, frozen),
        without_(without),
        updates_(judged_by_themselves()),
        noise_(a_, wrong()) {
    for (const Variable v : variables()) {
      const auto component = static_cast<std::size_t>(a_.influence.component(v));
      if (verdicts_.size() <= component) verdicts_.resize(component + 1);
    }
    from_.resize(verdicts_.size(), IdSet(verdicts_.size()));
    for (std::size_t t = 0; t < a_.all.size(); ++t) {
      const bool learns = a_.info(t).kind == OperationKind::observe;
      noises_.push_back(learns ? Verdict{} : judge_noise(a_, noise_, t));
    }
  }

  Verdict judge() {
    // Where two verdicts are equally bad the first speaks: that of a slot's update says more, and
    // that of an update by itself more than what shared noises make of it.
    for (const bool by_itself : {true, false}) {
      for (const bool of_slots : {true, false}) {
        for (std::size_t t = 0; t < a_.all.size(); ++t) {
          if (moves_slot(t) == of_slots) judge_update(t, by_itself);
        }
      }
    }
    for (std::size_t t = 0; t < a_.all.size(); ++t) judge_auxiliary_writers(t);
    for (const Variable v : variables()) {
      if (a_.graph[v].kind == VariableKind::slot)
        conclude({v}, a_.graph[v].name, judge_slot(a_, v));
      if (a_.graph[v].kind == VariableKind::estimate) {
        conclude({a_.graph[v].parts.front()}, a_.graph[v].name, judge_estimate(a_, v));
      }
    }
    for (const Factor& factor : a_.graph.factors()) {
      conclude({factor.slots.front()}, a_.graph[factor.law].name, judge_collapsed(a_, factor));
    }
    spread_along_laws();
    Verdict all = fine(Rule::invariance,
                       "every parameter is a constant, fresh noise, or the current value of "
                       "another variable; every update keeps its law");
    for (const Variable slot : recorded()) merge(all, of(slot));
    all.parts = derivation();
    if (all.accuracy != Accuracy::none) add_unreached(all);
    all.coupled = are_coupled(recorded());
    all.metropolis = decides();
    return all;
  }

 private:
  std::vector<Variable> variables() const {
    std::vector<Variable> all;
    for (std::size_t k = 0; k < a_.graph.variables().size(); ++k) {
      all.push_back({static_cast<std::int32_t>(k)});
    }
    return all;
  }

  Verdict& of(Variable v) { return verdicts_[static_cast<std::size_t>(a_.influence.component(v))]; }

  bool moves_slot(std::size_t t) const {
    const auto& writes = a_.all[t].writes;
    return std::any_of(writes.begin(), writes.end(),
                       [&](Variable v) { return a_.graph[v].kind == VariableKind::slot; });
  }

  /// Of every update but for what shared noises do to it; none of those that learn.
  std::vector<Verdict> judged_by_themselves() const {
    std::vector<Verdict> verdicts;
    for (std::size_t t = 0; t < a_.all.size(); ++t) {
      verdicts.push_back(judge_transition(a_, t));
      if (a_.info(t).kind != OperationKind::observe) join(verdicts.back(), judge_parameters(a_, t));
      verdicts.back() = kept(std::move(verdicts.back()));
    }
    return verdicts;
  }

  /// But for the rule that is not asked.
  Verdict kept(Verdict v) const {
    if (!without_) return v;
    if (v.parts.empty()) v.parts.push_back(v);
    Verdict without = fine(v.rule, "");
    for (const Verdict& part : v.parts) {
      if (!is_of(part, *without_)) join(without, part);
    }
    return without;
  }

  /// Rule P permits what rule N then asks of: what is not influenced must share no noise.
  static bool is_of(const Verdict& part, Rule rule) {
    if (part.rule == rule) return true;
    const auto is_permitted = [](const Premise& p) {
      return !p.feeds_back && (p.standing == "past" || p.standing == "replaced");
    };
    return rule == Rule::uninfluenced && part.rule == Rule::noise &&
           part.accuracy == Accuracy::none &&
           std::any_of(part.premises.begin(), part.premises.end(), is_permitted);
  }

  /// Keeps the parts of a verdict, and joins the rest to what it concerns.
  void conclude(const std::vector<Variable>& about, const std::string& name, Verdict v) {
    v = kept(std::move(v));
    if (v.parts.empty() && !v.reason.empty()) v.parts.push_back(v);
    Conclusion found{IdSet(verdicts_.size()), std::move(v.parts)};
    v.parts.clear();
    for (Verdict& part : found.parts) part.about = name;
    for (const Variable one : about) {
      merge(of(one), v);
      found.of.set(static_cast<std::size_t>(a_.influence.component(one)));
    }
    conclusions_.push_back(std::move(found));
  }

  /// The conclusions that the verdict on the recorded slots was joined from.
  std::vector<Verdict> derivation() const {
    IdSet open(verdicts_.size());
    for (const Variable slot : recorded()) {
      open.set(static_cast<std::size_t>(a_.influence.component(slot)));
    }
    for (IdSet before; before != open;) {
      before = open;
      each(before, [&](std::int32_t one) { open |= from_[static_cast<std::size_t>(one)]; });
    }
    std::vector<Verdict> all;
    for (const Conclusion& one : conclusions_) {
      if (one.of.intersects(open)) all.insert(all.end(), one.parts.begin(), one.parts.end());
    }
    return all;
  }

  /// One wrong update of a variable is enough: where it does not have its law, another update that
  /// would keep that law does not either.
  std::vector<bool> wrong() const {
    std::vector<bool> found(a_.all.size(), false);
    std::set<std::int32_t> variables;
    for (std::size_t before = 1; before != variables.size();) {
      before = variables.size();
      for (std::size_t t = 0; t < found.size(); ++t) {
        const auto& writes = a_.all[t].writes;
        found[t] = updates_[t].accuracy == Accuracy::none ||
                   std::any_of(writes.begin(), writes.end(),
                               [&](Variable v) { return variables.contains(v.id); });
        for (const Variable v : writes) {
          if (found[t]) variables.insert(v.id);
        }
      }
    }
    return found;
  }

  void judge_update(std::size_t t, bool by_itself) {
    if (a_.info(t).kind == OperationKind::observe) return;
    conclude(a_.all[t].writes, a_.info(t).name, by_itself ? updates_[t] : noises_[t]);
  }

  /// What starts from an auxiliary is no better than what wrote it since it was fully redrawn. A
  /// full redraw keeps its law at every parameter, and so whatever the parameter follows.
  void judge_auxiliary_writers(std::size_t t) {
    std::map<std::size_t, bool> writers;  // whether it keeps the law whatever it reads
    for (const OperationInfo* part : a_.parts(t)) {
      for (const Input& input : part->inputs) {
        const ValueInfo& v = a_.graph[input.value];
        if (input.role != Role::state || v.kind != ValueKind::version) continue;
        if (a_.graph[v.variable].kind != VariableKind::auxiliary) continue;
        for (const Value at : a_.past(input.value, part->guard)) {
          const auto writer = a_.transition_of(a_.graph[at].producer);
          if (!writer || *writer == t) continue;
          const OperationInfo& by = a_.info(*writer);
          const bool keeps_it = redraws(by, part->guard) && by.traits.keeps_law;
          writers.emplace(*writer, keeps_it);
        }
      }
    }
    for (const auto& [writer, keeps_it] : writers) {
      const auto spread = [&, writer = writer](const Verdict& v) {
        if (v.accuracy == Accuracy::none) conclude(a_.all[t].writes, a_.info(writer).name, v);
      };
      if (!keeps_it) spread(updates_[writer]);
      spread(noises_[writer]);
    }
  }

  /// A slot whose law depends on another slot is no better than that one, though the other one may
  /// not depend on it. Each pass reaches one law further.
  void spread_along_laws() {
    for (std::size_t pass = 0; pass < verdicts_.size(); ++pass) {
      bool changed = false;
      for (std::size_t t = 0; t < a_.all.size(); ++t) changed = spread(t) || changed;
      if (!changed) return;
    }
  }

  bool spread(std::size_t t) {
    bool changed = false;
    for (const Input& input : a_.info(t).inputs) {
      if (input.role != Role::law || a_.is_auxiliary_law(input)) continue;
      each(a_.cones.leaves(input.value), [&](std::int32_t leaf) {
        if (!a_.is_slot(leaf)) return;
        const Verdict& from = of(a_.graph[Value{leaf}].variable);
        for (const Variable written : a_.all[t].writes) {
          Verdict& to = of(written);
          if (&to == &from || (rank(to) >= rank(from) && to.density == from.density)) continue;
          const int before = rank(to);
          const std::string density = to.density;
          merge(to, from);
          from_[static_cast<std::size_t>(&to - verdicts_.data())].set(
              static_cast<std::size_t>(&from - verdicts_.data()));
          changed = changed || rank(to) != before || to.density != density;
        }
      });
    }
    return changed;
  }

  /// Slots whose positions are recorded; all of them if none is.
  std::vector<Variable> recorded() const {
    IdSet seen(a_.graph.variables().size());
    for (const Record& record : a_.graph.records()) {
      if (record.group != RecordGroup::posterior) continue;
      each(a_.cones.leaves(record.value), [&](std::int32_t leaf) {
        if (a_.is_slot(leaf)) seen.set(static_cast<std::size_t>(a_.graph[Value{leaf}].variable.id));
      });
    }
    std::vector<Variable> slots;
    for (const Variable v : variables()) {
      const bool is_slot = a_.graph[v].kind == VariableKind::slot;
      if (is_slot && (seen.none() || seen.test(static_cast<std::size_t>(v.id)))) slots.push_back(v);
    }
    return slots;
  }

  bool decides() const {
    for (std::size_t t = 0; t < a_.all.size(); ++t) {
      if (moves_slot(t) && a_.info(t).kind == OperationKind::accept) return true;
    }
    return false;
  }

  /// Two of the slots follow from what different updates move with one noise.
  bool are_coupled(const std::vector<Variable>& slots) const {
    for (std::size_t t = 0; t < a_.all.size(); ++t) {
      for (const std::size_t other : noise_.sharing(t)) {
        if (noise_.draws_for(t, other) || noise_.draws_for(other, t)) continue;
        std::set<std::int32_t> here = followers(t, slots);
        const std::set<std::int32_t> there = followers(other, slots);
        if (here.empty() || there.empty()) continue;
        here.insert(there.begin(), there.end());
        if (here.size() > 1) return true;
      }
    }
    return false;
  }

  /// The slots that an update moves, or that follow from the momentum or the normals that it moves.
  std::set<std::int32_t> followers(std::size_t t, const std::vector<Variable>& slots) const {
    std::vector<Variable> beside;
    for (const Variable v : a_.all[t].writes) {
      const VariableKind kind = a_.graph[v].kind;
      const bool is_beside = kind == VariableKind::auxiliary || kind == VariableKind::estimate;
      if (is_beside) beside.push_back(v);
    }
    const IdSet following = a_.influence.reached(beside, {});
    std::set<std::int32_t> found;
    for (const Variable slot : slots) {
      const bool follows = following.test(static_cast<std::size_t>(slot.id));
      if (follows || a_.moves(t, slot)) found.insert(slot.id);
    }
    return found;
  }

  void add_unreached(Verdict& all) const {
    for (const Variable slot : recorded()) {
      if (a_.influence.is_random(slot) || a_.graph[slot].fixed) continue;
      all.notes.push_back(
          fmt::format("no randomness reaches `{}`, so that it moves deterministically; invariance "
                      "by itself says little here",
                      a_.graph[slot].name));
    }
  }

  /// Parts of one verdict, and the components of influence that it concerns.
  struct Conclusion {
    IdSet of;
    std::vector<Verdict> parts;
  };

  Analysis a_;
  std::optional<Rule> without_;
  std::vector<Verdict> updates_;  ///< by transition, each by itself
  NoiseFlow noise_;
  std::vector<Verdict> noises_;    ///< by transition: what shared noises make of it
  std::vector<Verdict> verdicts_;  ///< by component of influence
  std::vector<IdSet> from_;        ///< by component: those whose verdicts it has taken on
  std::vector<Conclusion> conclusions_;
};

bool is_written(const VariableInfo& v) { return !(v.carried == v.current); }

/// Whether some function of that class is made from a history.
template <class Made>
bool makes(const KernelGraph& graph, const Cones& cones, Value history) {
  for (std::size_t k = 0; k < graph.values().size(); ++k) {
    const bool is_made = cones.depends({static_cast<std::int32_t>(k)}, history);
    if (is_made && dynamic_cast<const Made*>(graph.values()[k].function.get())) return true;
  }
  return false;
}

/// What a history learns, in its own word or by what is made from the points that it keeps.
std::string learnt_from(const KernelGraph& graph, const VariableInfo& history) {
  if (!history.learns.empty()) return history.learns;
  const Cones cones(graph);
  if (makes<Representation>(graph, cones, history.carried)) return "curvature";
  if (makes<Potential>(graph, cones, history.carried)) return "fitted law";
  return history.name;
}

/// Histories that warm-up writes and sampling has and leaves alone; a word once.
std::vector<std::string> learnt_in(const KernelGraph& warmup, const KernelGraph& sampling) {
  std::vector<std::string> words;
  for (const VariableInfo& v : sampling.variables()) {
    if (v.kind != VariableKind::history || is_written(v)) continue;
    const auto& all = warmup.variables();
    const bool learns = std::any_of(all.begin(), all.end(), [&](const VariableInfo& w) {
      return w.name == v.name && is_written(w);
    });
    if (!learns) continue;
    const std::string word = learnt_from(sampling, v);
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

}  // namespace

CertificateClass Verdict::certificate_class() const noexcept {
  if (optimiser) return CertificateClass::none;
  if (accuracy == Accuracy::none) return CertificateClass::biased;
  if (adaptive) return CertificateClass::adaptive;
  if (density != "pi") return CertificateClass::approximate;
  return accuracy == Accuracy::exact ? CertificateClass::exact : CertificateClass::asymptotic;
}

Evidence Verdict::evidence() const noexcept {
  if (!proved) return Evidence::unproven;
  const bool vouched = accuracy == Accuracy::none || optimiser || declared.empty();
  return vouched ? Evidence::proved : Evidence::declared;
}

Verdict certify(const KernelGraph& graph) { return Judge(graph, false).judge(); }

Verdict certify_without(const KernelGraph& graph, Rule rule) {
  return Judge(graph, false, rule).judge();
}

Certificate certify(const KernelGraph& warmup, const KernelGraph& sampling) {
  Certificate certificate;
  certificate.warmup = certify(warmup);
  certificate.now = certify(sampling);
  certificate.frozen = Judge(sampling, true).judge();
  certificate.learnt = learnt_in(warmup, sampling);
  certificate.after_warmup = rank(certificate.warmup) > rank(certificate.now);
  return certificate;
}

}  // namespace mixwell
