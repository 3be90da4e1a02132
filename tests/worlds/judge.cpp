// A certificate beside the exact laws of finite worlds.
// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include "wiring.hpp"

#include <mixwell/error.hpp>

namespace mixwell::testing {
namespace {

constexpr int every_option = 1000;

Judgement judgement(bool exact, const FiniteReadingResult& finite) {
  if (!finite.unread.empty()) return Judgement::unread;
  if (finite.departure) return exact ? Judgement::hole : Judgement::wrong;
  return exact ? Judgement::right : Judgement::strict;
}

}  // namespace

Case judged(const KernelGraph& graph, const Verdict& verdict, const Effort& effort) {
  Case found;
  found.verdict = verdict;
  found.judgement = Judgement::silent;
  const bool exact = verdict.certificate_class() == CertificateClass::exact;
  if (!exact && verdict.certificate_class() != CertificateClass::biased) return found;
  if (verdict.reason == "a slot is never updated") return found;  // true, and invariant
  WorldsEffort worlds;
  worlds.worlds = exact ? effort.worlds : effort.strict_worlds;
  worlds.sweeps = effort.sweeps;
  worlds.joint = !verdict.coupled;
  found.finite = read_on_worlds(graph, worlds);
  found.judgement = judgement(exact, found.finite);
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
