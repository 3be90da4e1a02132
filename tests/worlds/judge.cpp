// Compares a certificate with the exact laws of finite worlds.
// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include "certificate/without_rule.hpp"
#include "wiring.hpp"

#include <mixwell/base/error.hpp>

#include <algorithm>
#include <chrono>

namespace mixwell::testing {
namespace {

constexpr int every_option = 1000;

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The next tape. None if this was the last one.
bool next(const Search& what, std::int64_t cases, Tape& tape) {
  if (!what.seed) return cases == 0 || tape.advance();
  tape = Tape::random(*what.seed * 1'000'003 + static_cast<std::uint64_t>(cases), what.percent);
  return true;
}

}  // namespace

Rule rule_named(const std::string& id) {
  if (const auto rule = rule_from(id)) return *rule;
  throw InputError("there is no rule `" + id + "`; docs/certificate.md lists all rules");
}

Case judged(const KernelGraph& graph, const Verdict& verdict, const Effort& effort) {
  WorldsEffort worlds;
  worlds.worlds = is_promise(graph, verdict) ? effort.worlds : effort.strict_worlds;
  worlds.sweeps = effort.sweeps;
  const WorldsComparison seen = compare_with_worlds(graph, verdict, worlds);
  return {static_cast<Judgement>(seen.judgement), verdict, seen.finite};
}

Case judged(const KernelGraph& graph, const Effort& effort) {
  return judged(graph,
                effort.without_rule ? certify_without(graph, *effort.without_rule) : certify(graph),
                effort);
}

Case judged(const Language& language, Tape& tape, const Effort& effort) try {
  return judged(wired(language, tape), effort);
} catch (const InputError&) {
  return {};
}

namespace {

/// The tape with one plainer choice, if the judgement stays the same. Otherwise none.
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

Tally search(const Search& what, const std::function<void(const Tape&, const Case&)>& see) {
  const auto start = std::chrono::steady_clock::now();
  Tally tally;
  Tape tape;
  std::int64_t holes_left = what.holes;
  while (tally.cases < what.cases && (tally.cases % 64 != 0 || since(start) < what.seconds)) {
    if (!next(what, tally.cases, tape)) {
      tally.complete = true;
      break;
    }
    tape.begin(what.language.options);
    const Case found = judged(what.language, tape, what.effort);
    ++tally.cases;
    ++tally.of[found.judgement];
    if (found.judgement == Judgement::hole && --holes_left == 0) break;
    see(tape, found);
  }
  tally.seconds = since(start);
  return tally;
}

}  // namespace mixwell::testing
