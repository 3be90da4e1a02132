// Effective sample sizes by published formulas, and the definitions of all reported statistics.
// SPDX-License-Identifier: Apache-2.0
#include "base/not_available.hpp"
#include "diagnostics/autocovariance.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/ess.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

namespace mixwell::diagnostics {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double smallest_correlation = 0.05;

/// The sum over chains of n / time(autocorrelations). NaN if the time of a chain is not positive.
template <class Time>
double sum_of_sizes(const Draws& x, const Time& time) {
  if (x.size() == 0 || !x.allFinite()) return not_available;
  double sum = 0.0;
  for (Index c = 0; c < x.cols(); ++c) {
    if (is_constant(x.col(c))) return not_available;
    const double tau = time(autocorrelations(x.col(c)));
    if (!(tau > 0)) return not_available;
    sum += static_cast<double>(x.rows()) / tau;
  }
  return sum;
}

double initial_monotone_time(const VectorXd& rho) {
  double smallest = std::numeric_limits<double>::infinity();
  double time = -1.0;
  for (Index k = 0; k + 1 < rho.size(); k += 2) {
    smallest = std::min(smallest, rho[k] + rho[k + 1]);
    if (!(smallest > 0)) break;
    time += 2 * smallest;
  }
  return std::max(time, 1.0);
}

double time_to_small_correlation(const VectorXd& rho) {
  const auto end =
      std::find_if(rho.begin(), rho.end(), [](double r) { return !(r >= smallest_correlation); });
  return std::accumulate(rho.begin(), end, 0.0);
}

constexpr const char* vehtari =
    "Vehtari, Gelman, Simpson, Carpenter and Buerkner, Bayesian Analysis 16 (2021)";
constexpr const char* hyndman = "Hyndman and Fan, The American Statistician 50 (1996), type 7";

constexpr std::array<Definition, 11> standard = {{
    {"mean", "mean of all draws", "1", "R base", "sum x / n"},
    {"sd", "standard deviation of all draws, with divisor n - 1", "1", "R base",
     "sqrt(sum (x - mean)^2 / (n - 1))"},
    {"mcse_mean",
     "Monte Carlo standard error of the mean: sd / sqrt(effective sample size of the mean)", "1",
     "posterior 1.4", vehtari},
    {"mcse_sd", "Monte Carlo standard error of the sd, by the delta method", "1", "posterior 1.4",
     vehtari},
    {"q5", "5 % quantile", "1", "R base", hyndman},
    {"q50", "median", "1", "R base", hyndman},
    {"q95", "95 % quantile", "1", "R base", hyndman},
    {"rhat", "rank-normalised split R-hat: the larger of the bulk R-hat and the folded R-hat", "1",
     "posterior 1.4", vehtari},
    {"ess_bulk", "rank-normalised split effective sample size", "1", "posterior 1.4", vehtari},
    {"ess_tail",
     "split effective sample size of the 5 % quantile or of the 95 % quantile, "
     "whichever is smaller",
     "1", "posterior 1.4", vehtari},
    {"ebfmi", "energy Bayesian fraction of missing information (E-BFMI), the minimum over chains",
     "1", "",
     "Betancourt, A conceptual introduction to Hamiltonian Monte Carlo (2017), section 6.1"},
}};

constexpr const char* midpoints =
    "quantile of the sorted draws by linear interpolation. The distance between two neighbouring "
    "draws on the probability axis is proportional to the sum of their weights.";
constexpr const char* series =
    "Monte Carlo standard error of the mean of the series w (f - weighted mean of f), divided by "
    "the mean weight. f is x for the mean and (x - mean)^2 for the sd.";

constexpr std::array<Definition, 7> weighted = {{
    {"mean", "weighted mean of all draws", "1", "",
     "sum w x / sum w: Simsekli, Badeau, Cemgil and Richard (2016), Eq. 12"},
    {"sd", "weighted standard deviation of all draws", "1", "",
     "sqrt(sum w (x - mean)^2 / (W - sum w^2 / W)), W = sum w"},
    {"mcse_mean", "Monte Carlo standard error of the weighted mean", "1", "", series},
    {"mcse_sd", "Monte Carlo standard error of the weighted sd, by the delta method", "1", "",
     series},
    {"q5", "weighted 5 % quantile", "1", "", midpoints},
    {"q50", "weighted median", "1", "", midpoints},
    {"q95", "weighted 95 % quantile", "1", "", midpoints},
}};

constexpr std::array<PaperEstimator, 3> papers = {{
    {"qnhmc",
     {"ess_qnhmc", "n / (1 + 2 * sum of the first 500 autocorrelations), summed over chains", "1",
      "", "Fu, Luo and Zhang, Quasi-Newton Hamiltonian Monte Carlo (2016), section 5.1"},
     [](const Draws& x) { return ess_qnhmc(x); },
     true,
     1.0 / 1001,
     20 * 1001},
    {"girolami-calderhead",
     {"ess_girolami_calderhead",
      "n / (1 + 2 * sum of the autocorrelations in Geyer's initial monotone "
      "sequence), summed over chains",
      "1", "",
      "Girolami and Calderhead, JRSS B 73 (2011), section 7; Zhang and Sutton (2011), section 6"},
     ess_girolami_calderhead,
     true,
     0,
     0},
    {"sghmc",
     {"autocorrelation_time_sghmc",
      "autocorrelation time in draws: 1 + sum of the autocorrelations before the first one below "
      "0.05; harmonic mean over chains",
      "1", "",
      "Chen, Fox and Guestrin, Stochastic Gradient Hamiltonian Monte Carlo (2014), section 4.1, "
      "footnote 2"},
     autocorrelation_time_sghmc,
     false,
     0,
     0},
}};

}  // namespace

double ess_qnhmc(const Draws& x, Index lags) {
  if (x.rows() <= lags + 1) return not_available;
  return sum_of_sizes(x, [&](const VectorXd& rho) { return 1 + 2 * rho.segment(1, lags).sum(); });
}

double ess_girolami_calderhead(const Draws& x) { return sum_of_sizes(x, initial_monotone_time); }

double autocorrelation_time_sghmc(const Draws& x) {
  return static_cast<double>(x.size()) / sum_of_sizes(x, time_to_small_correlation);
}

std::span<const Definition> standard_definitions() { return standard; }
std::span<const Definition> weighted_definitions() { return weighted; }

std::span<const PaperEstimator> paper_estimators() { return papers; }

const PaperEstimator& find_paper_estimator(const std::string& id, const std::string& option) {
  std::vector<std::string> known;
  for (const PaperEstimator& estimator : papers) {
    if (estimator.id == id) return estimator;
    known.emplace_back(estimator.id);
  }
  throw InputError({option, 0, 0}, "no estimator \"" + id + "\"" + suggestion(id, known));
}

}  // namespace mixwell::diagnostics
