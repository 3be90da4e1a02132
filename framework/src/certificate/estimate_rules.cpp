// Rule M: a density that is known only through an unbiased estimate.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mixwell {

bool moves_normals(const Analysis& a, const OperationInfo& move) {
  return reads(move, Role::state, [&](Value v) { return a.is(v, VariableKind::estimate); });
}

namespace {

/// Let z ~ N(0, I) and E exp(-Uhat(theta; z)) = c exp(-U(theta)). Then the density exp(-Uhat(theta;
/// z)) N(z; 0, I) / c of theta and z has exp(-U) as its marginal. These rules judge whether z
/// belongs to the state. Every update of theta or of z must be a Metropolis decision by this joint
/// density, with the stored z. An update may move theta and z together, or one of them given the
/// other (Murray & Graham 2016, AISTATS). If an update moves z, rule 2a checks that the ratio has
/// the law at both ends.
class EstimateRules {
 public:
  EstimateRules(const Analysis& a, Variable normals)
      : a_(a), normals_(normals), slot_(a.graph[normals].parts.front()) {}

  Verdict judge() const {
    Verdict v = fine(Rule::estimate, "the estimate at the state is stored with the state",
                     "Andrieu & Roberts 2009, Ann. Stat. 37");
    for (const std::size_t t : a_.writers[index(normals_)]) {
      const OperationInfo& who = a_.info(t);
      if (who.kind == OperationKind::observe || a_.writes(t, slot_)) continue;
      if (decides_by_what_is_kept(t)) continue;
      join(v, lost(t, fmt::format("`{}` computes the estimate at the state again, as in Monte "
                                  "Carlo within Metropolis. Use the stored estimate instead",
                                  who.name)));
    }
    for (const std::size_t t : a_.writers[index(slot_)]) {
      if (a_.writes(t, normals_) || decides_by_what_is_kept(t)) continue;
      join(v, lost(t, fmt::format(
                          "`{}` moves `{}` but does not update the estimate that is stored with it",
                          a_.info(t).name, a_.graph[slot_].name)));
    }
    return v;
  }

 private:
  bool decides_by_what_is_kept(std::size_t t) const {
    const auto laws = a_.target_laws(a_.info(t));
    return a_.info(t).kind == OperationKind::accept &&
           std::ranges::any_of(laws, [&](Value law) { return follows_what_is_kept(law, t); });
  }

  /// Whether the law is made from the newest normals.
  bool follows_what_is_kept(Value law, std::size_t t) const {
    const auto is_kept = [&](Value leaf) {
      return a_.is_version(leaf) && a_.graph[leaf].variable == normals_;
    };
    const IdSet& leaves = a_.cones.leaves(law);
    return any(leaves, is_kept) && !any(leaves, [&](Value leaf) {
             return is_kept(leaf) && a_.staleness.is_replaced(leaf, t);
           });
  }

  Verdict lost(std::size_t t, std::string reason) const {
    return cited(biased(Rule::estimate, a_.info(t).name, true, std::move(reason)),
                 "Andrieu & Roberts 2009, Ann. Stat. 37, section 2 (GIMH is exact, MCWM is not)");
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
