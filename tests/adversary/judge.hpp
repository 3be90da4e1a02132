// One manifest: its certificate, and what its draws say about it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "look.hpp"

#include <mixwell/lab/registry.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace adversary {

enum class Outcome {
  agrees,     ///< what is claimed was not refuted
  disagrees,  ///< it was
  silent,     ///< nothing is claimed
  strict,     ///< biased, but nobody proved it, and nothing is seen: too strict, perhaps
  untested,   ///< there are no draws of what it claims
  refused,    ///< not a composition
  slow,       ///< its process took too long
  broken      ///< its process died, or failed while running
};
std::string to_string(Outcome outcome);

struct Judgement {
  Outcome outcome = Outcome::refused;
  std::string verdict;  ///< "exact, proved, rule 1, product"
  Sight sight;          ///< of the look that decided
  std::string remark;
};

/// On one line, and back.
std::string to_line(std::size_t number, const Judgement& judgement);
std::pair<std::size_t, Judgement> from_line(const std::string& line);

struct JudgeSettings {
  double level = 1e-6;      ///< chance that a right verdict is called wrong
  bool asks_strict = true;  ///< look at what is biased without a proof, too
  bool small_steps = true;  ///< those of the manifest are so small that a limit can be seen
  std::string path;         ///< where the manifest would lie, beside its files
};

/// Throws nothing: what is thrown is an outcome.
Judgement judged(const std::string& manifest, const mixwell::Registry& registry,
                 const JudgeSettings& settings);

/// A look at a manifest that was made from one which disagrees.
struct Again {
  std::string path;
  std::int64_t sweeps = 0;
  std::int64_t replicates = 0;
};

/// Whether the certificate claims what draws refute: one look.
Judgement judged_again(const std::string& manifest, const mixwell::Registry& registry,
                       const Again& again);

}  // namespace adversary
