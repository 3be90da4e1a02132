// Rule L: an auxiliary is a variable of an extended target, with a law of its own.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

/// Where the numbers of an auxiliary come from: its versions from the one that is read back to a
/// full redraw, across the end of the sweep where there is none, and the transitions that wrote
/// them.
struct Past {
  struct PastVersion {
    Value version;
    std::optional<std::size_t> writer;
    bool is_of_last_sweep = false;
  };
  std::vector<PastVersion> steps;
  bool is_carried = false;  ///< it goes back to an earlier sweep
};

class AuxiliaryRules {
 public:
  AuxiliaryRules(const Analysis& a, std::size_t t) : a_(a), t_(t), who_(a.info(t)) {}

  /// Of all auxiliaries that the transition reads as states.
  Verdict judge() const {
    Verdict v = fine(Rule::auxiliary, "auxiliaries are judged by the law they were drawn from");
    for (const Value version : states()) {
      const Past past = past_of(version);
      join(v, under_one_law(version, past));
      join(v, has_its_law(version, past));
    }
    return v;
  }

  /// What was made from it in part tells of it, too.
  Verdict read(Value version) const {
    Past past = past_of(version);
    for (Value at = a_.graph[version].replaced_by; at; at = a_.graph[at].replaced_by) {
      const Past::PastVersion step{at, a_.transition_of(a_.graph[at].producer)};
      if (is_redraw(step)) break;
      past.steps.push_back(step);
    }
    return has_its_law(version, past);
  }

 private:
  std::vector<Value> states() const {
    std::vector<Value> found;
    for (const Input& input : who_.inputs) {
      const ValueInfo& v = a_.graph[input.value];
      if (input.role != Role::state || v.kind != ValueKind::version) continue;
      if (a_.graph[v.variable].kind == VariableKind::auxiliary) found.push_back(input.value);
    }
    return found;
  }

  Past past_of(Value version) const {
    Past past;
    add(past, version);
    past.is_carried = !is_redraw(past.steps.back());
    if (past.is_carried) add(past, a_.graph[a_.graph[version].variable].current);
    return past;
  }

  void add(Past& past, Value last) const {
    for (const Value at : a_.since_redraw(last, who_.guard)) {
      past.steps.push_back({at, a_.transition_of(a_.graph[at].producer), past.is_carried});
    }
  }

  bool is_redraw(const Past::PastVersion& step) const {
    return step.writer && redraws(a_.info(*step.writer), who_.guard);
  }

  /// What was drawn under one law is not distributed by another; one that is carried over sweeps
  /// was drawn by what the law was then.
  Verdict under_one_law(Value version, const Past& past) const {
    const auto laws = a_.auxiliary_laws(who_);
    if (laws.empty() && past.is_carried) {
      return biased(Rule::auxiliary, who_.name, false,
                    fmt::format("`{}` is carried over sweeps, and no law of it is given",
                                a_.graph[version].name));
    }
    Value another;
    for (const Value law : laws) {
      const Value found = another_than(law, past);
      if (found) {
        another = found;
        continue;
      }
      if (!past.is_carried || a_.is_constant(law))
        return fine(Rule::auxiliary, "drawn from the law of the ratio");
      return biased(Rule::auxiliary, who_.name, true,
                    fmt::format("`{}` is carried over sweeps, and its law changes between them",
                                a_.graph[version].name),
                    {a_.graph[law].name});
    }
    if (!another) return fine(Rule::auxiliary, "it was not drawn before");
    return biased(
        Rule::auxiliary, who_.name, true,
        fmt::format("`{}` was drawn from another law than the ratio uses", a_.graph[version].name),
        {a_.graph[another].name});
  }

  /// A law that some of it was drawn from instead of `law`, or none.
  Value another_than(Value law, const Past& past) const {
    for (const Past::PastVersion& step : past.steps) {
      if (!step.writer) continue;
      const OperationInfo& by = a_.info(*step.writer);
      if (has_law(by, law)) continue;
      const auto laws = a_.auxiliary_laws(by);
      return laws.empty() ? law : laws.front();
    }
    return {};
  }

  /// Where an accept takes the position that a move leads to and leaves the auxiliary as it was,
  /// the two depend on each other. Nor has it its law if that was made in a branch of a mixture and
  /// it is drawn outside of the branch.
  Verdict has_its_law(Value version, const Past& past) const {
    for (const Past::PastVersion& step : past.steps) {
      if (const auto old = drawn_outside_a_branch(step)) return *old;
      for (const std::size_t u : a_.starters(step.version)) {
        const bool before = step.is_of_last_sweep || u < t_;
        if (!before || !leaves_behind(u, step.version)) continue;
        return biased(
            Rule::auxiliary, who_.name, true,
            fmt::format("`{}` moves with `{}` and leaves it as it was, so what it moves "
                        "depends on it. It must be fully redrawn before anything reads it",
                        a_.info(u).name, a_.graph[step.version].name),
            {a_.graph[step.version].name, a_.graph[version].name});
      }
    }
    return fine(Rule::auxiliary, "auxiliaries have their laws where they are read");
  }

  std::optional<Verdict> drawn_outside_a_branch(const Past::PastVersion& step) const {
    if (!step.writer) return std::nullopt;
    const OperationInfo& by = a_.info(*step.writer);
    for (const Input& input : by.inputs) {
      if (!a_.is_of_another_branch(by, input.value)) continue;
      return biased(
          Rule::branch, who_.name, true,
          fmt::format("`{}` is drawn by `{}` from what is made in one branch of a mixture: where "
                      "another branch was chosen that is from an earlier sweep",
                      a_.graph[step.version].name, by.name),
          {a_.graph[input.value].name, a_.graph[step.version].name});
    }
    return std::nullopt;
  }

  bool leaves_behind(std::size_t u, Value version) const {
    return !a_.writes(u, a_.graph[version].variable) && a_.info(u).kind != OperationKind::observe;
  }

  const Analysis& a_;
  std::size_t t_;
  const OperationInfo& who_;
};

}  // namespace

Verdict judge_auxiliaries(const Analysis& a, std::size_t t) { return AuxiliaryRules(a, t).judge(); }

Verdict judge_read_auxiliary(const Analysis& a, std::size_t t, Value version) {
  return AuxiliaryRules(a, t).read(version);
}

}  // namespace mixwell
