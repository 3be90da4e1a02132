// Model `beta-binomial`: overdispersed counts; mean success probability m and precision K.
// SPDX-License-Identifier: Apache-2.0
#include "beta-binomial/counts.hpp"
#include "beta-binomial/urn.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace mixwell::beta_binomial {
namespace {

using beta_binomial::Count;
using beta_binomial::rising_weight;
using beta_binomial::Urn;

/// log(1 + e^x).
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// The urn with mean m and precision K, in the unit max(K, 1).
Urn urn_at(double m, double rest, double x1, double x2) {
  const double log = std::min(x2, 0.0);
  const double K = std::exp(log);
  return {{m * K, log - softplus(-x1)},
          {rest * K, log - softplus(x1)},
          {K, log},
          std::exp(-std::max(x2, 0.0))};
}

/// Sums over the cases: log probabilities, and the weights of the rising factorials.
struct Sums {
  double log = 0;
  double positive = 0;
  double negative = 0;
  double total = 0;

  void add(const Urn& urn, const Count& count, bool wants_log) {
    positive += rising_weight(urn.positive.value, urn.s, count.y);
    negative += rising_weight(urn.negative.value, urn.s, count.n - count.y);
    total += rising_weight(urn.total.value, urn.s, count.n);
    if (wants_log) log += log_order(urn, count.y, count.n);
  }
};

/// The log of the binomial coefficient.
double log_choose(const Count& count) {
  return std::lgamma(count.n + 1) - std::lgamma(count.y + 1) - std::lgamma(count.n - count.y + 1);
}

/// Draws a share from Beta(K m, K (1 - m)), then a count. The shapes are clamped so that a gamma
/// can be drawn.
double draw_count(RandomNumbers& random, double m, double rest, double log_K, double n) {
  const auto shape = [&](double share) {
    return std::exp(std::clamp(log_K + std::log(share), -600.0, 600.0));
  };
  return draw_binomial(random, n, draw_beta(random, shape(m), shape(rest)));
}

class BetaBinomial final : public Model, public Generated {
 public:
  struct Params {
    beta_binomial::Source source;
    beta_binomial::Simulation simulation;

    void declare(Fields& fields) {
      source.declare(fields);
      simulation.declare(fields);
    }
  };

  explicit BetaBinomial(const Params& params) : counts_(make_counts(params, remarks_)) {
    const auto has = [this](auto rule) {
      return std::any_of(counts_.begin(), counts_.end(), rule);
    };
    require_proper(params, "y = 0", has([](const Count& c) { return c.y > 0; }));
    require_proper(params, "y = n", has([](const Count& c) { return c.y < c.n; }));
  }

  /// The parts of U from each case and from the prior are smooth, with bounded gradients.
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }
  std::vector<Parameter> parameters() const override {
    return {{.name = "m", .shape = {}, .constraint = Constraint::interval(0, 1)},
            {.name = "K", .shape = {}, .constraint = Constraint::positive()}};
  }

  std::vector<std::string> remarks() const override { return remarks_; }
  std::vector<NamedValues> observed_data() const override {
    return {column("y", [](const Count& count) { return count.y; })};
  }
  std::vector<NamedValues> constant_data() const override {
    return {column("n", [](const Count& count) { return count.n; })};
  }
  std::vector<Parameter> generated() const override {
    return {{.name = "y", .shape = {cases()}, .group = RecordGroup::log_likelihood},
            {.name = "y", .shape = {cases()}, .group = RecordGroup::posterior_predictive}};
  }
  /// Takes up to 38 logarithms, two gammas and a binomial draw for each case and column.
  void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      const double x1 = theta(0, j);
      const double x2 = theta(1, j);
      const double m = 1 / (1 + std::exp(-x1));
      const double rest = 1 / (1 + std::exp(x1));
      const Urn urn = urn_at(m, rest, x1, x2);
      const Address column{at.sweep, at.draw, at.replicate + static_cast<std::uint64_t>(j)};
      each_case(cases(), stream, column, [&](Index k, RandomNumbers& random) {
        const Count& count = counts_[static_cast<std::size_t>(k)];
        out(k, j) = log_order(urn, count.y, count.n) + log_choose(count);
        out(cases() + k, j) = draw_count(random, m, rest, x2, count.n);
      });
    }
  }

 private:
  Index cases() const noexcept { return std::ssize(counts_); }

  template <class Member>
  NamedValues column(const std::string& name, const Member& member) const {
    NamedValues all{.name = name, .shape = {cases()}, .values = {}};
    for (const Count& count : counts_) all.values.push_back(member(count));
    return all;
  }

  static std::vector<Count> make_counts(const Params& params, std::vector<std::string>& remarks) {
    const beta_binomial::Simulation& simulation = params.simulation;
    if (params.source.data) {
      if (simulation.cases != 0)
        throw ParameterError(
            "cases",
            "must be left out if `data` is given, because this key is for simulated pairs");
      return beta_binomial::read_counts(params.source, remarks);
    }
    if (simulation.cases == 0)
      throw ParameterError("cases", "must be at least 1 if `data` is not given");
    for (const double n : simulation.sizes)
      if (n != std::floor(n)) throw ParameterError("sizes", "must contain only whole numbers");
    return beta_binomial::simulated_counts(simulation);
  }

  static void require_proper(const Params& params, const std::string& rule, bool proper) {
    if (proper) return;
    throw InputError(params.source.data.value_or("the simulated pairs") + ": every case has " +
                     rule +
                     ". With such data, the posterior is improper under the prior 1 / (m (1 - m)). "
                     "Give at least one case with y > 0 and one with y < n.");
  }

  /// Takes three sums of at most 20 terms for each case and column, and up to 35 logarithms for U.
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double x1 = theta(0, j);
      const double x2 = theta(1, j);
      if (!std::isfinite(x1) || !std::isfinite(x2)) {
        g.col(j).setConstant(std::numeric_limits<double>::quiet_NaN());
        if (out.wants_potential()) out.u()[j] = std::numeric_limits<double>::quiet_NaN();
        continue;
      }
      const double m = 1 / (1 + std::exp(-x1));
      const double rest = 1 / (1 + std::exp(x1));
      const Urn urn = urn_at(m, rest, x1, x2);
      Sums sums;
      for (const Count& count : counts_) sums.add(urn, count, out.wants_potential());
      g(0, j) = m * sums.negative - rest * sums.positive;
      g(1, j) = sums.total - sums.positive - sums.negative + std::tanh(0.5 * x2);
      if (out.wants_potential()) out.u()[j] = softplus(x2) + softplus(-x2) - sums.log;
    }
  }

  std::vector<std::string> remarks_;  // before counts_, because reading counts_ adds remarks
  std::vector<Count> counts_;
};

}  // namespace
}  // namespace mixwell::beta_binomial

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::beta_binomial::BetaBinomial>(
      {.id = "beta-binomial",
       .summary = "Overdispersed counts y out of n: beta-binomial with mean success probability m "
                  "and precision K",
       .details =
           "P(y | n, m, K) = C(n, y) B(K m + y, K (1 - m) + n - y) / B(K m, K (1 - m)), a binomial "
           "distribution whose success probability is Beta(K m, K (1 - m)). The prior density p(m, "
           "K) is proportional to 1 / (m (1 - m)) 1 / (1 + K)^2, and it is improper in m.\n"
           "The coordinates are x1 = log(m / (1 - m)) and x2 = log K. A run records m and K. U "
           "includes the Jacobian dm dK = m (1 - m) K dx1 dx2, so the prior is constant in x1 and "
           "logistic in x2:\n"
           "U(x) = log(1 + e^x2) + log(1 + e^-x2) - sum_j [log (K m)_yj + log (K (1 - m))_(nj - "
           "yj) - log (K)_nj], with the rising factorial (a)_k = a (a + 1) ... (a + k - 1) = "
           "Gamma(a + k) / Gamma(a). C(n, y) is left out.\n"
           "Differences of log Gamma would lose all digits for large K and n. For each case, "
           "Mixwell therefore computes the log probability of one sequence of draws from Polya's "
           "urn. The urn starts with weight K m for a positive draw and weight K (1 - m) for a "
           "negative draw. Each draw adds 1 to the weight of its outcome. The log probabilities of "
           "the first draws are added one by one until both weights are at least 16. The log "
           "probability of all other draws comes from Stirling's series. The leading terms of this "
           "series are combined into binomial terms and two deviances to avoid cancellation.\n"
           "Every case must have whole numbers 0 <= y <= n, n >= 1. The posterior is improper "
           "unless at least one y is above 0 and at least one is below its n. Computing U and the "
           "gradient together takes at most 40 logarithms and 60 divisions for each case, however "
           "large n is.\n"
           "Without data, pairs are simulated with Polya's urn: after i draws, y of them positive, "
           "the next is positive with probability (K m + y) / (K + i). Draw i of case j uses "
           "uniform random number i of replicate j. The random stream is identified by "
           "`simulate_seed` and the name \"beta-binomial/cases\".\n"
           "For each case, a run can record log P(y | n, m, K) and a y drawn from the model (see "
           "the key `run.predictive`).",
       .sources = {"Albert 2009, Bayesian Computation with R, section 5.4 (model, prior, data)",
                   "Abramowitz & Stegun 1964, Handbook of Mathematical Functions, 6.1.41, 6.3.18 "
                   "(series)"}});
}
