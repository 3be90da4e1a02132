// How the error of a composition without Metropolis falls with its step size.
// SPDX-License-Identifier: Apache-2.0
#include "verify_ladder.hpp"

#include <mixwell/sampler.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell {
namespace {

constexpr int kRungs = 4;
constexpr std::int64_t kPilot = 400;  ///< replicates that find how long mixing takes
constexpr std::int64_t kLongestMixing = 4096;
constexpr double kMixed = 1.6;  ///< squared distance from the start, in variances
constexpr double kFar = 0.3;    ///< standard deviations: beyond, powers of eps tell little
constexpr int kHalvings = 10;

/// Statistics of one slot: squares of coordinates, then U; as many rows, a column a replicate.
Eigen::ArrayXXd statistics(const Model& model, ConstBatch theta) {
  const Index d = theta.rows();
  Eigen::ArrayXXd f(d + 1, theta.cols());
  f.topRows(d) = theta.array().square();
  Eigen::RowVectorXd u(theta.cols());
  Eigen::MatrixXd g(d, theta.cols());
  Workspace scratch;
  model.evaluate(theta, {u.data(), g, scratch});
  f.row(d) = u.array();
  return f;
}

struct Truth {
  Eigen::ArrayXd mean;
  Eigen::ArrayXd error;
  Eigen::ArrayXd sd;
};

Truth truth_of(const Model& model) {
  constexpr Index draws = 1000000;
  Eigen::MatrixXd theta(model.dimension(), draws);
  model.as_exact()->draw(Stream(17, "verify/truth"), {}, theta);
  const Eigen::ArrayXXd f = statistics(model, theta);
  const Eigen::ArrayXd mean = f.rowwise().mean();
  const Eigen::ArrayXd sd =
      ((f.colwise() - mean).square().rowwise().sum() / static_cast<double>(draws - 1)).sqrt();
  return {mean, sd / std::sqrt(static_cast<double>(draws)), sd};
}

class Run {
 public:
  Run(const Composition& composition, std::int64_t replicates, std::int64_t seed)
      : composition_(composition),
        settings_(settings_of(composition, replicates, seed)),
        sampler_(composition.compositor, settings_, compose(*composition.compositor)) {
    sampler_.initialise();
    start_ = first();
  }

  void advance(std::int64_t sweeps) { sampler_.advance(PhaseKind::sampling, sweeps); }

  /// Mean squared distance of the first slot from its start, in variances.
  double moved() {
    const double spread = (start_.colwise() - start_.rowwise().mean()).squaredNorm();
    return (first() - start_).squaredNorm() / spread;
  }

  /// The average over slots and `times` looks, `apart` sweeps from one another, of each replicate.
  Eigen::ArrayXXd average(std::int64_t times, std::int64_t apart) {
    const Model& model = *composition_.model();
    const auto slots = composition_.compositor->slots();
    Eigen::ArrayXXd sum = Eigen::ArrayXXd::Zero(model.dimension() + 1, settings_.replicates);
    for (std::int64_t k = 0; k < times; ++k) {
      advance(apart);
      for (const std::string& slot : slots) sum += statistics(model, sampler_.variable(slot));
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

  Eigen::MatrixXd first() { return sampler_.variable(composition_.compositor->slots().front()); }

  const Composition& composition_;
  RunSettings settings_;
  Sampler sampler_;
  Eigen::MatrixXd start_;
};

class Climber {
 public:
  Climber(const VerifyTargets& targets, const LadderSettings& settings)
      : targets_(targets), settings_(settings), factor_(settings.factor) {}

  Ladder climb() {
    const Truth truth = truth_of(*rung(0).model());
    const std::int64_t mixing = first_rung(truth);
    if (mixing == 0) return std::move(ladder_);
    ladder_.moved = true;
    for (int k = 0; k < kRungs; ++k) measure(k, mixing, truth);
    judge();
    return std::move(ladder_);
  }

 private:
  struct Errors {
    Eigen::ArrayXd bias;
    Eigen::ArrayXd error;
  };

  Composition rung(int k) const {
    const double half = std::ldexp(1.0, -k);
    return targets_.composed(settings_.target, factor_ * half,
                             settings_.local ? 1 : std::int64_t{1} << k);
  }

  struct Pilot {
    std::int64_t mixing;  ///< sweeps after which a chain has forgotten its start; 0 if too many
    double largest_bias;  ///< of all statistics, in standard deviations
  };

  /// Halves eps until no statistic is far off, where the orders of errors show. Sweeps to mix
  /// there, or 0.
  std::int64_t first_rung(const Truth& truth) {
    std::int64_t mixing = 0;
    for (int k = 0; k < kHalvings; ++k) {
      const Pilot found = pilot(truth);
      if (found.mixing == 0) break;
      mixing = found.mixing;
      if (found.largest_bias < kFar) break;
      factor_ *= 0.5;
    }
    return mixing;
  }

  Pilot pilot(const Truth& truth) {
    const Composition composition = rung(0);
    Run run(composition, kPilot, settings_.seed);
    std::int64_t sweeps = 0;
    for (std::int64_t more = 1; sweeps < kLongestMixing; more = sweeps) {
      run.advance(more);
      sweeps += more;
      if (!(run.moved() < kMixed)) break;
    }
    const bool mixes = !(run.moved() < kMixed);
    const Eigen::ArrayXd mean = run.average(2, sweeps).rowwise().mean();
    const Eigen::ArrayXd off = ((mean - truth.mean) / truth.sd).abs();
    ladder_.gradients += run.gradients();
    cost_ = run.gradients() / static_cast<double>(kPilot * 3 * sweeps);
    return {mixes ? sweeps : 0, off.allFinite() ? off.maxCoeff() : 1e300};
  }

  /// Twice the mixing time to become stationary, then eight looks.
  void measure(int k, std::int64_t mixing, const Truth& truth) {
    const Composition composition = rung(k);
    const std::int64_t longer = settings_.local ? std::int64_t{1} << k : 1;
    constexpr std::int64_t looks = 8;
    const double sweeps = 10.0 * static_cast<double>(mixing * longer);
    const double a_sweep = std::max(cost_, 0.1) * (settings_.local ? 1.0 : std::ldexp(1.0, k));
    const double wanted = settings_.budget / kRungs / (sweeps * a_sweep);
    const auto replicates = static_cast<std::int64_t>(std::clamp(wanted, 400.0, 20000.0));
    Run run(composition, replicates, settings_.seed + k);
    run.advance(2 * mixing * longer);
    const Eigen::ArrayXXd f = run.average(looks, mixing * longer);
    const Eigen::ArrayXd mean = f.rowwise().mean();
    const auto n = static_cast<double>(replicates);
    const Eigen::ArrayXd error =
        ((f.colwise() - mean).square().rowwise().sum() / (n - 1.0) / n + truth.error.square())
            .sqrt();
    errors_.push_back({(mean - truth.mean) / truth.sd, error / truth.sd});
    ladder_.gradients += run.gradients();
  }

  void judge() {
    const double power = std::ldexp(1.0, settings_.order);
    const Errors& last = errors_[kRungs - 1];
    const Errors& before = errors_[kRungs - 2];
    double most = -1.0;
    for (Index i = 0; i < last.bias.size(); ++i) {
      const double limit = (power * last.bias(i) - before.bias(i)) / (power - 1.0);
      const double error = std::hypot(power * last.error(i), before.error(i)) / (power - 1.0);
      const bool there =
          !std::isfinite(limit) || (std::abs(limit) > settings_.bound * error &&
                                    std::abs(limit) > 0.5 * std::abs(before.bias(i)));
      if (there) ladder_.vanishes = false;
      const double certainty = std::isfinite(limit) ? std::abs(limit) / error : 1e300;
      if ((there ? 1e6 : 1.0) * certainty <= most) continue;
      most = (there ? 1e6 : 1.0) * certainty;
      report(i, limit, error);
    }
  }

  void report(Index i, double limit, double error) {
    ladder_.limit = limit;
    ladder_.limit_error = error;
    ladder_.statistic =
        i + 1 == errors_.front().bias.size() ? "E U" : "E theta_" + std::to_string(i) + "^2";
    ladder_.rungs.clear();
    for (int k = 0; k < kRungs; ++k) {
      const Errors& e = errors_[static_cast<std::size_t>(k)];
      ladder_.rungs.push_back({factor_ * std::ldexp(1.0, -k), e.bias(i), e.error(i)});
    }
  }

  const VerifyTargets& targets_;
  const LadderSettings& settings_;
  double factor_;
  Ladder ladder_;
  std::vector<Errors> errors_;
  double cost_ = 1.0;  ///< gradients a sweep and replicate on the first rung
};

}  // namespace

Ladder climb(const VerifyTargets& targets, const LadderSettings& settings) {
  return Climber(targets, settings).climb();
}

}  // namespace mixwell
