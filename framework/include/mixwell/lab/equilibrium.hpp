// The equilibrium test: replicates that start from exact draws of pi must remain distributed as pi.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/manifest.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mixwell {

/// Settings of the equilibrium test.
struct EquilibriumSettings {
  std::int64_t replicates = 8192;
  /// Sweeps of the warmup phase before the test, for compositions that learn. Positions are then
  /// redrawn, so only what was learnt remains.
  std::int64_t warmup = 0;
  std::int64_t seed = 1;
  /// Start positions are this many times as far from their mean as exact draws. Use a value other
  /// than 1 to test whether a composition returns.
  double stretch = 1.0;
  /// When this function returns true, all calls throw Stopped (Sampler::stop_when). Empty means
  /// never.
  std::function<bool()> late{};
};

/// The test of one statistic f after some sweeps.
struct EquilibriumStatistic {
  std::string name;    ///< "law of f" or "ranks of f"
  double p = 1.0;      ///< probability of such a deviation if the composition leaves pi invariant
  double z = 0.0;      ///< law: mean change in standard errors; ranks: the distance
  double error = 0.0;  ///< law: standard error of the mean change over the spread of f
  std::string detail;
};

/// Tests a composition. Every slot starts from draws of its density, or of the density that its
/// certificate names. The model's exact draws are used if it has some. Otherwise, and for laws that
/// an oracle or a temperature made, the draws are from a grid in one or two dimensions, with the
/// numbers that warmup has learnt.
///
/// The statistics f are every coordinate, three projections of all coordinates (fixed directions,
/// after scaling), their squares and cubes, products of neighbouring coordinates, and U and U^2 of
/// the model. For pairs of slots, unless the certificate calls them coupled, they are also the
/// products of coordinates, of their squares and of U: for all pairs if there are at most 5 slots,
/// otherwise for slots that are 1, 2, 4, ... apart.
///
/// "law of f": the mean of f(now) - f(start) over replicates has expectation 0, so its z-score is
/// compared with a normal distribution. "ranks of f", for coordinates, projections and U: the
/// largest distance between the empirical distributions of the current values and of equally many
/// independent exact draws (Kolmogorov & Smirnov; p is the bound of Wei & Dudley 2012, which holds
/// for every sample size).
class MIXWELL_EXPORT Equilibrium {
 public:
  /// Throws InputError if there are no draws for the density of a slot.
  Equilibrium(const Composition& composition, const EquilibriumSettings& settings);
  ~Equilibrium();

  /// Cost: replicates * sweeps transitions.
  void advance(std::int64_t sweeps);
  /// Compares the current positions with the start.
  std::vector<EquilibriumStatistic> compare() const;
  /// Makes a long comparison: advances `looks` times by `apart` sweeps, and compares the average of
  /// every statistic over these times with its average over practically exact draws (1000 to 2000
  /// for each replicate), by Student's t over replicates. Omits statistics that mix so slowly that
  /// an average is worth fewer than 25 draws. With few replicates and many sweeps, this detects
  /// errors that begin late, and small biases of statistics that mix well. Cost: one evaluation of
  /// the model for each exact draw, in addition to the sweeps.
  std::vector<EquilibriumStatistic> follow(std::int64_t looks, std::int64_t apart);
  /// Mean squared distance from the start, in variances; 2 for independent draws. Reports the slot
  /// that moved least.
  double moved() const;
  /// Mean squared distance from the mean of exact draws, in their variances, minus 1, with the
  /// standard error of that mean. Reports the slot with the largest value.
  struct Excess {
    double mean = 0.0;
    double error = 0.0;
  };
  Excess excess() const;
  /// Mean over sweeps, replicates and kernels of the recorded acceptance_rate; NaN if none is
  /// recorded.
  double acceptance() const;
  /// True if no bit has changed in the numbers that warmup learnt and that the sampling phase does
  /// not write.
  bool frozen_bits_kept() const;
  double gradients() const;

 private:
  struct Test;
  std::unique_ptr<Test> state_;
};

}  // namespace mixwell
