// Tests a composition on one target: invariance, movement, and convergence from distant starts.
// SPDX-License-Identifier: Apache-2.0
#include "verify/at_equilibrium.hpp"

#include "verify/statistics.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/equilibrium.hpp>
#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mixwell {
namespace {

constexpr std::int64_t fewest_sweeps = 4;
constexpr std::int64_t most_sweeps = sweeps_to_stand_still;
constexpr int look_count = 8;

// Numbers of replicates. They are not multiples of the width of a block, so that the last block is
// incomplete.
constexpr std::int64_t usual_replicates = 4093;
constexpr std::int64_t few_replicates = 1021;  ///< used if a column costs much
constexpr std::int64_t learnt_replicates = 509;
constexpr std::int64_t few_warmup = 60;
constexpr std::int64_t trial_replicates = 253;
constexpr Index many_dimensions = 20;

constexpr std::int64_t long_replicates = 253;
constexpr std::int64_t trial_sweeps = 16;
constexpr std::int64_t longest_look = 4096;
constexpr std::int64_t fewest_for_long = 512;
constexpr std::int64_t long_looks = 1024;

constexpr double allowed_stretch = 1.5;
constexpr std::int64_t arrival_replicates = 1021;
constexpr double arrived = 0.2;
constexpr std::int64_t fewest_for_stall = 64;
constexpr std::int64_t longest_arrival = 2048;

/// Judges one of `looks` checks that share alpha.
void judge(const std::vector<EquilibriumStatistic>& statistics, double alpha, int looks,
           EquilibriumOutcome& out) {
  const auto count = static_cast<double>(statistics.size());
  const double share = alpha / (count * looks);
  const double bound = normal_bound(share);
  out.looks += count;
  out.tests.clear();
  out.seen.visible_bias = 0.0;
  out.largest_shift = 0.0;
  for (const EquilibriumStatistic& s : statistics) {
    out.adjusted_p = std::min(out.adjusted_p, s.p * alpha / share);
    if (!std::isfinite(s.z) || !std::isfinite(s.error)) {
      out.add({s.name, out.seen.name, true, s.z, 0.0});
      continue;
    }
    out.seen.visible_bias = std::max(out.seen.visible_bias, bound * s.error);
    out.largest_shift = std::max(out.largest_shift, std::abs(s.z) * s.error);
    out.add({s.name, out.seen.name, s.p < share, s.z, s.p});
  }
}

}  // namespace

void EquilibriumOutcome::add(VerifiedStatistic statistic) {
  if (statistic.failed && !biased) {
    biased = true;
    tests.clear();
  }
  if (statistic.failed || tests.empty()) {
    tests.push_back(std::move(statistic));
  } else if (!biased && statistic.p < tests.front().p) {
    tests.front() = std::move(statistic);
  }
}

void follow_up(double moved, EquilibriumOutcome& out) {
  out.remark = fmt::format(
      "{}: the squared jump distance was only {:.2g} times the variance after {} sweeps. This was "
      "too small to show whether the chain moves. In a longer run of {} sweeps, the squared jump "
      "distance was {:.2g} times the variance.",
      out.seen.name, out.seen.moved, out.seen.sweeps, sweeps_to_stand_still, moved);
  out.seen.moved = moved;
}

namespace {

class Tester {
 public:
  Tester(const EquilibriumTest& test, EquilibriumOutcome& out) : test_(test), out_(out) {}

  void run(const Composition& composition) {
    const bool costly = composition.model()->dimension() > many_dimensions;
    const std::int64_t warmup = costly ? std::min(test_.warmup, few_warmup) : test_.warmup;
    Equilibrium equilibrium(composition, {.replicates = replicates(composition),
                                          .warmup = warmup,
                                          .seed = test_.seed,
                                          .late = test_.late});
    const double before = equilibrium.gradients();  // of warmup
    VerifiedTarget& seen = out_.seen;
    for (std::int64_t more = 1; seen.sweeps < most_sweeps; more = seen.sweeps) {
      equilibrium.advance(more);
      seen.sweeps += more;
      judge(equilibrium.compare(), test_.alpha, look_count, out_);
      if (out_.biased || enough(equilibrium.gradients() - before, composition)) break;
      if (test_.late && test_.late()) break;
    }
    seen.moved = equilibrium.moved();
    seen.acceptance = equilibrium.acceptance();
    if (!equilibrium.frozen_bits_kept()) {
      out_.add({"bitwise constancy of frozen histories", seen.name, true, 0, 0});
    }
    out_.gradients += equilibrium.gradients();
    const bool too_few = seen.sweeps < sweeps_to_stand_still && seen.moved < still_distance;
    if (too_few && !out_.biased) follow(composition, warmup);
  }

 private:
  void follow(const Composition& composition, std::int64_t warmup) {
    Equilibrium few(
        composition,
        {.replicates = trial_replicates, .warmup = warmup, .seed = test_.seed, .late = test_.late});
    few.advance(sweeps_to_stand_still);
    follow_up(few.moved(), out_);
    out_.gradients += few.gradients();
  }

  std::int64_t replicates(const Composition& composition) const {
    if (test_.learnt_laws) return learnt_replicates;
    const bool costly = composition.model()->dimension() > many_dimensions || test_.adaptive;
    return costly ? few_replicates : usual_replicates;
  }

  /// Whether the fewest sweeps were made and half of the budget is spent. For each replicate and
  /// slot, a sweep counts as at least one gradient and at least d^2 / 100, because fits cost time
  /// too.
  bool enough(double gradients, const Composition& composition) const {
    const auto updates = static_cast<double>(out_.seen.sweeps * replicates(composition)) *
                         static_cast<double>(composition.compositor->slots().size());
    const auto d = static_cast<double>(composition.model()->dimension());
    const double size = std::max(1.0, 0.01 * d * d);
    const double spent = std::max(gradients, updates * size);
    return out_.seen.sweeps >= fewest_sweeps && 2.0 * spent > test_.budget;
  }

  const EquilibriumTest& test_;
  EquilibriumOutcome& out_;
};

}  // namespace

EquilibriumOutcome test_at_equilibrium(const VerifyTargets& targets, const EquilibriumTest& test) {
  EquilibriumOutcome out;
  out.seen.name = test.target;
  if (!test.fixed_steps) {
    out.seen.step_factor = best_factor(targets, test, out.gradients);
  }
  const Composition composition = targets.composed(test.target, out.seen.step_factor);
  Tester(test, out).run(composition);
  return out;
}

namespace {

/// The cost of one gradient in a long check: the largest of 1, N / 1000 (for N cases) and d^2 / 100
/// (in d dimensions).
double size_of(const Model& model) {
  const auto d = static_cast<double>(model.dimension());
  const SumOfTerms* const sum = model.offers<SumOfTerms>();
  const double cases = sum == nullptr ? 0.0 : static_cast<double>(sum->terms());
  return std::max({1.0, 1e-2 * d * d, 1e-3 * cases});
}

}  // namespace

EquilibriumOutcome look_long(const VerifyTargets& targets, const EquilibriumTest& test,
                             double step_factor) {
  const Composition composition = targets.composed(test.target, step_factor);
  Equilibrium equilibrium(composition, {.replicates = long_replicates,
                                        .warmup = test.warmup,
                                        .seed = test.seed + 1,
                                        .late = test.late});
  EquilibriumOutcome out;
  out.seen.name = test.target;
  const double before = equilibrium.gradients();
  equilibrium.advance(trial_sweeps);
  const double gradients = (equilibrium.gradients() - before) / trial_sweeps;
  const double cost = size_of(*composition.model()) * std::max(gradients, double{long_replicates});
  const auto sweeps =
      static_cast<std::int64_t>(std::min(test.budget / cost, static_cast<double>(longest_look)));
  if (sweeps < fewest_for_long) {
    throw InputError(
        fmt::format("the budget is enough for {} sweeps of {} replicates, but a long check needs "
                    "at least {} sweeps. Raise --budget.",
                    sweeps, long_replicates, fewest_for_long));
  }
  const std::int64_t apart = std::max<std::int64_t>(1, sweeps / long_looks);
  std::vector<EquilibriumStatistic> statistics = equilibrium.follow(sweeps / apart, apart);
  if (statistics.empty()) {
    throw InputError(fmt::format(
        "each average over {} sweeps has an effective sample size below 25, which is too small "
        "for the comparison. Raise --budget.",
        sweeps));
  }
  out.seen.sweeps = trial_sweeps + sweeps / apart * apart;
  for (EquilibriumStatistic& s : statistics) s.name += fmt::format(" over {} sweeps", sweeps);
  judge(statistics, test.alpha, 1, out);
  out.gradients = equilibrium.gradients();
  return out;
}

double best_factor(const VerifyTargets& targets, const EquilibriumTest& test, double& gradients) {
  double best = 1.0;
  double farthest = -1.0;
  for (const double factor : {1.0, 0.25, 4.0, 0.0625, 16.0, 0.015625, 64.0, 256.0}) {
    if (factor != 1.0 && !targets.can_compose(test.target, factor)) continue;
    const Composition pilot = targets.composed(test.target, factor);
    Equilibrium trial(pilot,
                      {.replicates = trial_replicates, .seed = test.seed, .late = test.late});
    trial.advance(2);
    gradients += trial.gradients();
    if (!(trial.moved() > farthest)) continue;
    farthest = trial.moved();
    best = factor;
  }
  return best;
}

Arrival arrival(const VerifyTargets& targets, const EquilibriumTest& test, double step_factor) {
  const Composition composition = targets.composed(test.target, step_factor);
  Equilibrium stretched(composition, {.replicates = arrival_replicates,
                                      .warmup = test.warmup,
                                      .seed = test.seed,
                                      .stretch = allowed_stretch,
                                      .late = test.late});
  const double before = stretched.gradients();
  const double at_start = stretched.excess().mean;
  Arrival found;
  Equilibrium::Excess last = stretched.excess();
  for (std::int64_t more = 1; found.sweeps < longest_arrival; more = found.sweeps) {
    stretched.advance(more);
    found.sweeps += more;
    const Equilibrium::Excess now = stretched.excess();
    const double noise = 3.0 * std::hypot(now.error, last.error);
    found.left = now.mean / at_start;
    found.stalled = found.sweeps >= fewest_for_stall &&
                    now.mean - 3.0 * now.error > arrived * at_start &&
                    last.mean - now.mean < std::min(noise, 0.1 * last.mean);
    // Requires two small excesses in a row, because the excess of a deterministic orbit is small at
    // some times.
    const bool near = std::max(last.mean, now.mean) < arrived * at_start;
    last = now;
    if (near || 2.0 * (stretched.gradients() - before) > test.budget) break;
  }
  found.gradients = stretched.gradients();
  return found;
}

namespace {

Eigen::MatrixXd after_two_sweeps(const Composition& composition, std::int64_t replicates,
                                 std::int64_t block_width, const std::function<bool()>& late) {
  RunSettings settings = composition.run;
  settings.replicates = replicates;
  settings.block_width = block_width;
  Sampler sampler(composition.compositor, settings, compose(*composition.compositor));
  sampler.stop_when(late);
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, 2);
  const auto slots = composition.compositor->slots();
  const Index d = composition.model()->dimension();
  Eigen::MatrixXd all(d * static_cast<Index>(slots.size()), replicates);
  for (std::size_t s = 0; s < slots.size(); ++s) {
    all.middleRows(d * static_cast<Index>(s), d) = sampler.position(slots[s]);
  }
  return all;
}

double largest_difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  const Index shared = std::min(a.cols(), b.cols());
  const Eigen::ArrayXXd x = a.leftCols(shared);
  const Eigen::ArrayXXd y = b.leftCols(shared);
  return ((x - y).abs() / (1.0 + x.abs())).maxCoeff();
}

}  // namespace

double difference_between_blocks(const Composition& composition,
                                 const std::function<bool()>& late) {
  const Program program = compose(*composition.compositor);
  for (const KernelGraph* graph : {&program.warmup, &program.sampling}) {
    for (const VariableInfo& v : graph->variables()) {
      if (v.scope == Scope::run) return 0.0;
    }
  }
  const Eigen::MatrixXd whole = after_two_sweeps(composition, 16, 8, late);
  return std::max(largest_difference(whole, after_two_sweeps(composition, 13, 8, late)),
                  largest_difference(whole, after_two_sweeps(composition, 16, 16, late)));
}

}  // namespace mixwell
