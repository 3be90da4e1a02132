// A certificate beside the exact laws of finite worlds.
// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include "wiring.hpp"

#include <mixwell/error.hpp>

#include <algorithm>

namespace mixwell::testing {
namespace {

constexpr int every_option = 1000;

/// `limit`: to first order, where worlds see too little to call a verdict too strict.
Judgement judgement(bool claimed, bool limit, const FiniteReadingResult& finite) {
  if (!finite.unread.empty()) return Judgement::unread;
  if (finite.departure) return claimed ? Judgement::hole : Judgement::wrong;
  if (claimed) return Judgement::right;
  return limit ? Judgement::silent : Judgement::strict;
}

/// Small steps without a decision.
bool is_a_limit(const KernelGraph& graph) {
  const auto& all = graph.operations();
  return std::any_of(all.begin(), all.end(), [&](const OperationInfo& o) {
    return o.kind == OperationKind::move && o.traits.local && !o.traits.invariant &&
           graph[o.outputs.front()].kind == ValueKind::version;
  });
}

}  // namespace

Case judged(const KernelGraph& graph, const Verdict& verdict, const Effort& effort) {
  Case found;
  found.verdict = verdict;
  found.judgement = Judgement::silent;
  const bool limit = is_a_limit(graph);
  const auto promised = limit ? CertificateClass::asymptotic : CertificateClass::exact;
  const bool claimed = verdict.certificate_class() == promised;
  if (!claimed && verdict.certificate_class() != CertificateClass::biased) return found;
  if (verdict.reason == "a slot is never updated") return found;  // true, and invariant
  WorldsEffort worlds;
  worlds.worlds = claimed ? effort.worlds : effort.strict_worlds;
  worlds.sweeps = effort.sweeps;
  worlds.joint = !verdict.coupled;
  worlds.first_order = limit;
  found.finite = read_on_worlds(graph, worlds);
  found.judgement = judgement(claimed, limit, found.finite);
  return found;
}

Case judged(const KernelGraph& graph, const Effort& effort) {
  return judged(graph, certify(graph), effort);
}

Case judged(const Language& language, Tape& tape, const Effort& effort) try {
  return judged(wired(language, tape), effort);
} catch (const InputError&) {
  return {};
}

namespace {

/// Plainer in one choice, if the judgement stays; else none.
std::optional<Tape> plainer(const Language& language, const Tape& tape, const Effort& effort,
                            Judgement wanted) {
  for (std::size_t k = 0; k < tape.choices().size(); ++k) {
    for (int less = 0; less < tape.choices()[k]; ++less) {
      std::vector<int> choices = tape.choices();
      choices[k] = less;
      Tape candidate(choices);
      candidate.begin(every_option);
      if (judged(language, candidate, effort).judgement == wanted) return candidate;
    }
  }
  return std::nullopt;
}

}  // namespace

Tape shrunk(const Language& language, const Tape& tape, const Effort& effort) {
  Tape best(tape.choices());
  best.begin(every_option);
  const Judgement wanted = judged(language, best, effort).judgement;
  while (const auto next = plainer(language, best, effort, wanted)) best = *next;
  return best;
}

}  // namespace mixwell::testing
