// Every wiring of a language, or random ones, one after another.
// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include <chrono>

namespace mixwell::testing {
namespace {

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The next tape; none if that was the last one.
bool next(const Search& what, std::int64_t cases, Tape& tape) {
  if (!what.seed) return cases == 0 || tape.advance();
  tape = Tape::random(*what.seed * 1'000'003 + static_cast<std::uint64_t>(cases), what.percent);
  return true;
}

}  // namespace

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
