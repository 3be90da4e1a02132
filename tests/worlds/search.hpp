// Every wiring of a language, or random ones, one after another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge.hpp"

#include <cstdint>
#include <functional>
#include <map>

namespace mixwell::testing {

struct Search {
  Language language;
  Effort effort;
  double seconds = 60.0;                ///< at most
  std::int64_t cases = 1'000'000'000;   ///< at most
  std::int64_t holes = 1'000'000'000;   ///< at most
  std::optional<std::uint64_t> seed{};  ///< random wirings; none: all, in order
  int percent = 20;                     ///< how often a random wiring takes an option
};

struct Tally {
  std::map<Judgement, std::int64_t> of;
  std::int64_t cases = 0;
  bool complete = false;  ///< all that there are
  double seconds = 0.0;
};

/// Calls `see` with every case.
Tally search(const Search& what, const std::function<void(const Tape&, const Case&)>& see);

}  // namespace mixwell::testing
