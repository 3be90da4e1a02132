// Rule R: a proposal made by stages that keep another law, which the ratio divides out.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"
#include "certificate/same_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

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
    join(v, same_backwards());
    join(v, auxiliaries_of_their_own());
    join(v, one_draw());
    return v;
  }

 private:
  Verdict of_one_slot() const {
    const auto count = [&](Role role) {
      return std::ranges::count_if(who_.inputs, [&](const Input& i) { return i.role == role; });
    };
    if (count(Role::state) != 1 || count(Role::proposed) != 1) {
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
    return std::ranges::any_of(who_.inputs, [&](const Input& i) {
      const ValueInfo& v = a_.graph[i.value];
      return i.role == Role::evaluation && v.evaluated_law == law_ && v.evaluated_at == at;
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
