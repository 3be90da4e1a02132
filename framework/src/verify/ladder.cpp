// Measures how the error of a composition without Metropolis steps depends on the step size.
// SPDX-License-Identifier: Apache-2.0
#include "verify/ladder.hpp"

#include "verify/statistics.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/sampler.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell {
namespace {

constexpr int rung_count = 4;
constexpr std::int64_t pilot_replicates = 200;  ///< replicates for measuring the mixing time
constexpr std::int64_t longest_mixing = 4096;
constexpr double pilot_share = 0.2;  ///< share of the budget for one pilot
/// A chain has mixed if its mean squared distance from the start is this many variances.
constexpr double mixed_distance = 1.6;
/// In standard deviations. Larger errors do not follow powers of eps.
constexpr double far_bias = 0.3;
constexpr int most_halvings = 10;
constexpr double runaway = 1e8;  ///< larger statistics mean that a replicate has diverged
// The next three numbers are in mixing times.
constexpr std::int64_t burn_in = 2;
constexpr std::int64_t averaged_times = 8;
constexpr std::int64_t later_look = 24;  ///< time between the two averages of drift_rung
/// Smallest number of steps of a trajectory on the first rung. Errors follow powers of eps only if
/// a trajectory has many steps. In a single step, a scheme of first order may not use the gradient
/// at all.
constexpr std::int64_t fewest_steps = 4;
/// A nonzero limit is measured again at smaller steps: all rungs start at a quarter of eps and have
/// twice the budget.
constexpr int confirming_halvings = 2;
constexpr double confirming_budget = 2.0;
/// The rung that is checked for drift. It is not the first rung, because near the largest stable
/// step size a scheme may need many sweeps to become stationary.
constexpr int drift_rung = 1;

struct Truth {
  Eigen::ArrayXd mean;
  Eigen::ArrayXd error;
  Eigen::ArrayXd sd;
};

class Run {
 public:
  Run(const Composition& composition, const LadderStatistics& statistics, std::int64_t replicates,
      const EquilibriumTest& test, NoiseGrid noise = {})
      : composition_(composition),
        statistics_(statistics),
        settings_(settings_of(composition, replicates, test.seed)),
        sampler_(composition.compositor, settings_, compose(*composition.compositor), noise) {
    sampler_.stop_when(test.late);
    sampler_.initialise();
    start_ = first();
  }

  void advance(std::int64_t sweeps) { sampler_.advance(PhaseKind::sampling, sweeps); }

  /// Mean squared distance of the first slot from its start, in variances.
  double moved() {
    const double spread = (start_.colwise() - start_.rowwise().mean()).squaredNorm();
    return (first() - start_).squaredNorm() / spread;
  }

  /// For each replicate, the average over slots and over `times` records that are `apart` sweeps
  /// apart.
  Eigen::ArrayXXd average(std::int64_t times, std::int64_t apart) {
    const auto slots = composition_.compositor->slots();
    Eigen::ArrayXXd sum = Eigen::ArrayXXd::Zero(statistics_.count(), settings_.replicates);
    for (std::int64_t k = 0; k < times; ++k) {
      advance(apart);
      for (const std::string& slot : slots) sum += statistics_.of(sampler_.position(slot));
    }
    return sum / static_cast<double>(times * static_cast<std::int64_t>(slots.size()));
  }

  double gradients() const { return sampler_.gradients(); }

 private:
  static RunSettings settings_of(const Composition& composition, std::int64_t replicates,
                                 std::int64_t seed) {
    RunSettings settings = composition.run;
    settings.seed = seed;
    settings.replicates = replicates;
    settings.init.how = Init::How::exact;
    return settings;
  }

  Eigen::MatrixXd first() { return sampler_.position(composition_.compositor->slots().front()); }

  const Composition& composition_;
  const LadderStatistics& statistics_;
  RunSettings settings_;
  Sampler sampler_;
  Eigen::MatrixXd start_;
};

class Climber {
 public:
  Climber(const VerifyTargets& targets, const EquilibriumTest& test, const LadderSettings& settings)
      : targets_(targets),
        test_(test),
        settings_(settings),
        factor_(settings.factor),
        model_(rung(0).model()),
        statistics_(*model_, settings.bounded),
        // two tests of each statistic share alpha: its limit and its drift
        bound_(normal_bound(test.alpha / looks())) {}

  EquilibriumOutcome climb() {
    out_.seen.name = test_.target;
    out_.seen.step_factor = settings_.factor;
    truth_ = truth();
    const std::int64_t mixing = first_rung();
    if (mixing == 0) {
      out_.seen.skipped =
          "after 4096 sweeps, the chains still depend on their starting points, so the error of "
          "the composition cannot be measured";
      return std::move(out_);
    }
    measure_and_judge(test_.budget, mixing);
    if (claims()) confirm(mixing);
    conclude();
    return std::move(out_);
  }

 private:
  double looks() const { return static_cast<double>(2 * statistics_.count()); }

  /// Whether the test found an error: a limit that is not the target, or a drift.
  bool claims() const { return !ran_away_ && (out_.seen.drifts || !vanishes_); }

  void conclude() {
    VerifiedTarget& seen = out_.seen;
    if (ran_away_) {
      seen.skipped =
          "some replicates diverged, so the error of the composition cannot be measured. Smaller "
          "step sizes may help.";
      return;
    }
    seen.moved = mixed_distance;
    seen.visible_bias = bound_ * limit_error_;
    const double z = seen.limit / limit_error_;
    out_.looks = looks();
    out_.adjusted_p = two_sided(z) * test_.alpha / two_sided(bound_);
    out_.add({(seen.drifts ? "drift of " : "limit of ") + seen.statistic, seen.name, claims(), z,
              two_sided(z)});
  }

  /// Measures again at smaller steps. If steps are longer than the distance on which a
  /// preconditioner changes, errors may stay level or grow over a ladder, although they fall at
  /// smaller steps. So an error counts only if the smaller steps show it too.
  void confirm(std::int64_t mixing) {
    halvings_ = confirming_halvings;
    measure_and_judge(confirming_budget * test_.budget, mixing);
  }

  Truth truth() const {
    const Eigen::ArrayXXd f = statistics_.of_truth();
    const auto draws = static_cast<double>(f.cols());
    const Eigen::ArrayXd mean = f.rowwise().mean();
    const Eigen::ArrayXd sd =
        ((f.colwise() - mean).square().rowwise().sum() / (draws - 1.0)).sqrt();
    return {mean, sd / std::sqrt(draws), sd};
  }

  double step_factor(int k) const { return std::ldexp(factor_, -(halvings_ + k)); }
  /// The number of steps of rung k that take as much time as one step of the largest eps.
  std::int64_t steps(int k) const { return std::int64_t{1} << (halvings_ + k); }

  Composition rung(int k) const {
    const Refinement refinement = settings_.local
                                      ? Refinement{.between_redraws = steps(k)}
                                      : Refinement{.least_steps = fewest_steps, .steps = steps(k)};
    return targets_.composed(test_.target, step_factor(k), refinement);
  }

  struct Pilot {
    std::int64_t mixing;  ///< sweeps until a chain no longer depends on its start; 0 if too many
    double largest_bias;  ///< largest bias of a statistic, in standard deviations
  };

  /// Sets factor_ to the largest eps at which no statistic is far off, so that errors follow powers
  /// of eps. Returns the number of sweeps that mixing needs at this eps, or 0 if the composition
  /// does not mix.
  std::int64_t first_rung() {
    Pilot found = pilot();
    if (found.mixing > 0 && found.largest_bias < far_bias) return doubled(found.mixing);
    std::int64_t mixing = 0;
    for (int k = 1; k < most_halvings && found.mixing > 0; ++k) {
      mixing = found.mixing;
      factor_ *= 0.5;
      found = pilot();
      if (found.mixing > 0 && found.largest_bias < far_bias) return found.mixing;
    }
    return mixing;
  }

  std::int64_t doubled(std::int64_t mixing) {
    for (int k = 0; k < most_halvings; ++k) {
      if (!targets_.can_compose(test_.target, 2.0 * factor_)) break;
      factor_ *= 2.0;
      const Pilot found = pilot();
      if (found.mixing == 0 || !(found.largest_bias < far_bias)) {
        factor_ *= 0.5;
        break;
      }
      mixing = found.mixing;
    }
    return mixing;
  }

  Pilot pilot() {
    const Composition composition = rung(0);
    Run run(composition, statistics_, pilot_replicates, test_);
    std::int64_t sweeps = 0;
    for (std::int64_t more = 1; sweeps < longest_mixing; more = sweeps) {
      run.advance(more);
      sweeps += more;
      if (!(run.moved() < mixed_distance) || run.gradients() > pilot_share * test_.budget) break;
    }
    const bool mixes = !(run.moved() < mixed_distance);
    const Eigen::ArrayXd mean = run.average(2, sweeps).rowwise().mean();
    const Eigen::ArrayXd off = ((mean - truth_.mean) / truth_.sd).abs();
    out_.gradients += run.gradients();
    cost_ = run.gradients() / static_cast<double>(pilot_replicates * 3 * sweeps);
    // Bounded statistics are measured after a fixed time, so the chain need not be stationary.
    const bool long_enough = mixes || settings_.bounded;
    return {long_enough ? sweeps : 0, off.allFinite() ? off.maxCoeff() : 1e300};
  }

  void measure_and_judge(double budget, std::int64_t mixing) {
    values_.clear();
    const std::int64_t replicates = affordable(mixing, budget);
    for (int k = 0; k < rung_count; ++k) measure(k, replicates, mixing);
    judge();
  }

  /// Measures rung k. All rungs have the same starts and the same noise, so the differences between
  /// rungs have a far smaller error than the values of each rung.
  void measure(int k, std::int64_t replicates, std::int64_t mixing) {
    const std::int64_t longer = settings_.local ? steps(k) : 1;
    const auto cells = std::uint32_t{1} << (rung_count - 1 - k);
    const NoiseGrid noise = settings_.local ? NoiseGrid{cells, 1} : NoiseGrid{1, cells};
    const Composition composition = rung(k);
    Run run(composition, statistics_, replicates, test_, noise);
    run.advance(burn_in * mixing * longer);
    values_.push_back(run.average(averaged_times, mixing * longer));
    if (k == drift_rung && !settings_.bounded) {
      run.advance(later_look * mixing * longer);
      later_ = run.average(averaged_times, mixing * longer);
    }
    out_.gradients += run.gradients();
  }

  /// The number of replicates that the budget allows for all rungs together, but at least 400,
  /// because fewer would show nothing.
  std::int64_t affordable(std::int64_t mixing, double budget) const {
    const double sweeps = static_cast<double>((burn_in + averaged_times) * mixing);
    const double all_rungs = std::ldexp(std::ldexp(1.0, rung_count) - 1.0, halvings_);
    const double wanted = budget / (sweeps * std::max(cost_, 0.1) * all_rungs);
    return static_cast<std::int64_t>(std::clamp(wanted, 400.0, 20000.0));
  }

  /// The error of statistic i on rung k for each replicate, in standard deviations.
  Eigen::ArrayXd errors(Index i, int k) const {
    return (values_[static_cast<std::size_t>(k)].row(i).transpose() - truth_.mean(i)) /
           truth_.sd(i);
  }

  /// Checks whether errors at a fixed eps more than double in three times the time. If they do,
  /// there is no stationary law.
  void check_drift() {
    for (Index i = 0; i < truth_.mean.size(); ++i) {
      const Eigen::ArrayXd early = errors(i, drift_rung);
      const Mean drift((later_.row(i).transpose() - truth_.mean(i)) / truth_.sd(i) - early);
      const double growth = std::copysign(1.0, early.mean()) * drift.value;
      const bool grows = growth > bound_ * drift.error && growth > std::abs(early.mean());
      if (!grows) continue;
      out_.seen.drifts = true;
      return report(i, drift.value, drift.error);
    }
  }

  void judge() {
    vanishes_ = true;
    out_.seen.drifts = out_.tells = false;
    ran_away_ = std::ranges::any_of(
        values_, [](const Eigen::ArrayXXd& f) { return !(f.abs() < runaway).all(); });
    if (ran_away_) return;
    if (!settings_.bounded) check_drift();
    if (out_.seen.drifts) return;
    double most = -1.0;
    for (Index i = 0; i < truth_.mean.size(); ++i) {
      const Seen seen = look(i);
      vanishes_ = vanishes_ && seen.vanishes;
      out_.tells = out_.tells || seen.tells;
      const double rank = (seen.vanishes ? 1.0 : 1e6) * seen.certainty;
      if (rank <= most) continue;
      most = rank;
      report(i, seen.limit, seen.error);
    }
  }

  struct Seen {
    double limit;
    double error;
    bool vanishes;
    bool tells;  ///< a limit of half the error at the largest eps would be detected
    double certainty;
  };

  /// The limit of statistic i, by Richardson's extrapolation from the last two rungs of each
  /// replicate.
  Seen look(Index i) const {
    const double power = std::ldexp(1.0, settings_.order);
    const Eigen::ArrayXd last = errors(i, rung_count - 1);
    const Eigen::ArrayXd before = errors(i, rung_count - 2);
    const Eigen::ArrayXd limits = (power * last - before) / (power - 1.0);
    const double limit = limits.mean();
    const double error = with_error_of_truth(i, limits);
    const double visible = bound_ * error;
    const bool there = std::abs(limit) > visible && std::abs(limit) > 0.5 * std::abs(before.mean());
    return {limit, error, !there, visible < 0.5 * std::abs(errors(i, 0).mean()),
            std::abs(limit) / error};
  }

  /// The standard error of a mean of `off` over replicates. Includes the error of the exact mean of
  /// statistic i.
  double with_error_of_truth(Index i, const Eigen::ArrayXd& off) const {
    return std::hypot(Mean(off).error, truth_.error(i) / truth_.sd(i));
  }

  void report(Index i, double limit, double error) {
    out_.seen.limit = limit;
    limit_error_ = error;
    out_.seen.statistic = statistics_.name(i);
    out_.seen.rungs.clear();
    for (int k = 0; k < rung_count; ++k) {
      const Eigen::ArrayXd now = errors(i, k);
      VerifiedRung rung;
      rung.step_factor = step_factor(k);
      rung.bias = now.mean();
      rung.error = with_error_of_truth(i, now);
      if (k > 0) {
        const Eigen::ArrayXd before = errors(i, k - 1);
        rung.ratio = before.mean() / now.mean();
        rung.ratio_error = Mean(before - rung.ratio * now).error / std::abs(now.mean());
      }
      out_.seen.rungs.push_back(rung);
    }
  }

  const VerifyTargets& targets_;
  const EquilibriumTest& test_;
  const LadderSettings& settings_;
  double factor_;
  int halvings_ = 0;  ///< how often the step size of the first rung is halved
  std::shared_ptr<const Model> model_;
  LadderStatistics statistics_;
  double bound_;
  EquilibriumOutcome out_;
  double limit_error_ = 0.0;  ///< standard error of the limit
  bool vanishes_ = true;      ///< no statistic has a nonzero limit
  bool ran_away_ = false;     ///< a replicate has diverged, so nothing else is reported
  Truth truth_;
  std::vector<Eigen::ArrayXXd> values_;  ///< statistics x replicates, one matrix per rung
  Eigen::ArrayXXd later_;                ///< drift_rung again, after three times as many sweeps
  double cost_ = 1.0;                    ///< gradients per sweep and replicate on the first rung
};

}  // namespace

EquilibriumOutcome climb(const VerifyTargets& targets, const EquilibriumTest& test,
                         const LadderSettings& settings) {
  return Climber(targets, test, settings).climb();
}

}  // namespace mixwell
