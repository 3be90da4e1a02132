// Warnings about draws, with advice. Descriptions of statistics that could not be computed.
// SPDX-License-Identifier: Apache-2.0
#include "advice/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace mixwell {
namespace {

/// Beyond these limits and beyond unmixed_rhat, a run gets a warning. Sources: Vehtari et al. 2021
/// (rank-normalised split R-hat and ESS), Betancourt 2016 (E-BFMI).
constexpr double high_rhat = 1.01;
constexpr double low_ess = 400.0;
constexpr double low_ebfmi = 0.3;
constexpr double low_acceptance = 0.2;
constexpr double below_target = 0.1;
/// An acceptance rate may exceed its target by more than it may fall below, because steps that are
/// too small only cost time. The average over the end of warmup gives steps that are too small,
/// mainly if a metric was learnt, because only 50 sweeps follow the metric.
constexpr double above_target = 0.2;
/// A run gets a warning if at least this share of its trajectories ends at the maximum tree depth.
/// A smaller share costs little time.
constexpr double many_at_max_depth = 0.01;

using diagnostics::StandardFigures;
using Texts = std::vector<std::string>;

/// The variables beyond a limit: the worst variable, and the number of variables.
struct Offenders {
  std::string worst{};
  double value = 0.0;
  bool is_rough = false;  ///< the value of the worst variable is not reliable
  std::size_t count = 0;

  std::string who() const {
    return count == 1 ? worst : fmt::format("{} and {} more", worst, count - 1);
  }
};

/// Considers only variables whose value is known. All other variables are constant or are in
/// Summary::not_judged.
template <class IsBad, class IsWorse>
Offenders offenders(const std::vector<SummaryRow>& rows, double StandardFigures::*statistic,
                    IsBad is_bad, IsWorse is_worse) {
  Offenders found;
  for (const SummaryRow& row : rows) {
    const double value = row.standard.*statistic;
    if (std::isnan(value) || !is_bad(value)) continue;
    if (found.count == 0 || is_worse(value, found.value)) {
      found.worst = row.shown_name();
      found.value = value;
      found.is_rough = is_unreliable(row);
    }
    ++found.count;
  }
  return found;
}

/// Describes how many more variables have missing draws.
std::string more_of(std::int64_t count) {
  if (count == 0) return {};
  return count == 1 ? "; 1 more variable has such draws"
                    : fmt::format("; {} more variables have such draws", count);
}

/// Collects warnings about one summary.
class Warnings {
 public:
  Warnings(const Summary& summary, const Advice& advice) : summary_(summary), advice_(advice) {}

  Texts take() {
    of_missing_draws();
    of_still_chains();
    of_transitions();
    of_energy();
    of_rows(summary_.variables);
    of_ess(summary_.variables, &StandardFigures::ess_tail, "tail");
    if (summary_.directions) of_rows(summary_.directions->along);
    return std::move(texts_);
  }

 private:
  template <class... T>
  void add(fmt::format_string<T...> text, T&&... values) {
    texts_.push_back(fmt::format(text, std::forward<T>(values)...));
  }

  void of_missing_draws() {
    for (const NotJudged& one : summary_.not_judged) {
      if (one.draws == 0) continue;
      add("{}: {}{}. Statistics that need every draw are not available. Look for an expression in "
          "the model that is undefined for these draws, such as log(0), 0 / 0 or an overflow.",
          one.variable, one.because, more_of(one.more));
    }
  }

  bool is_still() const { return summary_.sampler.still_chains.value_or(0) > 0 || nothing_moved(); }

  /// Whether nothing moved, for runs in which no log density shows which chains moved. Variables
  /// with whole numbers do not count, because they may have only one likely value.
  bool nothing_moved() const {
    const auto& rows = summary_.variables;
    const auto moved = [](const SummaryRow& row) { return row.whole || row.standard.sd != 0.0; };
    return !summary_.sampler.still_chains && !rows.empty() &&
           std::none_of(rows.begin(), rows.end(), moved);
  }

  void of_still_chains() {
    if (!is_still()) return;
    const std::int64_t count = summary_.sampler.still_chains.value_or(0);
    const std::string who = count == 0   ? "No variable"
                            : count == 1 ? "1 chain never"
                                         : fmt::format("{} chains never", count);
    add("{} moved: {}. {}", who,
        accepts() ? "the moves are too short to change any parameter value"
                  : "every proposal was rejected",
        other_steps());
  }

  /// Whether proposals are accepted. The acceptance rate includes chains that did not move.
  bool accepts() const { return summary_.sampler.acceptance > 0.99; }
  /// Advice for chains that did not move.
  std::string other_steps() const {
    return accepts() ? advice_.longer_steps() : advice_.shorter_steps();
  }

  /// If there are several kernels, each kernel has its figures and its target.
  void of_transitions() {
    const SamplerSummary& sampler = summary_.sampler;
    if (sampler.kernels.empty()) {
      of_acceptance(sampler.acceptance, "");
      of_max_depth(sampler.reached_max_depth, "");
    }
    for (const KernelFigures& one : sampler.kernels) {
      of_acceptance(one.acceptance, one.kernel);
      of_max_depth(one.reached_max_depth, one.kernel);
    }
    of_divergences();
  }

  static std::string of_kernel(const std::string& kernel) {
    return kernel.empty() ? "" : " of " + kernel;
  }

  void of_acceptance(double acceptance, const std::string& kernel) {
    if (std::isnan(acceptance)) return;  // no proposals were accepted or rejected
    if (const auto target = advice_.target_acceptance(kernel)) {
      const double excess = acceptance - *target;
      if (excess >= -below_target && excess <= above_target) return;
      add("The acceptance rate{} is {:.2f}, far from its target {:.2f}: warmup ended before the "
          "step size settled. Increase run.warmup.",
          of_kernel(kernel), acceptance, *target);
    } else if (acceptance < low_acceptance && !is_still()) {
      add("The acceptance rate{} is {:.2f}, which is low: most proposals are rejected. {}",
          of_kernel(kernel), acceptance, advice_.shorter_steps(kernel));
    }
  }

  void of_max_depth(const std::optional<double>& share, const std::string& kernel) {
    if (share.value_or(0.0) < many_at_max_depth) return;
    add("{:.0f} % of the trajectories{} reached the maximum tree depth. They stopped before a "
        "U-turn, so the sampler is less efficient. {}",
        100.0 * *share, of_kernel(kernel), advice_.deeper_trees(kernel));
  }

  void of_divergences() {
    const std::int64_t count = summary_.sampler.divergences.value_or(0);
    if (count <= 0) return;
    add("{} transitions diverged, so the draws may miss a region of high curvature. run.json gives "
        "the sweep and the position of at most 100 of them. {} If that does not help, "
        "reparametrise the model.",
        count, advice_.shorter_steps());
  }

  void of_energy() {
    const double ebfmi = summary_.sampler.ebfmi;
    if (std::isnan(ebfmi) || ebfmi >= low_ebfmi) return;
    add("E-BFMI is {:.2f}, below {}: new momenta change the energy too little to explore the "
        "tails. Reparametrise the model so that its tails are lighter.",
        ebfmi, low_ebfmi);
  }

  void of_rows(const std::vector<SummaryRow>& rows) {
    of_rhat(rows);
    of_ess(rows, &StandardFigures::ess_bulk, "bulk");
  }

  void of_rhat(const std::vector<SummaryRow>& rows) {
    const Offenders bad = offenders(
        rows, &StandardFigures::rhat, [](double r) { return r > high_rhat; }, std::greater<>());
    if (bad.count == 0) return;
    if (std::isinf(bad.value))
      add("R-hat of {} is infinite: the draws are constant within each half of a chain, but "
          "not the same in all halves.{}",
          bad.who(), is_still() ? "" : " " + other_steps());
    else if (bad.value <= unmixed_rhat)
      add("R-hat of {} is {:.3f}, above {}: the chains do not agree yet. Increase run.draws.",
          bad.who(), bad.value, high_rhat);
    else
      add("R-hat of {} is {:.3f}, above {}: the chains have not mixed. Increase run.warmup and "
          "run.draws. If that does not help, check whether the target has several modes, or "
          "rescale the parameters.",
          bad.who(), bad.value, unmixed_rhat);
  }

  /// More draws do not help chains that do not move.
  void of_ess(const std::vector<SummaryRow>& rows, double StandardFigures::*statistic,
              const char* what) {
    const Offenders bad = offenders(
        rows, statistic, [](double ess) { return ess < low_ess; }, std::less<>());
    if (bad.count == 0) return;
    const double times = std::ceil(low_ess / std::max(bad.value, 1.0));
    add("The {} effective sample size of {} is {:.0f}, below {:.0f}, so the summary is not "
        "reliable.{}{}",
        what, bad.who(), bad.value, low_ess,
        bad.is_rough ? " The estimate of such a small effective sample size may be far off." : "",
        is_still() ? "" : " " + advice_.more_draws(static_cast<int>(times)));
  }

  const Summary& summary_;
  const Advice& advice_;
  Texts texts_;
};

/// "rhat, ess_bulk and ess_tail"
std::string listed(const std::vector<std::string>& names) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

}  // namespace

Texts warnings(const Summary& summary, const Advice& advice) {
  return Warnings(summary, advice).take();
}

Texts warnings(const Summary& summary, const std::string& effective_manifest) {
  return warnings(summary, Advice(effective_manifest));
}

std::string in_words(const NotJudged& one) {
  const bool all = one.figures.size() == standard_figures.size();
  return fmt::format("{} of {}: {}", all ? "all figures" : listed(one.figures), one.who(),
                     one.because);
}

bool is_unreliable(const SummaryRow& row) {
  return std::any_of(row.unreliable.begin(), row.unreliable.end(), [](const std::string& key) {
    return std::any_of(standard_figures.begin(), standard_figures.end(),
                       [&](const StandardFigure& figure) { return key == figure.name; });
  });
}

}  // namespace mixwell
