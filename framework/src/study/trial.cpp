// Runs one trial of a tuning: computes the score of a composition within a budget of gradients.
// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"
#include "results/element_names.hpp"
#include "run/chunks.hpp"
#include "study/measuring.hpp"

#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace mixwell::study {
namespace {

constexpr std::int64_t pilot_sweeps = 5;
constexpr double pilot_share = 0.05;  // share of the budget that the pilot may spend on each phase
constexpr std::int64_t estimate_sweeps = 2;
constexpr std::int64_t most_together = 16;  // sweeps of warmup
constexpr std::int64_t most_draws_together = 100'000;
constexpr Index fewest_draws = 8;  // two half chains of four draws each

Sampler sampler_of(const Composition& composition, const RunSettings& settings) {
  Sampler sampler(composition.compositor, settings, compose(*composition.compositor));
  sampler.initialise();
  return sampler;
}

/// The cost of a sweep of each phase, in gradients and seconds, and the gradients spent on
/// measuring this cost.
struct SweepCost {
  double first = 0.0;
  double warmup = 0.0;
  double sampling = 0.0;
  double warmup_seconds = 0.0;
  double sampling_seconds = 0.0;
  double spent = 0.0;
};

/// Measures the cost from at most `sweeps` sweeps of each phase. No sweep starts after `limit`
/// gradients.
SweepCost sweep_cost(const Composition& composition, std::int64_t sweeps,
                     double limit = std::numeric_limits<double>::infinity()) {
  Sampler sampler = sampler_of(composition, composition.run);
  SweepCost cost;
  cost.first = sampler.gradients();
  const auto timed = [&](PhaseKind phase, double& gradients, double& seconds) {
    const double before = sampler.gradients();
    const auto start = Clock::now();
    double n = 0.0;
    do {
      sampler.advance(phase, 1);
      ++n;
    } while (n < static_cast<double>(sweeps) && sampler.gradients() - before < limit);
    seconds = seconds_since(start) / n;
    gradients = (sampler.gradients() - before) / n;
  };
  if (composition.run.warmup >= sweeps) timed(PhaseKind::warmup, cost.warmup, cost.warmup_seconds);
  timed(PhaseKind::sampling, cost.sampling, cost.sampling_seconds);
  cost.spent = sampler.gradients();
  return cost;
}

struct EffectiveSizes {
  std::vector<double> all;
  std::string without{};  ///< the first variable whose effective size is missing

  void note(const std::string& name) {
    if (without.empty()) without = name;
  }
};

/// Collects draws of every real variable of the posterior.
class DrawStore {
 public:
  DrawStore(const KernelGraph& graph, const Model& model, Index slots, Index replicates)
      : chunks_(graph, model, slots, replicates), chains_(slots * replicates) {
    values_.resize(chunks_.columns().size());
    for (const Parameter& one : model.parameters()) {
      if (one.coordinates() > 0 && !one.whole) moving_.insert(one.name);
    }
  }

  void add(const DrawBuffers& buffers) {
    const Chunk chunk = chunks_.chunk(buffers, false, draws_);
    for (std::size_t c = 0; c < values_.size(); ++c) {
      if (!counts(c) || chunk.data[c] == nullptr) continue;
      const auto size = static_cast<std::size_t>(chunk.draws * chains_ * columns()[c].size());
      values_[c].insert(values_[c].end(), chunk.data[c], chunk.data[c] + size);
    }
    draws_ += chunk.draws;
  }

  Index draws() const noexcept { return draws_; }

  /// The effective sample size of every element whose draws differ. Skips constant elements.
  EffectiveSizes ess() const {
    EffectiveSizes found;
    for (std::size_t c = 0; c < values_.size(); ++c) {
      if (counts(c)) add_ess(c, found);
    }
    return found;
  }

 private:
  void add_ess(std::size_t c, EffectiveSizes& to) const {
    const std::size_t before = to.all.size();
    for (Index k = 0; k < columns()[c].size(); ++k) {
      const Eigen::MatrixXd draws = element(c, k);
      if ((draws.array() == draws(0, 0)).all()) continue;
      to.all.push_back(stand_still(draws) ? std::numeric_limits<double>::quiet_NaN()
                                          : diagnostics::ess_bulk(draws));
      if (!std::isfinite(to.all.back())) to.note(element_name(columns()[c], k));
    }
    if (to.all.size() == before && moving_.contains(columns()[c].name)) to.note(columns()[c].name);
  }

  /// Whether every chain stays at its start. If the starts differ, the ESS of such chains would be
  /// about 2.
  static bool stand_still(const Eigen::MatrixXd& draws) {
    return (draws.rowwise() - draws.row(0)).cwiseAbs().maxCoeff() == 0.0;
  }

  const std::vector<Column>& columns() const { return chunks_.columns(); }

  bool counts(std::size_t c) const {
    const Column& column = columns()[c];
    return column.group == RecordGroup::posterior && !column.once;
  }

  Eigen::MatrixXd element(std::size_t c, Index k) const {
    const Index size = columns()[c].size();
    Eigen::MatrixXd draws(draws_, chains_);
    for (Index i = 0; i < draws_; ++i) {
      for (Index j = 0; j < chains_; ++j)
        draws(i, j) = values_[c][static_cast<std::size_t>((i * chains_ + j) * size + k)];
    }
    return draws;
  }

  DrawChunks chunks_;
  Index chains_;
  Index draws_ = 0;
  std::vector<std::vector<double>> values_;
  std::set<std::string> moving_;  ///< names of real parameters, which should move
};

/// Decides how many sweeps a budget allows, from the cost of earlier sweeps, so that a trial ends
/// as close to its budget as one sweep allows.
class Pace {
 public:
  /// `cost`: the cost of a sweep according to earlier measurements.
  Pace(Sampler& sampler, const SweepCost& cost)
      : sampler_(sampler), worst_(std::max(cost.warmup, cost.sampling)), last_(worst_) {}

  /// The number of sweeps to run next if `left` gradients are left: an eighth of the sweeps that
  /// `left` pays for at the largest cost so far, because trajectories may become longer. 0 if
  /// `left` does not pay for half a sweep.
  std::int64_t fitting(double left, std::int64_t most) const {
    if (left < 0.5 * last_ || left <= 0.0) return 0;
    const double paid = left / std::max(worst_, 1e-12);
    return static_cast<std::int64_t>(std::clamp(paid / 8.0, 1.0, static_cast<double>(most)));
  }

  void advance(PhaseKind phase, std::int64_t sweeps, DrawBuffers* buffers = nullptr) {
    const double before = sampler_.gradients();
    sampler_.advance(phase, sweeps, buffers);
    last_ = (sampler_.gradients() - before) / static_cast<double>(sweeps);
    worst_ = std::max(worst_, last_);
  }

 private:
  Sampler& sampler_;
  double worst_;  ///< gradients per sweep in the most expensive stretch
  double last_;   ///< gradients per sweep in the last stretch
};

class Trial {
 public:
  Trial(const Composition& composition, double budget, const StopRequest& stop)
      : composition_(composition), budget_(budget), stop_(stop) {}

  TrialResult run(const std::string& objective) {
    cost_ = sweep_cost(composition_, pilot_sweeps, pilot_share * budget_);
    RunSettings settings = composition_.run;
    settings.warmup = warmup_sweeps();
    Sampler sampler = sampler_of(composition_, settings);
    const auto slots = static_cast<Index>(composition_.compositor->slots().size());
    DrawStore store(sampler.graph(PhaseKind::sampling), *composition_.model(), slots,
                    settings.replicates);
    Pace pace(sampler, cost_);
    if (!warm_up(sampler, pace, settings.warmup))
      return without_score(
          sampler, "the budget ran out during warmup, so raise `gradients` in [study.tune]");
    sample(sampler, pace, store);
    if (store.draws() < fewest_draws)
      return without_score(sampler,
                           "the budget ran out after too few draws, so raise `gradients` in "
                           "[study.tune]");
    return scored(sampler, store, objective);
  }

 private:
  double left(const Sampler& sampler) const { return budget_ - cost_.spent - sampler.gradients(); }

  std::int64_t warmup_sweeps() const {
    const RunSettings& run = composition_.run;
    const auto warmup = static_cast<double>(run.warmup);
    const double share = warmup / (warmup + static_cast<double>(run.draws * run.thin));
    const double sweep = share * cost_.warmup + (1.0 - share) * cost_.sampling;
    const double sweeps = (budget_ - cost_.spent - cost_.first) / std::max(sweep, 1e-12);
    return static_cast<std::int64_t>(std::clamp(share * sweeps, 0.0, warmup));
  }

  bool warm_up(Sampler& sampler, Pace& pace, std::int64_t sweeps) const {
    for (std::int64_t done = 0; done < sweeps;) {
      const std::int64_t next = pace.fitting(left(sampler), std::min(sweeps - done, most_together));
      if (next == 0 || stop_.is_made()) return false;
      pace.advance(PhaseKind::warmup, next);
      done += next;
    }
    return true;
  }

  void sample(Sampler& sampler, Pace& pace, DrawStore& store) const {
    const std::int64_t thin = composition_.run.thin;
    while (!stop_.is_made()) {
      const double draws_left = left(sampler) / static_cast<double>(thin);
      const std::int64_t draws = pace.fitting(draws_left, most_draws_together);
      if (draws == 0) return;
      DrawBuffers buffers;
      pace.advance(PhaseKind::sampling, draws * thin, &buffers);
      store.add(buffers);
    }
  }

  TrialResult without_score(const Sampler& sampler, const std::string& reason) const {
    TrialResult result;
    result.gradients = cost_.spent + sampler.gradients();
    result.seconds = seconds_since(start_);
    result.reason = reason;
    return result;
  }

  TrialResult scored(const Sampler& sampler, const DrawStore& store,
                     const std::string& objective) const {
    TrialResult result = without_score(sampler, "");
    const auto [ess, without] = store.ess();
    if (!without.empty() || ess.empty()) {
      result.reason = fmt::format(
          "{} has no effective sample size, because its draws are constant or not finite",
          without.empty() ? "the posterior" : without);
      return result;
    }
    const double least = *std::min_element(ess.begin(), ess.end());
    double mean = 0.0;
    for (const double one : ess) mean += one / static_cast<double>(ess.size());
    const double cost = objective == "min_ess_per_second" ? result.seconds : result.gradients;
    result.score = (objective == "mean_ess_per_gradient" ? mean : least) / cost;
    return result;
  }

  const Composition& composition_;
  double budget_;
  const StopRequest& stop_;
  SweepCost cost_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

TrialResult evaluate_trial(const Composition& composition, double budget,
                           const std::string& objective, const StopRequest& stop) {
  return Trial(composition, budget, stop).run(objective);
}

CostEstimate estimate_cost(const Composition& composition) {
  const SweepCost cost = sweep_cost(composition, estimate_sweeps);
  const auto warmup = static_cast<double>(composition.run.warmup);
  const auto sampling = static_cast<double>(composition.run.draws * composition.run.thin);
  CostEstimate estimate;
  estimate.gradients = cost.first + warmup * cost.warmup + sampling * cost.sampling;
  estimate.seconds = warmup * cost.warmup_seconds + sampling * cost.sampling_seconds;
  return estimate;
}

}  // namespace mixwell::study
