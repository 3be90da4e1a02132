// How long the summary of a run will take, while there is still time to draw less.
// SPDX-License-Identifier: Apache-2.0
#include "results/summary_cost.hpp"

#include "base/clock.hpp"
#include "results/row.hpp"

#include <mixwell/base/random.hpp>

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>

namespace mixwell {
namespace {

double work(double numbers) { return numbers * std::log2(std::max(numbers, 2.0)); }

}  // namespace

SummaryCost::SummaryCost(Index elements, Index chains)
    : elements_(static_cast<double>(elements)), chains_(static_cast<double>(chains)) {
  // Just beyond a power of two, from which series are filled up to the next one, the most.
  Eigen::MatrixXd draws(2050, 4);
  Stream(1, "summary cost").normals({}, draws);
  summary_row("", draws, {});  // the first one is slow: its code and memory are new to the process
  const auto start = Clock::now();
  summary_row("", draws, {});
  constexpr double beside = 1.8;  // reading, hashing, and caches that long chains do not fit into
  unit_ = beside * seconds_since(start) / work(static_cast<double>(draws.size()));
}

double SummaryCost::seconds(double draws) const {
  const double threads = tbb::this_task_arena::max_concurrency();
  const double rounds = std::ceil(elements_ / threads);
  return unit_ * rounds * work(draws * chains_);
}

}  // namespace mixwell
