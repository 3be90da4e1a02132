// Estimates the time that the summary of a run will take.
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
  // The number of draws is slightly more than a power of two, so series are padded by the largest
  // factor.
  Eigen::MatrixXd draws(2050, 4);
  Stream(1, "summary cost").normals({}, draws);
  summary_row("", draws, {});  // not timed: the first call is slow
  const auto start = Clock::now();
  summary_row("", draws, {});
  constexpr double beside = 1.8;  // allows for reading, hashing, and cache misses of long chains
  unit_ = beside * seconds_since(start) / work(static_cast<double>(draws.size()));
}

double SummaryCost::seconds(double draws) const {
  const double threads = tbb::this_task_arena::max_concurrency();
  const double rounds = std::ceil(elements_ / threads);
  return unit_ * rounds * work(draws * chains_);
}

}  // namespace mixwell
