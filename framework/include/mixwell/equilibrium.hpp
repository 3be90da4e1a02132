// The equilibrium test: replicates that start from exact draws of pi must stay distributed as pi.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/manifest.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mixwell {

struct EquilibriumSettings {
  std::int64_t replicates = 8192;
  /// Sweeps of the warm-up phase before, for compositions that learn; positions are then drawn
  /// anew, so that only what was learnt remains of it.
  std::int64_t warmup = 0;
  std::int64_t seed = 1;
};

/// One statistic f after some sweeps.
struct EquilibriumStatistic {
  std::string name;    ///< "law of f" or "ranks of f"
  double p = 1.0;      ///< chance of a value as far off for a composition that keeps pi
  double z = 0.0;      ///< of a law: mean change in standard errors; of ranks: the distance
  double error = 0.0;  ///< of a law: standard error of the mean change over the spread of f
  std::string detail;
};

/// Statistics f are every coordinate, its square and cube, neighbouring products, U and U^2, and
/// for neighbouring slots the products of coordinates, of their squares and of U. "law of f": the
/// mean of f(now) - f(start) over replicates has expectation 0; its z-score is compared with a
/// normal. "ranks of f", for coordinates and U: the largest distance between the empirical
/// distributions of now and of as many exact draws of their own (Kolmogorov & Smirnov; p is
/// Massart's bound, which holds at every sample size).
class MIXWELL_EXPORT Equilibrium {
 public:
  /// Throws InputError if the model has no exact draws.
  Equilibrium(const Composition& composition, const EquilibriumSettings& settings);
  ~Equilibrium();

  /// Advances so many sweeps further, and compares with the start. Costs replicates * sweeps
  /// transitions.
  std::vector<EquilibriumStatistic> look(std::int64_t sweeps);
  /// Mean squared distance from the start, in variances: 2 for independent draws. Of the slot that
  /// moved least.
  double moved() const;
  double gradients() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mixwell
