// The verdict on a graph, from its structure and the declared traits.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"
#include "certificate/noise_flow.hpp"
#include "certificate/without_rule.hpp"

#include <mixwell/lab/certificate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

/// Judges components of mutual influence, and then the recorded slots.
class Judge {
 public:
  /// `without`: a rule to leave out, if any.
  Judge(const KernelGraph& graph, bool frozen, std::optional<Rule> without = {})
      : a_(graph, frozen),
        recorded_(recorded_slots(graph)),
        without_(without),
        updates_(judged_by_themselves()),
        noise_(a_, wrong()) {
    for (const Variable v : all_variables(a_.graph))
      verdicts_.resize(std::max(verdicts_.size(), a_.influence.component(v) + 1));
    from_.resize(verdicts_.size(), IdSet(verdicts_.size()));
    for (std::size_t t = 0; t < a_.all.size(); ++t) {
      const bool learns = a_.info(t).kind == OperationKind::observe;
      noises_.push_back(learns ? Verdict{} : judge_noise(a_, noise_, t));
    }
  }

  Verdict judge() {
    // If two verdicts are equally bad, the first one gives the reason. So verdicts on a slot's
    // update come first, and the faults of the update itself come before shared noises.
    for (const bool by_itself : {true, false}) {
      for (const bool of_slots : {true, false}) {
        for (std::size_t t = 0; t < a_.all.size(); ++t) {
          if (moves_slot(t) == of_slots) judge_update(t, by_itself);
        }
      }
    }
    for (std::size_t t = 0; t < a_.all.size(); ++t) judge_auxiliary_writers(t);
    for (const Variable v : all_variables(a_.graph)) {
      if (a_.is(v, VariableKind::slot)) conclude({v}, a_.graph[v].name, judge_slot(a_, v));
      if (a_.is(v, VariableKind::estimate)) {
        conclude({a_.graph[v].parts.front()}, a_.graph[v].name, judge_estimate(a_, v));
      }
    }
    for (const Factor& factor : a_.graph.factors()) {
      conclude({factor.slots.front()}, a_.graph[factor.law].name, judge_collapsed(a_, factor));
    }
    spread_along_laws();
    Verdict all =
        fine(Rule::invariance,
             "each parameter of an update is a constant, fresh noise, or the current value of "
             "another variable, and each update leaves its target density invariant");
    for (const Variable slot : recorded_) merge(all, of(slot));
    all.parts = derivation();
    if (all.accuracy != Accuracy::none) add_unreached(all);
    all.coupled = are_coupled(recorded_);
    all.metropolis = decides();
    return all;
  }

 private:
  IdSet id_set(const std::vector<Variable>& all) const {
    IdSet found(a_.graph.variables().size());
    for (const Variable v : all) found.set(index(v));
    return found;
  }

  Verdict& of(Variable v) { return verdicts_[a_.influence.component(v)]; }

  bool moves_slot(std::size_t t) const {
    return std::ranges::any_of(a_.all[t].writes,
                               [&](Variable v) { return a_.is(v, VariableKind::slot); });
  }

  /// Verdicts on every update, without the effects of shared noises.
  std::vector<Verdict> judged_by_themselves() const {
    std::vector<Verdict> verdicts;
    for (std::size_t t = 0; t < a_.all.size(); ++t) {
      verdicts.push_back(judge_transition(a_, t));
      if (a_.info(t).kind != OperationKind::observe) join(verdicts.back(), judge_parameters(a_, t));
      verdicts.back() = kept(std::move(verdicts.back()));
    }
    return verdicts;
  }

  /// The verdict without the rule that is left out.
  Verdict kept(Verdict v) const {
    if (!without_) return v;
    if (v.parts.empty()) v.parts.push_back(v);
    Verdict without = fine(v.rule, "");
    for (const Verdict& part : v.parts) {
      if (!is_of(part, *without_)) join(without, part);
    }
    return without;
  }

  /// Rule P permits reading values that an update cannot influence. Rule N then requires that these
  /// values share no noise with the update.
  static bool is_of(const Verdict& part, Rule rule) {
    if (part.rule == rule) return true;
    const auto is_permitted = [](const Premise& p) {
      return !p.feeds_back && (p.standing == "past" || p.standing == "replaced");
    };
    return rule == Rule::uninfluenced && part.rule == Rule::noise &&
           part.accuracy == Accuracy::none && std::ranges::any_of(part.premises, is_permitted);
  }

  /// Keeps the parts of a verdict, and merges the verdict into each component that it concerns.
  void conclude(const std::vector<Variable>& about, const std::string& name, Verdict v) {
    v = kept(std::move(v));
    if (v.parts.empty() && !v.reason.empty()) v.parts.push_back(v);
    Conclusion found{IdSet(verdicts_.size()), std::move(v.parts)};
    v.parts.clear();
    for (Verdict& part : found.parts) part.about = name;
    for (const Variable one : about) {
      merge(of(one), v);
      found.of.set(a_.influence.component(one));
    }
    conclusions_.push_back(std::move(found));
  }

  /// The conclusions that were joined into the verdict on the recorded slots.
  std::vector<Verdict> derivation() const {
    IdSet open(verdicts_.size());
    for (const Variable slot : recorded_) {
      open.set(a_.influence.component(slot));
    }
    for (IdSet before; before != open;) {
      before = open;
      each(before, [&](std::int32_t one) { open |= from_[index(one)]; });
    }
    std::vector<Verdict> all;
    for (const Conclusion& one : conclusions_) {
      if (one.of.intersects(open)) all.insert(all.end(), one.parts.begin(), one.parts.end());
    }
    return all;
  }

  /// For each transition: whether the transition is wrong. After one wrong update, a variable does
  /// not have its law, so another update that leaves this law invariant is wrong too.
  std::vector<bool> wrong() const {
    std::vector<bool> found(a_.all.size(), false);
    IdSet variables(a_.graph.variables().size());
    for (IdSet before; before != variables;) {
      before = variables;
      for (std::size_t t = 0; t < found.size(); ++t) {
        const IdSet written = id_set(a_.all[t].writes);
        found[t] = updates_[t].accuracy == Accuracy::none || written.intersects(variables);
        if (found[t]) variables |= written;
      }
    }
    return found;
  }

  void judge_update(std::size_t t, bool by_itself) {
    if (a_.info(t).kind == OperationKind::observe) return;
    conclude(a_.all[t].writes, a_.info(t).name, by_itself ? updates_[t] : noises_[t]);
  }

  /// An update that starts from an auxiliary is no better than the updates that wrote the auxiliary
  /// since its last full redraw. A full redraw leaves its law invariant for all values of its
  /// parameters.
  void judge_auxiliary_writers(std::size_t t) {
    std::map<std::size_t, bool>
        writers;  // whether the writer leaves the law invariant for all values that it reads
    for (const OperationInfo* part : a_.parts(t)) {
      for (const Value state : a_.auxiliaries(*part)) {
        for (const Value at : a_.past(state, part->guard).all()) {
          const auto writer = a_.transition_of(a_.graph[at].producer);
          if (!writer || *writer == t) continue;
          const OperationInfo& by = a_.info(*writer);
          writers.emplace(*writer, redraws(by, part->guard) && by.traits.keeps_law);
        }
      }
    }
    for (const auto& [writer, keeps_it] : writers) {
      const auto spread = [&, by = writer](const Verdict& v) {
        if (v.accuracy == Accuracy::none) conclude(a_.all[t].writes, a_.info(by).name, v);
      };
      if (!keeps_it) spread(updates_[writer]);
      spread(noises_[writer]);
    }
  }

  /// A slot whose law depends on another slot is no better than that slot. Each pass reaches one
  /// law further.
  void spread_along_laws() {
    for (std::size_t pass = 0; pass < verdicts_.size(); ++pass) {
      bool changed = false;
      for (std::size_t t = 0; t < a_.all.size(); ++t) changed = spread(t) || changed;
      if (!changed) return;
    }
  }

  bool spread(std::size_t t) {
    bool changed = false;
    for (const Value law : a_.target_laws(a_.info(t))) {
      each(a_.cones.leaves(law), [&](std::int32_t leaf) {
        if (!a_.is(Value{leaf}, VariableKind::slot)) return;
        for (const Variable written : a_.all[t].writes)
          changed = spread(a_.graph[Value{leaf}].variable, written) || changed;
      });
    }
    return changed;
  }

  /// Returns whether the verdict of `target` changes.
  bool spread(Variable source, Variable target) {
    const Verdict& from = of(source);
    Verdict& to = of(target);
    if (&to == &from || (rank(to) >= rank(from) && to.density == from.density)) return false;
    const auto before = std::pair(rank(to), to.density);
    merge(to, from);
    from_[a_.influence.component(target)].set(a_.influence.component(source));
    return before != std::pair(rank(to), to.density);
  }

  bool decides() const {
    for (std::size_t t = 0; t < a_.all.size(); ++t) {
      if (moves_slot(t) && a_.info(t).kind == OperationKind::accept) return true;
    }
    return false;
  }

  /// Whether different updates move two of the slots with one noise, directly or through other
  /// variables that they write.
  bool are_coupled(const std::vector<Variable>& slots) const {
    for (std::size_t t = 0; t < a_.all.size(); ++t) {
      for (const std::size_t other : noise_.sharing(t)) {
        if (noise_.is_draw_for_other(t, other)) continue;
        const IdSet here = followers(t, slots);
        const IdSet there = followers(other, slots);
        if (here.any() && there.any() && (here | there).count() > 1) return true;
      }
    }
    return false;
  }

  /// The slots that an update moves, or that depend on a momentum or on normals that it moves.
  IdSet followers(std::size_t t, const std::vector<Variable>& slots) const {
    std::vector<Variable> beside;
    for (const Variable v : a_.all[t].writes) {
      if (a_.is(v, VariableKind::auxiliary) || a_.is(v, VariableKind::estimate))
        beside.push_back(v);
    }
    IdSet following = a_.influence.reached(beside, {});
    for (const Variable slot : slots)
      if (a_.moves(t, slot)) following.set(index(slot));
    return following & id_set(slots);
  }

  void add_unreached(Verdict& all) const {
    for (const Variable slot : recorded_) {
      if (a_.influence.is_random(slot) || a_.graph[slot].fixed) continue;
      all.notes.push_back(
          fmt::format("no randomness reaches `{}`, so it moves deterministically, and invariance "
                      "does not imply that its draws have the invariant distribution",
                      a_.graph[slot].name));
    }
  }

  /// The parts of one verdict, and the components of influence that it concerns.
  struct Conclusion {
    IdSet of;
    std::vector<Verdict> parts;
  };

  Analysis a_;
  std::vector<Variable> recorded_;  ///< slots whose positions are recorded; if none is, all slots
  std::optional<Rule> without_;
  std::vector<Verdict> updates_;  ///< by transition: verdicts without the effects of shared noises
  NoiseFlow noise_;
  std::vector<Verdict> noises_;    ///< by transition: verdicts on the effects of shared noises
  std::vector<Verdict> verdicts_;  ///< by component of influence
  std::vector<IdSet> from_;  ///< by component: the components whose verdicts were merged into it
  std::vector<Conclusion> conclusions_;
};

bool is_written(const VariableInfo& v) { return !(v.carried == v.current); }

/// Whether some function of this class is made from a history.
template <class Made>
bool makes(const KernelGraph& graph, const Cones& cones, Value history) {
  return std::ranges::any_of(all_values(graph), [&](Value v) {
    return cones.depends(v, history) && dynamic_cast<const Made*>(graph[v].function.get());
  });
}

/// A name for what a history learns: the history's description, or the value that is made from its
/// stored points.
std::string learnt_from(const KernelGraph& graph, const VariableInfo& history) {
  if (!history.learns.empty()) return history.learns;
  const Cones cones(graph);
  if (makes<Representation>(graph, cones, history.carried)) return "preconditioner";
  if (makes<Potential>(graph, cones, history.carried)) return "fitted law";
  return history.name;
}

/// Names of the values that warmup learns and sampling only reads, without repetition.
std::vector<std::string> learnt_in(const KernelGraph& warmup, const KernelGraph& sampling) {
  std::vector<std::string> words;
  for (const VariableInfo& v : sampling.variables()) {
    if (v.kind != VariableKind::history || is_written(v)) continue;
    const auto& all = warmup.variables();
    const bool learns = std::ranges::any_of(
        all, [&](const VariableInfo& w) { return w.name == v.name && is_written(w); });
    if (!learns) continue;
    const std::string word = learnt_from(sampling, v);
    if (!contains(words, word)) words.push_back(word);
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
