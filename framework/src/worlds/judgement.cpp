// A verdict beside the exact laws of finite worlds.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/wiring.hpp"

#include <mixwell/lab/worlds.hpp>

#include <algorithm>
#include <array>

namespace mixwell {
namespace {

/// Whether some update has no Metropolis decision, so that it is right only in a limit; `local`: by
/// one small step.
bool has_limit(const KernelGraph& graph, bool local) {
  const auto& all = graph.operations();
  return std::any_of(all.begin(), all.end(), [&](const OperationInfo& o) {
    return worlds::is_uncorrected(graph, o) && (o.traits.local || !local);
  });
}

/// In a limit worlds see too little to call a verdict too strict, and so do few of them.
WorldsJudgement judgement(bool promised, const WorldsComparison& seen) {
  if (!seen.finite.unread.empty()) return WorldsJudgement::unread;
  if (seen.finite.departure) return promised ? WorldsJudgement::hole : WorldsJudgement::wrong;
  if (promised) return WorldsJudgement::right;
  const bool sees_all = !seen.limit && seen.finite.worlds == seen.effort.worlds;
  return sees_all ? WorldsJudgement::strict : WorldsJudgement::silent;
}

}  // namespace

std::string_view to_string(WorldsJudgement judgement) noexcept {
  constexpr std::array<std::string_view, 6> words{"right",  "hole",   "wrong",
                                                  "strict", "silent", "unread"};
  return words[static_cast<std::size_t>(judgement)];
}

bool is_promise(const KernelGraph& graph, const Verdict& verdict) {
  return verdict.certificate_class() ==
         (has_limit(graph, false) ? CertificateClass::asymptotic : CertificateClass::exact);
}

WorldsComparison compare_with_worlds(const KernelGraph& graph, const Verdict& verdict,
                                     const WorldsEffort& effort) {
  const bool promised = is_promise(graph, verdict);
  WorldsComparison seen{.effort = effort, .limit = has_limit(graph, false)};
  seen.effort.joint = !verdict.coupled;
  seen.effort.first_order = has_limit(graph, true);
  const bool stands_still = verdict.reason == "a slot is never updated";  // biased, and invariant
  if (!promised && (verdict.certificate_class() != CertificateClass::biased || stands_still))
    return seen;
  seen.finite = read_on_worlds(graph, seen.effort);
  seen.judgement = judgement(promised, seen);
  return seen;
}

}  // namespace mixwell
