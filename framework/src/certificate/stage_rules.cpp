// Rule R: a proposal made by stages that keep another law, which the ratio divides out.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

class SameStage {
 public:
  SameStage(const Analysis& a, const KernelDescription& one, const KernelDescription& other)
      : graph_(a.graph), one_(one), other_(other) {}

  bool compare() const {
    const std::int32_t count = one_.end_operation - one_.first_operation;
    if (one_.kernel != other_.kernel || other_.end_operation - other_.first_operation != count) {
      return false;
    }
    for (std::int32_t k = 0; k < count; ++k) {
      if (!same(operation(one_.first_operation + k), operation(other_.first_operation + k))) {
        return false;
      }
    }
    return true;
  }

 private:
  const OperationInfo& operation(std::int32_t id) const { return graph_.operations()[index(id)]; }

  /// What is learnt from a stage afterwards is no part of it: what it reads of a register is.
  bool same(const OperationInfo& a, const OperationInfo& b) const {
    if (a.kind != b.kind || a.inputs.size() != b.inputs.size()) return false;
    if (a.kind == OperationKind::observe) return true;
    if (a.traits != b.traits) return false;
    for (std::size_t k = 0; k < a.inputs.size(); ++k) {
      if (a.inputs[k].role != b.inputs[k].role) return false;
      if (!same(a.inputs[k].value, b.inputs[k].value)) return false;
    }
    return true;
  }

  static bool is_in(const KernelDescription& d, Value v) {
    return v.id >= d.first_value && v.id < d.end_value;
  }
  bool same(Value a, Value b) const {
    const auto is_trial = [&](Value v) { return is(graph_, v, VariableKind::trial); };
    if (a == b || (is_trial(a) && is_trial(b))) return true;
    const ValueInfo& x = graph_[a];
    const ValueInfo& y = graph_[b];
    if (x.evaluated_law && y.evaluated_law) {
      return same(x.evaluated_law, y.evaluated_law) && same(x.evaluated_at, y.evaluated_at);
    }
    if (!is_in(one_, a) || !is_in(other_, b)) return false;
    if (x.kind != y.kind || x.rows != y.rows || place(x, a) != place(y, b)) return false;
    return x.kind != ValueKind::version || x.producer >= 0;
  }

  /// Of what an operation wrote: which output of which. Constants and noises are those of the
  /// operations that read them, which are compared.
  std::pair<std::int32_t, std::size_t> place(const ValueInfo& info, Value v) const {
    if (info.producer < 0) return {-1, 0};
    const auto first = is_in(one_, v) ? one_.first_operation : other_.first_operation;
    return {info.producer - first, place_among_outputs(graph_, v)};
  }

  const KernelGraph& graph_;
  const KernelDescription& one_;
  const KernelDescription& other_;
};

const KernelDescription* description_of(const KernelGraph& graph, std::int32_t operation) {
  const auto& all = graph.descriptions();
  const auto found = std::find_if(all.begin(), all.end(), [&](const KernelDescription& d) {
    return operation >= d.first_operation && operation < d.end_operation;
  });
  return found == all.end() ? nullptr : &*found;
}

/// Whether two stages of a proposal are the same transition: one kernel described both, at the same
/// place, from the same constants, parameters and laws, and with noises of their own. Then both
/// have the same law at every state. What a kernel learns it learns for each of them, so that two
/// which learn differ. O(operations) of a kernel.
bool is_same_stage(const Analysis& a, std::size_t one, std::size_t other) {
  const std::int32_t first = a.all[one].operation;
  const std::int32_t second = a.all[other].operation;
  if (first == second) return true;
  const KernelDescription* const x = description_of(a.graph, first);
  const KernelDescription* const y = description_of(a.graph, second);
  if (x == nullptr || y == nullptr || x == y) return false;
  return first - x->first_operation == second - y->first_operation &&
         SameStage(a, *x, *y).compare();
}

/// Let Q be the stages together and p the stage law, both at fixed parameters and noise. If
/// p(x) Q(x, dy) = p(y) Q(y, dx), then with a(x, y) = min(1, pi(y) p(x) / (pi(x) p(y)))
///   pi(x) Q(x, dy) a(x, y) = min(pi(x) / p(x), pi(y) / p(y)) p(x) Q(x, dy)
/// is the same with x and y exchanged: the update is in detailed balance with pi. What p and Q are
/// made from is therefore a parameter, of which rules 2 to 4 ask that it does not follow the slot.
class StageRules : OneTransition {
 public:
  StageRules(const Analysis& a, std::size_t t)
      : OneTransition(a, t),
        stages_(a.stages(t)),
        law_(input_of(who_, Role::stage_law)),
        proposed_(input_of(who_, Role::proposed)) {}

  Verdict judge() {
    if (!law_) {
      return biased(Rule::stages, true,
                    "the ratio does not divide out the law that the proposal's stages keep");
    }
    Verdict v = fine(Rule::stages, "the stages are reversible for a law that the ratio divides out",
                     "Christen & Fox 2005, J. Comp. Graph. Stat. 14");
    join(v, of_one_slot());
    join(v, at_both_ends());
    for (const std::size_t s : stages_.of) join(v, reversible(s));
    return joined(std::move(v), same_backwards(), auxiliaries_of_their_own(), one_draw());
  }

 private:
  Verdict of_one_slot() const {
    if (values_of(who_, Role::state).size() != 1 || values_of(who_, Role::proposed).size() != 1) {
      return biased(Rule::stages, false,
                    "a proposal by stages is decided together with another variable");
    }
    if (!a_.is_copy(stages_.start, input_of(who_, Role::state))) {
      return biased(Rule::stages, true,
                    "the stages start elsewhere than at the state they are compared with",
                    {a_.graph[stages_.start].name});
    }
    return fine(Rule::stages, "the stages lead from the state to the proposal");
  }

  bool has_evaluation(Value at) const {
    return reads(who_, Role::evaluation, [&](Value v) {
      return a_.graph[v].evaluated_law == law_ && a_.graph[v].evaluated_at == at;
    });
  }

  Verdict at_both_ends() const {
    if (has_evaluation(stages_.start) && has_evaluation(proposed_)) {
      return fine(Rule::stages, "the stage law is in the ratio at both ends");
    }
    return biased(Rule::stages, false, "the ratio does not have the stages' law at both ends",
                  {a_.graph[law_].name});
  }

  Verdict reversible(std::size_t s) const {
    const OperationInfo& stage = a_.info(s);
    if (!keeps_stage_law(stage)) {
      return biased(
          Rule::stages, true,
          fmt::format("`{}` keeps another law than the one that the ratio divides out; a stage's "
                      "own oracle leaves the law that it is given as it is",
                      stage.name),
          {a_.graph[law_].name, stage.name});
    }
    if (redraws(stage, stage.guard)) {
      return fine(Rule::stages, "an independent draw is reversible");
    }
    if (stage.kind == OperationKind::accept) return decided(s);
    return biased(Rule::stages, false,
                  fmt::format("nothing tells that `{}` is reversible: one Metropolis decision over "
                              "auxiliaries that are drawn anew is",
                              stage.name));
  }

  bool keeps_stage_law(const OperationInfo& stage) const {
    return has_law(stage, law_) && std::ranges::all_of(stage.inputs, [&](const Input& i) {
             return i.role != Role::law || i.value == law_ || a_.is_auxiliary_law(i);
           });
  }

  /// One decision over a full refresh of all else that it moves.
  Verdict decided(std::size_t s) const {
    Verdict v = fine(Rule::stages, "a Metropolis decision is reversible");
    if (a_.all[s].writes.size() > 1) {
      join(v, biased(Rule::stages, true,
                     fmt::format("`{}` carries an auxiliary on: what it does depends on where "
                                 "the chain came from",
                                 a_.info(s).name)));
    }
    for (const Value auxiliary : a_.auxiliaries(a_.info(s))) {
      if (a_.is_fresh(a_.info(s), auxiliary)) continue;
      join(v,
           biased(Rule::stages, true,
                  fmt::format("`{}` is not drawn anew for the stage: the stage is not reversible",
                              a_.graph[auxiliary].name)));
    }
    return v;
  }

  Verdict auxiliaries_of_their_own() const {
    std::set<std::int32_t> seen;
    Verdict v = fine(Rule::stages, "every stage has auxiliaries of its own");
    for (const std::size_t s : stages_.of) {
      for (const Value auxiliary : a_.auxiliaries(a_.info(s))) {
        if (seen.insert(auxiliary.id).second) continue;
        join(v,
             biased(Rule::stages, true,
                    fmt::format("two stages move by one draw of `{}`", a_.graph[auxiliary].name)));
      }
    }
    return v;
  }

  /// A product T1 T2 ... Tm is reversible if it is the same read backwards.
  Verdict same_backwards() const {
    const auto& of = stages_.of;
    for (std::size_t k = 0; k + k + 1 < of.size(); ++k) {
      const std::size_t mirror = of.size() - 1 - k;
      if (is_same_stage(a_, of[k], of[mirror])) continue;
      return biased(
          Rule::stages, true,
          fmt::format("the stages `{}` and `{}` differ: the way back goes through them in "
                      "the other order, so that together they are not reversible",
                      a_.info(of[k]).name, a_.info(of[mirror]).name));
    }
    return fine(Rule::stages, "the stages are the same in the other order");
  }

  /// A trajectory on a noisy law draws its noise at every step.
  Verdict one_draw() const {
    const IdSet noises = a_.noises_behind(law_);
    if (noises.none()) return fine(Rule::stages, "the stage law has no noise");
    for (const std::size_t s : stages_.of) {
      for (const std::int32_t m : a_.all[s].moves) {
        for (const Input& i : a_.operation(m).inputs) {
          const bool is_law = dynamic_cast<const Potential*>(a_.graph[i.value].function.get());
          if (!is_law || !a_.noises_behind(i.value).intersects(noises)) continue;
          return biased(
              Rule::stages, true,
              fmt::format("`{}` draws the noise of the stage law anew at every step, where "
                          "both ends and all stages must have one draw of it",
                          a_.operation(m).name),
              {a_.graph[i.value].name, a_.operation(m).name});
        }
      }
    }
    return fine(Rule::stages, "the stage law has one draw of its noise");
  }

  Stages stages_;
  Value law_;
  Value proposed_;
};

}  // namespace

Verdict judge_stages(const Analysis& a, std::size_t t) { return StageRules(a, t).judge(); }

}  // namespace mixwell
