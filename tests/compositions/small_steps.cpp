// Draws of small steps without a decision, beside other updates: no ladder is steep enough for
// them. SPDX-License-Identifier: Apache-2.0
#include "small_steps.hpp"

#include <mixwell/lab/equilibrium.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace compositions {

/// `tolerance` [standard deviations]: what an error that vanishes with the step may come to.
Shift shift_of(const mixwell::Composition& composition, std::int64_t replicates, double tolerance) {
  constexpr std::int64_t looked_after[] = {1, 3, 12, 48};
  mixwell::Equilibrium equilibrium(
      composition,
      {.replicates = replicates, .warmup = composition.run.warmup, .seed = composition.run.seed});
  Shift farthest;
  std::int64_t done = 0;
  for (const std::int64_t sweeps : looked_after) {
    equilibrium.advance(sweeps - done);
    done = sweeps;
    const auto all = equilibrium.compare();
    const auto looks = static_cast<double>(all.size() * std::size(looked_after));
    for (const mixwell::EquilibriumStatistic& s : all) {
      if (!s.name.starts_with("law")) continue;
      const double z = std::max(0.0, std::abs(s.z) - tolerance / s.error);
      const double p =
          std::isfinite(z) ? std::min(1.0, looks * std::erfc(z / std::sqrt(2.0))) : 0.0;
      if (p < farthest.p || farthest.statistic.empty())
        farthest = {fmt::format("{} z = {:.3g} after {} sweeps", s.name, s.z, sweeps), p};
    }
  }
  return farthest;
}

}  // namespace compositions
