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
  /// Number of warmup sweeps before the test, for compositions that adapt. After warmup, the test
  /// redraws the positions and keeps only what was adapted.
  std::int64_t warmup = 0;
  std::int64_t seed = 1;
  /// Factor for the distance of the start positions from their mean. Use a value other than 1 to
  /// test whether a composition returns to pi.
  double stretch = 1.0;
  /// Once this function returns true, every function of Equilibrium that runs sweeps throws Stopped
  /// (see Sampler::stop_when). If this function is empty, none of them does so.
  std::function<bool()> late{};
};

/// The test of one statistic f after some sweeps.
struct EquilibriumStatistic {
  std::string name;    ///< "law of f" or "ranks of f"
  double p = 1.0;      ///< probability of a deviation at least this large if pi is invariant
  double z = 0.0;      ///< law: mean change / its standard error; ranks: distance of distributions
  double error = 0.0;  ///< law: standard error of the mean change, divided by the sd of f
  std::string detail;
};

/// Tests a composition. Every slot starts from draws of its density, or of the density that its
/// certificate names. If that density is the model's own and the model can draw from it exactly,
/// the test uses such exact draws. Otherwise it draws from a grid in one or two dimensions, for
/// example if an oracle or a temperature changes the density. Such a density is evaluated with the
/// values that warmup has learnt.
///
/// The statistics f are every coordinate, three projections of all coordinates (fixed directions,
/// after scaling), their squares and cubes, products of neighbouring coordinates, and U and U^2 of
/// the model. Unless the certificate calls the slots coupled, there are further statistics for
/// pairs of slots: the products of the same coordinate, projection or U in both slots, and the
/// squares of the products of coordinates and projections. With at most 5 slots, all pairs are
/// tested. With more slots, only pairs whose slot numbers differ by 1, 2, 4, ... are tested.
///
/// "law of f" tests by a z-score whether the mean of f(now) - f(start) over replicates is 0. "ranks
/// of f" tests coordinates, projections and U. It uses the largest distance between the empirical
/// distributions of the current values and of equally many independent exact draws (Kolmogorov &
/// Smirnov). Here p is the bound of Wei & Dudley 2012, which holds for every sample size.
class MIXWELL_EXPORT Equilibrium {
 public:
  /// Throws InputError if the test cannot draw from the density of a slot.
  Equilibrium(const Composition& composition, const EquilibriumSettings& settings);
  ~Equilibrium();

  /// Advances all replicates. Cost: replicates * sweeps transitions.
  void advance(std::int64_t sweeps);
  /// Compares the current positions with the start.
  std::vector<EquilibriumStatistic> compare() const;
  /// Compares averages over time. Advances all replicates `looks` times by `apart` sweeps, and
  /// averages every statistic over the `looks` positions at the ends of these advances. Compares
  /// this average with the average over practically exact draws (1000 to 2000 for each replicate),
  /// by Student's t over replicates.
  /// Omits a statistic if the effective sample size of its average is below 25. With few replicates
  /// and many sweeps, this detects errors that begin late, and small biases of statistics that mix
  /// well. Cost: one evaluation of the model for each exact draw, in addition to the sweeps.
  std::vector<EquilibriumStatistic> follow(std::int64_t looks, std::int64_t apart);
  /// Returns the mean squared distance from the start, divided by the variance of the start
  /// positions, for the slot that moved least. The value is 2 for independent draws.
  double moved() const;
  /// The mean of (theta_i - m_i)^2 / v_i over coordinates i and replicates, minus 1, and the
  /// standard error of this value. m and v are the mean and the variance of exact draws. excess()
  /// uses the slot with the largest value.
  struct Excess {
    double mean = 0.0;
    double error = 0.0;
  };
  Excess excess() const;
  /// Returns the mean of the recorded acceptance_rate over sweeps, replicates and kernels, or NaN
  /// if no kernel records it.
  double acceptance() const;
  /// True if the values that warmup learnt are unchanged, bit for bit. Values that the sampling
  /// phase writes are not compared.
  bool frozen_bits_kept() const;
  double gradients() const;

 private:
  struct Test;
  std::unique_ptr<Test> state_;
};

}  // namespace mixwell
