// Tests whether a composition leaves posteriors invariant. Draws the parameters and the data of
// each posterior from the model.
// SPDX-License-Identifier: Apache-2.0
#include "verify/at_equilibrium.hpp"
#include "verify/law_draws.hpp"
#include "verify/statistics.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/machine.hpp>
#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace mixwell {
namespace {

constexpr std::array<std::int64_t, 3> sweep_counts = {1, 4, 16};
constexpr std::array<Index, 3> data_set_counts = {256, 512, 1024};
constexpr Index trial_data_sets = 24;
constexpr std::int64_t trial_sweeps = 4;
constexpr Index most_coordinates = 16;
constexpr double cases_of_a_gradient = 1000.0;
/// A step size is used only if its jump distance is at least this share of the largest one found
/// so far.
constexpr double far_share = 0.5;
/// Two functions of the ranks are checked: the ranks and their spread.
constexpr int function_count = 2;

/// The statistics of theta and of the data of `model`, as a column.
Eigen::VectorXd statistics(const Model& model, ConstBatch theta) {
  const Index d = theta.rows();
  const Index shown = std::min(d, most_coordinates);
  Workspace scratch;
  Eigen::MatrixXd g(d, 1);
  double u = 0.0;
  model.evaluate(theta, {&u, g, scratch});
  Eigen::VectorXd f(2 * shown + 2);
  f << theta.topRows(shown), g.topRows(shown), u, theta.col(0).dot(g.col(0));
  return f;
}

std::string name_of(Index statistic, Index dimension) {
  const Index shown = std::min(dimension, most_coordinates);
  if (statistic < shown) return fmt::format("x[{}]", statistic);
  if (statistic < 2 * shown) return fmt::format("dU/dx[{}]", statistic - shown);
  return statistic == 2 * shown ? "U" : "x' grad U";
}

/// Statistics at the start (block 0) and after each of sweep_counts. Each column is one data set.
struct CalibrationTable {
  std::array<Eigen::MatrixXd, sweep_counts.size() + 1> at;
  double gradients = 0.0;
};

class DataSets {
 public:
  DataSets(const VerifyTargets& targets, const Model& model, const EquilibriumTest& test)
      : targets_(targets), model_(model), test_(test) {}

  /// Runs data set r from its exact draw. Calls `look` at the start and after each number of sweeps
  /// in `sweeps` (ascending). Returns the number of gradients.
  double follow(Index r, double step_factor, const auto& sweeps, const auto& look) const {
    Eigen::MatrixXd theta(model_.dimension(), 1);
    const auto number = static_cast<std::uint64_t>(r);
    const auto seed = static_cast<std::uint64_t>(test_.seed);
    model_.offers<Prior>()->draw(Stream(seed, "verify/prior"), {number, 0, 0}, theta);
    const std::shared_ptr<Model> drawn = model_.offers<DataDraws>()->with_data_at(
        theta, Stream(seed, "verify/data"), {number, 0, 0});
    const Composition composition = targets_.composed_on(drawn, step_factor);
    RunSettings settings = composition.run;
    settings.seed = test_.seed + 1 + r;
    settings.replicates = 1;
    settings.warmup = test_.warmup;
    settings.init.how = Init::How::model;
    Sampler sampler(composition.compositor, settings, compose(*composition.compositor));
    sampler.stop_when(test_.late);
    sampler.initialise();
    sampler.advance(PhaseKind::warmup, test_.warmup);
    const std::string slot = composition.compositor->slots().front();
    sampler.move(slot, theta);
    look(0, *drawn, theta);
    std::int64_t done = 0;
    for (std::size_t k = 0; k < sweeps.size(); ++k) {
      sampler.advance(PhaseKind::sampling, sweeps[k] - done);
      done = sweeps[k];
      look(k + 1, *drawn, sampler.position(slot));
    }
    return sampler.gradients();
  }

  /// Adds data sets until the table has `count` columns.
  void extend(CalibrationTable& table, Index count, double step_factor) const {
    const Index had = table.at.front().cols();
    const Index rows = 2 * std::min(model_.dimension(), most_coordinates) + 2;
    for (auto& block : table.at) block.conservativeResize(rows, count);
    Eigen::VectorXd gradients(count - had);
    parallel_for(count - had, [&](Index k) {
      gradients[k] = follow(had + k, step_factor, sweep_counts,
                            [&](std::size_t look, const Model& model, ConstBatch theta) {
                              table.at[look].col(had + k) = statistics(model, theta);
                            });
    });
    table.gradients += gradients.sum();
  }

  /// The jump distance of this many sweeps, from entries of grad U at the start and at the end. The
  /// mean of these entries is 0 for each data set. Also returns the mean number of gradients per
  /// data set.
  std::pair<double, double> trial(double step_factor, std::int64_t sweeps = trial_sweeps) const {
    const Index shown = std::min(model_.dimension(), most_coordinates);
    Eigen::MatrixXd before(shown, trial_data_sets);
    Eigen::MatrixXd after(shown, trial_data_sets);
    Eigen::VectorXd gradients(trial_data_sets);
    parallel_for(trial_data_sets, [&](Index k) {
      gradients[k] = follow(k, step_factor, std::array{sweeps},
                            [&](std::size_t look, const Model& model, ConstBatch theta) {
                              (look == 0 ? before : after).col(k) =
                                  statistics(model, theta).segment(shown, shown);
                            });
    });
    return {moved(before, after), gradients.mean()};
  }

  /// Mean squared distance of quantities with mean 0, in variances. The distance of independent
  /// draws is 2.
  static double moved(const Eigen::MatrixXd& before, const Eigen::MatrixXd& after) {
    const double size = std::sqrt(before.squaredNorm() * after.squaredNorm());
    return 2.0 * (1.0 - before.cwiseProduct(after).sum() / size);
  }

 private:
  const VerifyTargets& targets_;
  const Model& model_;
  const EquilibriumTest& test_;
};

/// Replaces the numbers of both rows by their ranks among all numbers, from -1 to 1. Equal numbers
/// get their mean rank.
void to_ranks(Eigen::RowVectorXd& a, Eigen::RowVectorXd& b) {
  const Index n = a.size();
  Eigen::RowVectorXd both(2 * n);
  both << a, b;
  std::vector<Index> order(static_cast<std::size_t>(2 * n));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return both[i] < both[j]; });
  const auto scale = static_cast<double>(2 * n);
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && both[order[last]] == both[order[first]]) ++last;
    const double rank = (static_cast<double>(first + last)) / scale - 1.0;
    for (std::size_t k = first; k < last; ++k) {
      (order[k] < n ? a[order[k]] : b[order[k] - n]) = rank;
    }
    first = last;
  }
}

class Calibrator {
 public:
  Calibrator(const VerifyTargets& targets, const Model& model, const EquilibriumTest& test)
      : model_(model), test_(test), data_sets_(targets, model, test) {
    out_.seen.name = test.target;
    out_.seen.acceptance = std::numeric_limits<double>::quiet_NaN();
    out_.seen.redraws_data = true;
    const Composition one = targets.composed(test.target, 1.0);
    if (const auto slots = positions(compose(*one.compositor).sampling).size(); slots != 1) {
      throw InputError(
          fmt::format("the composition has {} slots, and each slot needs an exact draw from the "
                      "posterior. This check has only one exact draw from each posterior, so it "
                      "needs a composition with one slot.",
                      slots));
    }
  }

  EquilibriumOutcome run() {
    choose_steps();
    const Index affordable = affordable_data_sets();
    for (const Index count : data_set_counts) {
      if (count > affordable || out_.biased || (test_.late && test_.late())) break;
      data_sets_.extend(table_, count, out_.seen.step_factor);
      judge();
    }
    const Index shown = std::min(model_.dimension(), most_coordinates);
    out_.seen.sweeps = sweep_counts.back();
    out_.seen.moved = DataSets::moved(table_.at.front().middleRows(shown, shown),
                                      table_.at.back().middleRows(shown, shown));
    out_.gradients += table_.gradients;
    if (!out_.biased && out_.seen.moved < still_distance) follow_longer();
    return std::move(out_);
  }

 private:
  void judge() {
    const Index rows = table_.at.front().rows();
    const auto looks = static_cast<double>(rows * function_count) *
                       static_cast<double>(sweep_counts.size() * data_set_counts.size());
    alpha_ = test_.alpha / looks;
    out_.looks += static_cast<double>(rows * function_count) * sweep_counts.size();
    out_.tests.clear();
    for (std::size_t look = 1; look < table_.at.size(); ++look) {
      for (Index i = 0; i < rows; ++i) compare(look, i);
    }
    // The detectable difference of means between independent draws, in standard deviations.
    out_.seen.visible_bias =
        normal_bound(alpha_) * std::sqrt(2.0 / static_cast<double>(table_.at.front().cols()));
  }

  void compare(std::size_t look, Index statistic) {
    Eigen::RowVectorXd before = table_.at.front().row(statistic);
    Eigen::RowVectorXd after = table_.at[look].row(statistic);
    const std::string name = fmt::format(
        "{} after {} sweeps", name_of(statistic, model_.dimension()), sweep_counts[look - 1]);
    if (!after.allFinite()) return out_.add({name, out_.seen.name, true, INFINITY, 0.0});
    to_ranks(before, after);
    compare("ranks of " + name, after - before);
    compare("spread of " + name, after.cwiseAbs2() - before.cwiseAbs2());
  }

  void compare(const std::string& name, const Eigen::RowVectorXd& difference) {
    const Mean mean(difference.transpose());
    if (mean.error == 0.0) return;  // nothing moved
    const double p = two_sided(mean.z());
    out_.adjusted_p = std::min(out_.adjusted_p, p * test_.alpha / alpha_);
    out_.add({name, out_.seen.name, p < alpha_, mean.z(), p});
  }

  void follow_longer() {
    const auto [moved, gradients] = data_sets_.trial(out_.seen.step_factor, sweeps_to_stand_still);
    follow_up(moved, out_);
    out_.gradients += gradients * static_cast<double>(trial_data_sets);
  }

  /// Chooses the largest step sizes whose jump distance is still large, because they show the
  /// errors of a composition best.
  void choose_steps() {
    double farthest = 0.0;
    for (const double factor : {0.0625, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0}) {
      if (factor != 1.0 && test_.fixed_steps) continue;
      const auto [moved, gradients] = data_sets_.trial(factor);
      out_.gradients += gradients * static_cast<double>(trial_data_sets);
      if (moved < far_share * farthest) continue;
      farthest = std::max(farthest, moved);
      out_.seen.step_factor = factor;
      cost_ = gradients * static_cast<double>(sweep_counts.back() + test_.warmup) /
              static_cast<double>(trial_sweeps + test_.warmup);
    }
  }

  Index affordable_data_sets() const {
    const SumOfTerms* const sum = model_.offers<SumOfTerms>();
    const double size =
        sum == nullptr ? 1.0
                       : std::max(1.0, static_cast<double>(sum->terms()) / cases_of_a_gradient);
    const auto count = static_cast<Index>(test_.budget / (std::max(cost_, 1.0) * size));
    if (count < data_set_counts.front()) {
      throw InputError(
          fmt::format("the budget is enough for {} pairs of parameters and simulated data, but "
                      "this check needs at least {} pairs. Raise --budget.",
                      count, data_set_counts.front()));
    }
    return count;
  }

  const Model& model_;
  const EquilibriumTest& test_;
  DataSets data_sets_;
  EquilibriumOutcome out_;
  CalibrationTable table_;
  double alpha_ = 0.0;  ///< error probability of one check
  double cost_ = 0.0;   ///< gradients of one data set
};

}  // namespace

bool is_calibrated(const Model& model) {
  const bool has_draws =
      model.offers<ExactSampler>() != nullptr || model.dimension() <= LawDraws::most_dimensions;
  return !has_draws && model.offers<Prior>() != nullptr && model.offers<DataDraws>() != nullptr;
}

EquilibriumOutcome calibrate(const VerifyTargets& targets, const Model& model,
                             const EquilibriumTest& test) {
  return Calibrator(targets, model, test).run();
}

}  // namespace mixwell
