// One evaluation of a tuning: what a composition achieves on a budget of gradients.
// SPDX-License-Identifier: Apache-2.0
#include "study/trial.hpp"

#include "base/clock.hpp"
#include "run/chunks.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/diagnostics.hpp>
#include <mixwell/lab/sampler.hpp>

#include <algorithm>
#include <cmath>

namespace mixwell::study {
namespace {

constexpr std::int64_t pilot_sweeps = 5;
constexpr std::int64_t estimate_sweeps = 2;
constexpr Index fewest_draws = 8;  // two half chains of four

Sampler sampler_of(const Composition& composition, const RunSettings& settings) {
  Sampler sampler(composition.compositor, settings, compose(*composition.compositor));
  sampler.initialise();
  return sampler;
}

/// What a sweep of each phase costs, in gradients and seconds, and what it took to know.
struct SweepCost {
  double first = 0.0;
  double warmup = 0.0;
  double sampling = 0.0;
  double warmup_seconds = 0.0;
  double sampling_seconds = 0.0;
  double spent = 0.0;
};

SweepCost sweep_cost(const Composition& composition, std::int64_t sweeps) {
  Sampler sampler = sampler_of(composition, composition.run);
  SweepCost cost;
  cost.first = sampler.gradients();
  const auto n = static_cast<double>(sweeps);
  const auto timed = [&](PhaseKind phase, double& gradients, double& seconds) {
    const double before = sampler.gradients();
    const auto start = Clock::now();
    sampler.advance(phase, sweeps);
    seconds = seconds_since(start) / n;
    gradients = (sampler.gradients() - before) / n;
  };
  if (composition.run.warmup >= sweeps) timed(PhaseKind::warmup, cost.warmup, cost.warmup_seconds);
  timed(PhaseKind::sampling, cost.sampling, cost.sampling_seconds);
  cost.spent = sampler.gradients();
  return cost;
}

/// Draws of every real variable of the posterior, stretch after stretch.
class DrawStore {
 public:
  DrawStore(const KernelGraph& graph, const Model& model, Index slots, Index replicates)
      : chunks_(graph, model, slots, replicates), chains_(slots * replicates) {
    values_.resize(chunks_.columns().size());
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

  /// ess_bulk of every element that has one.
  std::vector<double> ess() const {
    std::vector<double> all;
    for (std::size_t c = 0; c < values_.size(); ++c) {
      for (Index k = 0; counts(c) && k < columns()[c].size(); ++k) {
        const double ess = diagnostics::ess_bulk(element(c, k));
        if (std::isfinite(ess)) all.push_back(ess);
      }
    }
    return all;
  }

 private:
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
};

class Trial {
 public:
  Trial(const Composition& composition, double budget, const StopRequest& stop)
      : composition_(composition), budget_(budget), stop_(stop) {}

  TrialResult run(const std::string& objective) {
    cost_ = sweep_cost(composition_, pilot_sweeps);
    RunSettings settings = composition_.run;
    settings.warmup = warmup_sweeps();
    Sampler sampler = sampler_of(composition_, settings);
    const auto slots = static_cast<Index>(composition_.compositor->slots().size());
    DrawStore store(sampler.graph(PhaseKind::sampling), *composition_.model(), slots,
                    settings.replicates);
    if (!warm_up(sampler, settings.warmup))
      return without_score(sampler, "the budget ended in warm-up; raise [study.tune] gradients");
    while (left(sampler) > 0 && !stop_.is_made()) {
      DrawBuffers buffers;
      sampler.advance(PhaseKind::sampling, stretch(sampler), &buffers);
      store.add(buffers);
    }
    if (store.draws() < fewest_draws)
      return without_score(sampler, "the budget is too small; raise [study.tune] gradients");
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

  bool warm_up(Sampler& sampler, std::int64_t sweeps) const {
    for (std::int64_t done = 0; done < sweeps;) {
      if (left(sampler) <= 0 || stop_.is_made()) return false;
      const std::int64_t next = std::min<std::int64_t>(sweeps - done, 16);
      sampler.advance(PhaseKind::warmup, next);
      done += next;
    }
    return true;
  }

  /// An eighth of what is left, in whole draws, so that the last stretch hardly exceeds it.
  std::int64_t stretch(const Sampler& sampler) const {
    const double sweeps = left(sampler) / std::max(cost_.sampling, 1e-12) / 8.0;
    const auto draws = static_cast<std::int64_t>(
        std::clamp(sweeps / static_cast<double>(composition_.run.thin), 1.0, 1e5));
    return draws * composition_.run.thin;
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
    const std::vector<double> ess = store.ess();
    if (ess.empty()) {
      result.reason = "no variable has an effective sample size";
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
