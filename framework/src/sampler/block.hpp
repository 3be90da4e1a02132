// What a block leaves behind: counters, times, transitions that diverged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/workspace.hpp>

#include <cstdint>
#include <vector>

namespace mixwell {

/// Counters and scratch of one lane (a task of a level) on one block; touched by one thread at a
/// time, merged in a fixed order.
struct alignas(128) Columns::Sinks {
  struct Kept {
    Divergence what;
    std::int32_t operation;
  };
  Workspace scratch;
  Evaluations evaluations;
  std::int64_t divergences = 0;
  std::vector<Kept> kept;
  std::size_t capacity = 0;
  std::vector<double> seconds;  ///< by step, of the sweeps that were timed
  std::int32_t operation = -1;  ///< the one that runs
};

}  // namespace mixwell
