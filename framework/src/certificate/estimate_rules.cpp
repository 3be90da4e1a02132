// Rule M: a density that is known only by an unbiased estimate.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mixwell {

bool moves_normals(const Analysis& a, const OperationInfo& move) {
  return std::any_of(move.inputs.begin(), move.inputs.end(), [&](const Input& i) {
    const ValueInfo& v = a.graph[i.value];
    return i.role == Role::state && v.kind == ValueKind::version &&
           a.graph[v.variable].kind == VariableKind::estimate;
  });
}

namespace {

/// With z ~ N(0, I) and E exp(-Uhat(theta; z)) = c exp(-U(theta)) the density exp(-Uhat(theta; z))
/// N(z; 0, I) / c of theta and z has exp(-U) as its marginal. What is judged here is that z is of
/// the state: moved with theta, by a move that keeps N(0, I), and by nothing else. The other rules
/// see to the rest: the law given z is one whose parameter is moved, and the ratio has it at both
/// ends (rule 2a).
class EstimateRules {
 public:
  EstimateRules(const Analysis& a, Variable normals)
      : a_(a), normals_(normals), slot_(a.graph[normals].parts.front()) {}

  Verdict judge() const {
    Verdict v = fine("M", "the estimate where the state is stays with it",
                     "Andrieu & Roberts 2009, Ann. Stat. 37");
    for (const std::size_t t : a_.writers[static_cast<std::size_t>(normals_.id)]) {
      const OperationInfo& who = a_.info(t);
      if (who.kind == OperationKind::observe || a_.writes(t, slot_)) continue;
      join(v, none(who, true,
                   fmt::format("`{}` makes the estimate where the state is anew: Monte Carlo "
                               "within Metropolis",
                               who.name)));
    }
    for (const std::size_t t : a_.writers[static_cast<std::size_t>(slot_.id)]) {
      if (a_.writes(t, normals_)) continue;
      join(v, none(a_.info(t), true,
                   fmt::format("`{}` moves `{}` and leaves its estimate behind", a_.info(t).name,
                               a_.graph[slot_].name)));
    }
    return v;
  }

 private:
  Verdict none(const OperationInfo& who, bool proved, std::string reason) const {
    Verdict v = fine("M", std::move(reason));
    v.accuracy = Accuracy::none;
    v.proved = proved;
    v.nodes = {who.name};
    v.citation =
        "Andrieu & Roberts 2009, Ann. Stat. 37, section 2 (what is right, and the scheme that is "
        "not)";
    return v;
  }

  const Analysis& a_;
  Variable normals_;
  Variable slot_;
};

}  // namespace

Verdict judge_estimate(const Analysis& a, Variable normals) {
  return EstimateRules(a, normals).judge();
}

}  // namespace mixwell
