// Random compositions of built-in components beside finite worlds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge.hpp"

#include <cstdint>
#include <string>

namespace mixwell::testing {

struct RandomCompositions {
  std::uint64_t seed = 1;
  std::int64_t cases = 1000;
  double seconds = 60.0;
  std::string folder = "out/worlds";  ///< for the data files of manifests, and for holes
  Effort effort{};
};

/// Prints a line for each hole, whose manifest is kept in the folder, and how many of those that
/// are called exact or biased came out how, and why some have no finite reading. True: there is a
/// hole.
bool judge_random_compositions(const RandomCompositions& what);

}  // namespace mixwell::testing
