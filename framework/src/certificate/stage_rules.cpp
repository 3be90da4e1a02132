// Rule R checks proposals that are made in stages. The acceptance ratio divides out the law that
// the stages leave invariant.
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

  /// An operation that learns from a stage afterwards is not part of the stage, so it is not
  /// compared. A history that the stage reads is compared.
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

  /// For a value that an operation wrote: the index of the operation and of its output. Constants
  /// and noises have no place, because the operations that read them are compared.
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

/// Whether two stages of a proposal are the same transition, so both have the same law at every
/// state. One kernel must have described both stages at the same place, from the same constants,
/// parameters and laws, with separate noises. A kernel learns separately for each stage, so two
/// stages that learn differ. O(operations) of a kernel.
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
/// is the same with x and y exchanged, so the update is in detailed balance with pi. All values
/// from which p and Q are made are therefore parameters. By rules 2 to 4 they must not depend on
/// the slot.
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
                    "the acceptance ratio does not divide out the law that the stages of the "
                    "proposal leave invariant");
    }
    Verdict v = fine(Rule::stages,
                     "the stages are reversible for a law that the acceptance ratio divides out",
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
                    "the Metropolis decision on a proposal made in stages also covers another "
                    "variable");
    }
    if (!a_.is_copy(stages_.start, input_of(who_, Role::state))) {
      return biased(Rule::stages, true,
                    "the stages do not start at the state with which the proposal is compared",
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
      return fine(
          Rule::stages,
          "the acceptance ratio contains the law of the stages at the state and at the proposal");
    }
    return biased(Rule::stages, false,
                  "the acceptance ratio does not contain the law of the stages both at the state "
                  "and at the proposal",
                  {a_.graph[law_].name});
  }

  Verdict reversible(std::size_t s) const {
    const OperationInfo& stage = a_.info(s);
    if (!keeps_stage_law(stage)) {
      return biased(
          Rule::stages, true,
          fmt::format("the acceptance ratio divides out a law that `{}` does not leave invariant. "
                      "The stage must use this law itself, not a law that an oracle makes from it",
                      stage.name),
          {a_.graph[law_].name, stage.name});
    }
    if (redraws(stage, stage.guard)) {
      return fine(Rule::stages, "an independent draw is reversible");
    }
    if (stage.kind == OperationKind::accept) return decided(s);
    return biased(Rule::stages, false,
                  fmt::format("nothing shows that `{}` is reversible. Use one Metropolis decision "
                              "with freshly drawn auxiliary variables",
                              stage.name));
  }

  bool keeps_stage_law(const OperationInfo& stage) const {
    return has_law(stage, law_) && std::ranges::all_of(stage.inputs, [&](const Input& i) {
             return i.role != Role::law || i.value == law_ || a_.is_auxiliary_law(i);
           });
  }

  /// Judges a stage that makes one decision. Everything else that the decision moves must be fully
  /// refreshed before.
  Verdict decided(std::size_t s) const {
    Verdict v = fine(Rule::stages, "a Metropolis decision is reversible");
    if (a_.all[s].writes.size() > 1) {
      join(v, biased(Rule::stages, true,
                     fmt::format("`{}` carries an auxiliary variable over, so the outcome of this "
                                 "stage depends on earlier states of the chain",
                                 a_.info(s).name)));
    }
    for (const Value auxiliary : a_.auxiliaries(a_.info(s))) {
      if (a_.is_fresh(a_.info(s), auxiliary)) continue;
      join(v, biased(Rule::stages, true,
                     fmt::format("`{}` is not drawn again for the stage, so the stage is not "
                                 "reversible. Each stage needs a new draw",
                                 a_.graph[auxiliary].name)));
    }
    return v;
  }

  Verdict auxiliaries_of_their_own() const {
    std::set<std::int32_t> seen;
    Verdict v = fine(Rule::stages, "each stage has its own auxiliary variables");
    for (const std::size_t s : stages_.of) {
      for (const Value auxiliary : a_.auxiliaries(a_.info(s))) {
        if (seen.insert(auxiliary.id).second) continue;
        join(v, biased(Rule::stages, true,
                       fmt::format(
                           "two stages use the same draw of `{}`. Each stage needs its own draw",
                           a_.graph[auxiliary].name)));
      }
    }
    return v;
  }

  /// A product T1 T2 ... Tm is reversible if it is the same in reverse order.
  Verdict same_backwards() const {
    const auto& of = stages_.of;
    for (std::size_t k = 0; k + k + 1 < of.size(); ++k) {
      const std::size_t mirror = of.size() - 1 - k;
      if (is_same_stage(a_, of[k], of[mirror])) continue;
      return biased(Rule::stages, true,
                    fmt::format("the stages `{}` and `{}` differ. The sequence of the stages is "
                                "reversible only if it is the same in reverse order",
                                a_.info(of[k]).name, a_.info(of[mirror]).name));
    }
    return fine(Rule::stages, "the stages are the same in reverse order");
  }

  /// A trajectory on a noisy law draws its noise at every step.
  Verdict one_draw() const {
    const IdSet noises = a_.noises_behind(law_);
    if (noises.none()) return fine(Rule::stages, "the law of the stages has no noise");
    for (const std::size_t s : stages_.of) {
      for (const std::int32_t m : a_.all[s].moves) {
        for (const Input& i : a_.operation(m).inputs) {
          const bool is_law = dynamic_cast<const Potential*>(a_.graph[i.value].function.get());
          if (!is_law || !a_.noises_behind(i.value).intersects(noises)) continue;
          return biased(
              Rule::stages, true,
              fmt::format("`{}` draws new noise for the law of the stages at every step. The "
                          "state, the proposal and all stages must use the same draw of this noise",
                          a_.operation(m).name),
              {a_.graph[i.value].name, a_.operation(m).name});
        }
      }
    }
    return fine(Rule::stages,
                "the state, the proposal and all stages use the same draw of the noise");
  }

  Stages stages_;
  Value law_;
  Value proposed_;
};

}  // namespace

Verdict judge_stages(const Analysis& a, std::size_t t) { return StageRules(a, t).judge(); }

}  // namespace mixwell
