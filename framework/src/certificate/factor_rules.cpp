// Rules on factors of the joint target. All updates of a slot leave the same density invariant.
// Their laws contain the slot's factors and depend only on slots of these factors.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"

#include <mixwell/law/capabilities.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace mixwell {
namespace {

class FactorRules {
 public:
  FactorRules(const Analysis& a, Variable slot) : a_(a), slot_(slot) {}

  Verdict judge() {
    Verdict v =
        fine(Rule::factor, "the laws of each update contain every factor of the updated slots");
    bool has_factor = false;
    for (const Factor& factor : a_.graph.factors()) {
      if (!contains(factor.slots, slot_)) continue;
      has_factor = true;
      join(v, covered(factor));
    }
    if (has_factor && a_.is_written(slot_)) return v;
    if (has_factor && a_.graph[slot_].fixed) {
      v.notes.push_back(
          fmt::format("`{}` keeps its starting value, so the draws have the target distribution "
                      "given this value",
                      a_.graph[slot_].name));
      return v;
    }
    return biased(Rule::factor, a_.graph[slot_].name, true,
                  has_factor ? "the slot is never updated" : "the slot has no target density");
  }

 private:
  Verdict covered(const Factor& factor) {
    Verdict v = fine(Rule::factor, "covered");
    for (const std::size_t t : a_.writers[index(slot_)]) {
      const Verdict seen = sees(t, factor);
      if (!kept_) kept_ = seen.density;
      if (seen.accuracy != Accuracy::none && *kept_ != seen.density) {
        return biased(Rule::one_density, a_.info(t).name, true,
                      fmt::format("updates of `{}` leave different densities invariant: {} and {}",
                                  a_.graph[slot_].name, *kept_, seen.density));
      }
      join(v, seen);
    }
    return v;
  }

  /// The density that the update `t` leaves invariant, for one factor.
  Verdict sees(std::size_t t, const Factor& factor) const {
    const OperationInfo& who = a_.info(t);
    if (who.traits.invariant && !*who.traits.invariant) return fine(Rule::factor, "");
    if (const auto laws = a_.laws_with(factor, who); !laws.empty())
      return joined(density(t, laws.front()), of_own_slots(t, factor, laws.front()));
    return biased(Rule::factor, who.name, true,
                  fmt::format("the laws of the update do not contain the factor `{}`",
                              a_.graph[factor.law].name));
  }

  /// A law may be conditional only on the slots of its factor.
  Verdict of_own_slots(std::size_t t, const Factor& factor, Value law) const {
    Verdict v = fine(Rule::factor,
                     "the law that contains a factor depends only on the slots of this factor");
    each(a_.cones.leaves(law), [&](std::int32_t leaf) {
      if (!a_.is(Value{leaf}, VariableKind::slot)) return;
      const Variable slot = a_.graph[Value{leaf}].variable;
      if (contains(factor.slots, slot)) return;
      join(v, biased(Rule::factor, a_.info(t).name, true,
                     "the law of the update contains a factor but depends on a slot that does not "
                     "belong to this factor",
                     a_.cones.path(Value{leaf}, law)));
    });
    return v;
  }

  /// The density of a law, as declared by the operations that made it.
  Verdict density(std::size_t t, Value law) const {
    Verdict v = fine(Rule::factor, "the law of the update is the law of the target");
    if (a_.maker(law) == nullptr) return repeating(std::move(v), law);
    const OperationInfo& made_by = *a_.maker(law);
    if (!made_by.traits.density.empty()) {
      v = assuming(a_, std::move(v), made_by, "density");
      v.density = made_by.traits.density;
    } else if (made_by.traits.marginal) {
      v = resting_on(a_, assuming(a_, std::move(v), made_by, "marginal"),
                     input_of(made_by, Role::law), "marginal");
    } else if (made_by.traits.unbiased) {
      v = assuming(a_, std::move(v), made_by, "unbiased");
    } else if (made_by.traits.cycle > 0) {
      v = over_a_cycle(t, made_by);
    } else {
      return biased(
          Rule::factor, a_.info(t).name, false,
          fmt::format("the law `{}` is computed from the target's law, but the operation "
                      "that computes it does not declare how the two are related. Declare "
                      "`unbiased` or `density` for this operation",
                      a_.graph[law].name));
    }
    const Value stands_for = input_of(made_by, Role::law);
    if (stands_for && is_estimated(stands_for)) {
      v = resting_on(a_, std::move(v), stands_for, "unbiased_density");
      if (v.declared.empty()) {
        v.assumes.push_back({a_.graph[stands_for].name, "unbiased_density", {}});
      }
      return v;
    }
    if (const Value before = a_.law_before(law)) join(v, density(t, before));
    return v;
  }

  /// Rule S: a law whose gradient is right on average over a cycle of sweeps. To first order, one
  /// small step for each sweep of the cycle is one step of the whole law. This requires that
  /// nothing else in the step depends on the number of the sweep, and that no sweep is left out.
  Verdict over_a_cycle(std::size_t t, const OperationInfo& made_by) const {
    const IdSet noises = turns();
    const auto follows = [&](Value v) { return a_.noises_behind(v).intersects(noises); };
    for (const OperationInfo& who : a_.graph.operations()) {
      if (who.kind == OperationKind::pure || who.kind == OperationKind::regroup) continue;
      for (const Input& input : who.inputs) {
        if (!follows(input.value) || input.role == Role::noise) continue;
        if (!steps_by(who, input)) {
          return biased(
              Rule::cycle, a_.info(t).name, false,
              fmt::format(
                  "the gradient from `{}` is unbiased only on average over {} sweeps. Its errors "
                  "cancel only if `{}` takes one small step in every sweep and uses only this "
                  "gradient",
                  made_by.name, made_by.traits.cycle, who.name));
        }
      }
    }
    Verdict v = assuming(
        a_, fine(Rule::cycle, "each part of the data is used for one small step in each cycle"),
        made_by, fmt::format("cycle of {}", made_by.traits.cycle));
    v.accuracy = Accuracy::asymptotic;
    v.order = 1;
    return v;
  }

  /// The noises that decide which part of the data is used: the noises of all laws that are
  /// not right on average in every sweep. Two such laws may use the same part of the data in each
  /// sweep although no edge joins them.
  IdSet turns() const {
    IdSet all(a_.graph.values().size());
    for (const OperationInfo& who : a_.graph.operations()) {
      if (who.kind != OperationKind::pure || who.traits.unbiased || !input_of(who, Role::law))
        continue;
      for (const Value out : who.outputs) all |= a_.noises_behind(out);
    }
    return all;
  }

  static bool steps_by(const OperationInfo& who, const Input& input) {
    return who.kind == OperationKind::move && who.traits.local && !who.guard &&
           (input.role == Role::law || input.role == Role::evaluation);
  }

  const Potential* potential(Value law) const {
    return dynamic_cast<const Potential*>(a_.graph[law].function.get());
  }

  bool is_estimated(Value law) const {
    const Potential* const of = potential(law);
    return of != nullptr && of->offers<EstimatedDensity>() != nullptr;
  }

  /// The density of a model is a function of theta. For foreign code, only the author of the code
  /// states this.
  Verdict repeating(Verdict v, Value law) const {
    const Model* const model = potential(law) == nullptr ? nullptr : potential(law)->as_model();
    const bool is_foreign = model != nullptr && calls_foreign_code(*model);
    return is_foreign ? resting_on(a_, std::move(v), law, "deterministic") : v;
  }

  const Analysis& a_;
  Variable slot_;
  std::optional<std::string> kept_;
};

}  // namespace

Verdict judge_slot(const Analysis& a, Variable slot) { return FactorRules(a, slot).judge(); }

}  // namespace mixwell
