// Compares a certificate with the exact laws of finite worlds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "language.hpp"
#include "tape.hpp"

#include <mixwell/graph/graph.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/worlds.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace mixwell::testing {

/// WorldsJudgement, with the cases that only wirings have.
enum class Judgement {
  right,
  hole,
  wrong,
  strict,
  silent,
  unread,
  refused  ///< the graph itself refuses the wiring
};
inline std::string in_words(Judgement j) {
  if (j == Judgement::refused) return "refused";
  return std::string(to_string(static_cast<WorldsJudgement>(j)));
}

struct Effort {
  int worlds = 4;          ///< of a case that is called exact
  int strict_worlds = 20;  ///< of a case that is called biased
  int sweeps = 4;
  std::optional<Rule> without_rule{};  ///< of the certificate, left out
};

/// "1s", "N": as in the table of rules. Throws InputError.
Rule rule_named(const std::string& id);

struct Case {
  Judgement judgement = Judgement::refused;
  Verdict verdict{};
  FiniteReadingResult finite{};
};

/// Judges a graph as `verdict` says.
Case judged(const KernelGraph& graph, const Verdict& verdict, const Effort& effort);
/// Judges a graph as the rules say.
Case judged(const KernelGraph& graph, const Effort& effort);
/// Judges a wiring; `refused` if the graph refuses it.
Case judged(const Language& language, Tape& tape, const Effort& effort);

/// A list of choices that is no farther from the plainest one, with the same judgement.
Tape shrunk(const Language& language, const Tape& tape, const Effort& effort);

struct Search {
  Language language;
  Effort effort;
  double seconds = 60.0;                ///< at most
  std::int64_t cases = 1'000'000'000;   ///< at most
  std::int64_t holes = 1'000'000'000;   ///< at most
  std::optional<std::uint64_t> seed{};  ///< seed of random wirings; none: all wirings, in order
  int percent = 20;                     ///< percentage of options that a random wiring takes
};

struct Tally {
  std::map<Judgement, std::int64_t> of;
  std::int64_t cases = 0;
  bool complete = false;  ///< whether all wirings were taken
  double seconds = 0.0;
};

/// Calls `see` with every case.
Tally search(const Search& what, const std::function<void(const Tape&, const Case&)>& see);

}  // namespace mixwell::testing
