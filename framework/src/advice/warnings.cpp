// What is wrong with the draws of a run, what to do about it, and what could not be judged.
// SPDX-License-Identifier: Apache-2.0
#include "advice/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace mixwell {
namespace {

/// Limits beyond which a run deserves a warning, as unmixed_rhat is: Vehtari et al. 2021
/// (rank-normalised split R-hat and ESS), Betancourt 2016 (E-BFMI).
constexpr double high_rhat = 1.01;
constexpr double low_ess = 400.0;
constexpr double low_ebfmi = 0.3;
constexpr double low_acceptance = 0.2;
constexpr double below_target = 0.1;
/// Steps that are too small cost only time, and averaging over the end of warm-up makes them so,
/// above all after a metric that was learnt: 50 sweeps are left then.
constexpr double above_target = 0.2;
/// Of trajectories that end at the largest depth: fewer cost little.
constexpr double many_at_max_depth = 0.01;

using diagnostics::StandardFigures;
using Texts = std::vector<std::string>;

/// Variables on the wrong side of a limit: the worst one and how many there are.
struct Offenders {
  std::string worst{};
  double value = 0.0;
  bool is_rough = false;  ///< the worst one's value is not to be relied on
  std::size_t count = 0;

  std::string who() const {
    return count == 1 ? worst : fmt::format("{} and {} more", worst, count - 1);
  }
};

/// Among those whose value is known; the others are in Summary::not_judged, or constants.
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

/// Of variables with draws that are missing as well.
std::string more_of(std::int64_t count) {
  if (count == 0) return {};
  return count == 1 ? "; 1 more variable has such draws"
                    : fmt::format("; {} more variables have such draws", count);
}

/// Warnings in the making, with what they are about.
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
      add("{}: {}{}. Figures that need every draw are not available. Look for what the model does "
          "not define there, such as log(0), 0 / 0 or an overflow.",
          one.variable, one.because, more_of(one.more));
    }
  }

  bool is_still() const { return summary_.sampler.still_chains.value_or(0) > 0 || nothing_moved(); }

  /// Where no log density says which chains moved. Whole numbers may have one likely value only.
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
        accepts() ? "moves are too short to change a number" : "every proposal was rejected",
        other_steps());
  }

  /// All that was proposed, by all chains: those that stand still among them.
  bool accepts() const { return summary_.sampler.acceptance > 0.99; }
  /// For chains that stand still.
  std::string other_steps() const {
    return accepts() ? advice_.longer_steps() : advice_.shorter_steps();
  }

  /// Of several kernels each has figures and a target of its own.
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
    if (std::isnan(acceptance)) return;  // draws that nothing accepted
    if (const auto target = advice_.target_acceptance(kernel)) {
      const double excess = acceptance - *target;
      if (excess >= -below_target && excess <= above_target) return;
      add("The acceptance{} is {:.2f}, far from its target {:.2f}: warm-up ended before the step "
          "size settled. Raise run.warmup.",
          of_kernel(kernel), acceptance, *target);
    } else if (acceptance < low_acceptance && !is_still()) {
      add("The acceptance{} is {:.2f}, which is low: most proposals are rejected. {}",
          of_kernel(kernel), acceptance, advice_.shorter_steps(kernel));
    }
  }

  void of_max_depth(const std::optional<double>& share, const std::string& kernel) {
    if (share.value_or(0.0) < many_at_max_depth) return;
    add("{:.0f} % of the trajectories{} reached the largest depth: they ended before they turned "
        "back, and move less for their gradients. {}",
        100.0 * *share, of_kernel(kernel), advice_.deeper_trees(kernel));
  }

  void of_divergences() {
    const std::int64_t count = summary_.sampler.divergences.value_or(0);
    if (count <= 0) return;
    add("{} transitions diverged: the draws may miss a region of high curvature; run.json holds "
        "positions. {} If that does not help, reparametrise the model.",
        count, advice_.shorter_steps());
  }

  void of_energy() {
    const double ebfmi = summary_.sampler.ebfmi;
    if (std::isnan(ebfmi) || ebfmi >= low_ebfmi) return;
    add("E-BFMI is {:.2f}, below {}: momentum draws move the energy too little to explore the "
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
      add("R-hat of {} is infinite: no half of a chain moves, and they stand at different "
          "places.{}",
          bad.who(), is_still() ? "" : " " + other_steps());
    else if (bad.value <= unmixed_rhat)
      add("R-hat of {} is {:.3f}, above {}: the chains do not agree yet. Give more draws.",
          bad.who(), bad.value, high_rhat);
    else
      add("R-hat of {} is {:.3f}, above {}: the chains have not mixed. Give more warmup and draws; "
          "if that does not help, look for several modes or rescale the parameters.",
          bad.who(), bad.value, unmixed_rhat);
  }

  /// More draws of chains that stand still are no cure.
  void of_ess(const std::vector<SummaryRow>& rows, double StandardFigures::*statistic,
              const char* what) {
    const Offenders bad = offenders(
        rows, statistic, [](double ess) { return ess < low_ess; }, std::less<>());
    if (bad.count == 0) return;
    const double times = std::ceil(low_ess / std::max(bad.value, 1.0));
    add("The {} effective sample size of {} is {:.0f}, below {:.0f}: its summary is not "
        "reliable.{}{}",
        what, bad.who(), bad.value, low_ess,
        bad.is_rough ? " The number itself is too small to be estimated well, and may be far off."
                     : "",
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
