// The equilibrium test: replicates that start from exact draws of pi must stay distributed as pi.
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

struct EquilibriumSettings {
  std::int64_t replicates = 8192;
  /// Sweeps of the warm-up phase before, for compositions that learn; positions are then drawn
  /// anew, so that only what was learnt remains of it.
  std::int64_t warmup = 0;
  std::int64_t seed = 1;
  /// Starts are this many times as far from their mean as exact draws are: not 1 to see whether a
  /// composition finds the way back.
  double stretch = 1.0;
  /// Once it is true, all calls throw Stopped (Sampler::stop_when); empty = never.
  std::function<bool()> late{};
};

/// One statistic f after some sweeps.
struct EquilibriumStatistic {
  std::string name;    ///< "law of f" or "ranks of f"
  double p = 1.0;      ///< chance of a value as far off for a composition that keeps pi
  double z = 0.0;      ///< of a law: mean change in standard errors; of ranks: the distance
  double error = 0.0;  ///< of a law: standard error of the mean change over the spread of f
  std::string detail;
};

/// Every slot starts from draws of its own law, or of the density that its certificate names: the
/// model's exact draws where it has some; else, and for laws made by an oracle or a temperature,
/// draws from a grid, in one or two dimensions, with the numbers that the warm-up learnt.
///
/// Statistics f are every coordinate, three projections of all (fixed directions, after scaling),
/// their squares and cubes, neighbouring products of coordinates, U and U^2 of the model, and for
/// pairs of slots, unless the certificate calls them coupled, the products of coordinates, of their
/// squares and of U: all pairs of at most 5 slots, of more those 1, 2, 4, ... apart. "law of f":
/// the mean of f(now) - f(start) over replicates has expectation 0; its z-score is compared with a
/// normal. "ranks of f", for coordinates, projections and U: the largest distance between the
/// empirical distributions of now and of as many draws of their own (Kolmogorov & Smirnov; p is the
/// bound of Wei & Dudley 2012, which holds at every sample size).
class MIXWELL_EXPORT Equilibrium {
 public:
  /// Throws InputError where there are no draws of a slot's law.
  Equilibrium(const Composition& composition, const EquilibriumSettings& settings);
  ~Equilibrium();

  /// Replicates * sweeps transitions.
  void advance(std::int64_t sweeps);
  /// Compares where it is now with the start.
  std::vector<EquilibriumStatistic> compare() const;
  /// A long look: advances `looks` times `apart` sweeps, and compares the average of every
  /// statistic over them with that of as good as exact draws (1000 to 2000 of each replicate), by
  /// Student's law over replicates; those that mix so slowly that an average is worth fewer than 25
  /// draws are left out. Few replicates and many sweeps see what begins late, and small biases of
  /// what mixes well. Costs as many evaluations of the model beside the sweeps.
  std::vector<EquilibriumStatistic> follow(std::int64_t looks, std::int64_t apart);
  /// Mean squared distance from the start, in variances: 2 for independent draws. Of the slot that
  /// moved least.
  double moved() const;
  /// Mean squared distance from the mean of exact draws, in their variances, less 1; with the
  /// mean's standard error. Of the slot where it is largest.
  struct Excess {
    double mean = 0.0;
    double error = 0.0;
  };
  Excess excess() const;
  /// Mean over sweeps, replicates and kernels of what they record as acceptance_rate; NaN if none
  /// does.
  double acceptance() const;
  /// No bit of what the warm-up learnt, and the sampling phase does not write, has changed since.
  bool frozen_bits_kept() const;
  double gradients() const;

 private:
  struct Test;
  std::unique_ptr<Test> state_;
};

}  // namespace mixwell
