// Rule L: each auxiliary is a variable of an extended target and has its own law.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

class AuxiliaryRules : OneTransition {
 public:
  using OneTransition::OneTransition;

  /// Judges all auxiliaries that the transition reads as states.
  Verdict judge() const {
    Verdict v = fine(
        Rule::auxiliary,
        "each auxiliary variable was drawn from the law that the update uses for this variable");
    for (const Value version : a_.auxiliaries(who_)) {
      const Past past = a_.past(version, who_.guard);
      join(v, under_one_law(version, past));
      join(v, has_its_law(version, past));
    }
    return v;
  }

  /// Later versions that were made partly from this one also depend on it.
  Verdict read(Value version) const {
    std::vector<Value> later;
    for (Value at = a_.graph[version].replaced_by; at; at = a_.graph[at].replaced_by) {
      if (redraws(a_.operation(a_.graph[at].producer), who_.guard)) break;
      later.push_back(at);
    }
    const Verdict v = has_its_law(version, a_.past(version, who_.guard));
    return v.accuracy == Accuracy::none ? v : fault_among(later, t_, version).value_or(v);
  }

 private:
  Verdict wrong(std::string reason, std::vector<std::string> path) const {
    return biased(Rule::auxiliary, true, std::move(reason), std::move(path));
  }

  /// A value drawn under one law does not have the distribution of another. A value that is carried
  /// from sweep to sweep was drawn from the law of an earlier sweep.
  Verdict under_one_law(Value version, const Past& past) const {
    const std::string& name = a_.graph[version].name;
    const bool is_carried = !past.before.empty();
    const auto laws = a_.auxiliary_laws(who_);
    if (laws.empty() && is_carried) {
      return biased(Rule::auxiliary, false,
                    fmt::format("`{}` is carried from sweep to sweep, but its law is not an "
                                "input of the update that uses this variable",
                                name));
    }
    Value another;
    for (const Value law : laws) {
      if (const Value found = another_than(law, past)) {
        another = found;
        continue;
      }
      if (!is_carried || a_.is_constant(law))
        return fine(Rule::auxiliary,
                    "the auxiliary variable was drawn from the law in the acceptance ratio");
      return wrong(
          fmt::format("`{}` is carried from sweep to sweep, but its law changes between sweeps",
                      name),
          {a_.graph[law].name});
    }
    if (!another)
      return fine(Rule::auxiliary, "the auxiliary variable is not carried from sweep to sweep");
    return wrong(
        fmt::format("the law from which `{}` was drawn is not the law in the acceptance ratio",
                    name),
        {a_.graph[another].name});
  }

  /// A law other than `law` from which a part of the auxiliary was drawn, if there is one.
  Value another_than(Value law, const Past& past) const {
    for (const Value version : past.all()) {
      const OperationInfo* const by = a_.maker(version);
      if (by == nullptr || has_law(*by, law)) continue;
      const auto laws = a_.auxiliary_laws(*by);
      return laws.empty() ? law : laws.front();
    }
    return {};
  }

  Verdict has_its_law(Value version, const Past& past) const {
    std::optional<Verdict> fault = fault_among(past.here, t_, version);
    if (!fault) fault = fault_among(past.before, a_.all.size(), version);
    return fault.value_or(
        fine(Rule::auxiliary,
             "each auxiliary variable is still distributed according to its law when it is read"));
  }

  /// If an accept takes the position that a move leads to and leaves the auxiliary unchanged, the
  /// position and the auxiliary depend on each other. An auxiliary that is drawn from a value of
  /// one branch of a mixture has no law outside that branch. `end`: only transitions before this
  /// one count.
  std::optional<Verdict> fault_among(const std::vector<Value>& versions, std::size_t end,
                                     Value version) const {
    for (const Value at : versions) {
      if (const auto old = drawn_outside_a_branch(at)) return *old;
      for (const std::size_t u : a_.starters(at)) {
        if (u >= end || !leaves_behind(u, at)) continue;
        return wrong(
            fmt::format("`{}` uses the auxiliary variable `{}` to move its state but leaves the "
                        "variable unchanged, so the new state and the variable depend on each "
                        "other. Redraw the variable in full before any operation reads it",
                        a_.info(u).name, a_.graph[at].name),
            {a_.graph[at].name, a_.graph[version].name});
      }
    }
    return std::nullopt;
  }

  std::optional<Verdict> drawn_outside_a_branch(Value version) const {
    const OperationInfo* const by = a_.maker(version);
    if (by == nullptr) return std::nullopt;
    for (const Input& input : by->inputs) {
      if (!a_.is_of_another_branch(*by, input.value)) continue;
      return biased(
          Rule::branch, true,
          fmt::format("`{}` is drawn by `{}` given a value that only one branch of a mixture "
                      "computes. In replicates that chose another branch, this value is from an "
                      "earlier sweep",
                      a_.graph[version].name, by->name),
          {a_.graph[input.value].name, a_.graph[version].name});
    }
    return std::nullopt;
  }

  bool leaves_behind(std::size_t u, Value version) const {
    return !a_.writes(u, a_.graph[version].variable) && a_.info(u).kind != OperationKind::observe;
  }
};

}  // namespace

Verdict judge_auxiliaries(const Analysis& a, std::size_t t) { return AuxiliaryRules(a, t).judge(); }

Verdict judge_read_auxiliary(const Analysis& a, std::size_t t, Value version) {
  return AuxiliaryRules(a, t).read(version);
}

}  // namespace mixwell
