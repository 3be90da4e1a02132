// Model `changepoint`: counts whose rate changes once, such as yearly coal-mining disasters.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>
#include <limits>

namespace {

using namespace mixwell;

using Eigen::VectorXd;

/// Rows of the position.
enum Coordinate : Index { k_row, before_row, after_row };

/// The conditionals that the model can draw, in the order of conditionals().
enum Conditional : std::size_t { of_k, of_rates, of_before, of_after };

class Changepoint final : public Model,
                          public ExactSampler,
                          public ConditionalDraws,
                          public Generated {
 public:
  struct Params {
    std::vector<double> counts;
    double rate_shape = 2.0;
    double rate_rate = 1.0;

    void declare(Fields& fields) {
      fields.numbers("counts", counts)
          .required()
          .at_least(0)
          .help("y_0, y_1, ...: whole numbers, one for each unit of time");
      fields.number("rate_shape", rate_shape)
          .above(0)
          .help(
              "shape a of the gamma prior of both rates; its density is proportional to r^(a-1) "
              "exp(-b r)");
      fields.number("rate_rate", rate_rate)
          .above(0)
          .help("rate b of the gamma prior of both rates (see rate_shape)");
    }
  };

  explicit Changepoint(const Params& params) : a_(params.rate_shape), b_(params.rate_rate) {
    if (params.counts.size() < 2)
      throw ParameterError("counts", "must contain at least two counts");
    sums_ = VectorXd::Zero(std::ssize(params.counts) + 1);
    for (Index t = 0; t < times(); ++t) {
      const double y = params.counts[static_cast<std::size_t>(t)];
      if (y != std::floor(y)) throw ParameterError("counts", "must be whole numbers");
      sums_(t + 1) = sums_(t) + y;
    }
    counts_ = params.counts;
  }

  std::vector<Parameter> parameters() const override {
    Parameter k{.name = "k", .shape = {}};
    k.whole = WholeNumbers{1, times() - 1};
    return {k,
            {.name = "before", .shape = {}, .constraint = Constraint::positive()},
            {.name = "after", .shape = {}, .constraint = Constraint::positive()}};
  }

  /// Draws from the posterior: k from its marginal distribution, then both rates given k.
  void draw(const Stream& stream, Address at, Batch theta) const override {
    each_column(stream, at, theta, [&](RandomNumbers& random, double* x) {
      VectorXd weights(times() - 1);
      for (Index k = 1; k < times(); ++k) weights(k - 1) = log_marginal(k);
      x[k_row] = static_cast<double>(1 + draw_categorical(random, weights));
      draw_rates(random, x);
    });
  }

  std::vector<NamedValues> observed_data() const override {
    return {{.name = "counts", .shape = {times()}, .values = counts_, .dims = {"time"}}};
  }
  std::vector<Parameter> generated() const override {
    Parameter one{.name = "counts",
                  .shape = {times()},
                  .group = RecordGroup::log_likelihood,
                  .dims = {"time"}};
    Parameter other = one;
    other.group = RecordGroup::posterior_predictive;
    return {one, other};
  }
  /// Writes log Poisson(y_t; rate at t), then counts drawn with the same rates. Takes T logarithms
  /// of gamma functions and T Poisson draws for each column.
  void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      const auto log_rate = [&](Index t) {
        return static_cast<double>(t) < theta(k_row, j) ? theta(before_row, j)
                                                        : theta(after_row, j);
      };
      for (Index t = 0; t < times(); ++t) {
        const double y = counts_[static_cast<std::size_t>(t)];
        out(t, j) = y * log_rate(t) - std::exp(log_rate(t)) - std::lgamma(y + 1.0);
      }
      each_case(times(), stream, {at.sweep, at.draw, at.replicate + static_cast<std::uint64_t>(j)},
                [&](Index t, RandomNumbers& random) {
                  out(times() + t, j) = draw_poisson(random, std::exp(log_rate(t)));
                });
    }
  }

  std::vector<std::vector<std::string>> conditionals() const override {
    return {{"k"}, {"before", "after"}, {"before"}, {"after"}};
  }
  void draw_conditional(std::size_t which, const Stream& stream, Address at, Batch theta,
                        Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    MatrixMap weights = scratch.matrix(times() - 1, 1);
    each_column(stream, at, theta, [&](RandomNumbers& random, double* x) {
      switch (static_cast<Conditional>(which)) {
        case of_k:
          return draw_k(random, x, weights);
        case of_rates:
          return draw_rates(random, x);
        case of_before:
          return draw_before(random, x);
        case of_after:
          return draw_after(random, x);
      }
    });
  }

 private:
  void offer(Offer& offer) const noexcept override { offer.set<Prior>(&prior_); }
  /// k is uniform; the rates have gamma distributions.
  class PriorDraws final : public Prior {
   public:
    explicit PriorDraws(const Changepoint& of) : of_(of) {}
    void draw(const Stream& stream, Address at, Batch theta) const override {
      each_column(stream, at, theta, [&](RandomNumbers& random, double* x) {
        const auto places = static_cast<double>(of_.times() - 1);
        x[k_row] = 1.0 + std::floor(places * random.uniform());
        x[before_row] = draw_log_gamma(random, of_.a_, of_.b_);
        x[after_row] = draw_log_gamma(random, of_.a_, of_.b_);
      });
    }

   private:
    const Changepoint& of_;
  };

  Index times() const noexcept { return sums_.size() - 1; }

  /// The negative log likelihood of counts over `length` units that sum to `sum`, with rate
  /// exp(log_rate).
  static double misfit(double sum, double length, double log_rate) {
    return length * std::exp(log_rate) - sum * log_rate;
  }

  /// log p(k | y) up to a constant, with both rates integrated out.
  double log_marginal(Index k) const {
    const auto length = static_cast<double>(k);
    const double before = sums_(k);
    const double after = sums_(times()) - before;
    const double rest = static_cast<double>(times()) - length;
    return std::lgamma(a_ + before) - (a_ + before) * std::log(b_ + length) +
           std::lgamma(a_ + after) - (a_ + after) * std::log(b_ + rest);
  }

  void draw_before(RandomNumbers& random, double* x) const {
    const auto k = static_cast<Index>(x[k_row]);
    x[before_row] = draw_log_gamma(random, a_ + sums_(k), b_ + static_cast<double>(k));
  }
  void draw_after(RandomNumbers& random, double* x) const {
    const auto k = static_cast<Index>(x[k_row]);
    x[after_row] = draw_log_gamma(random, a_ + sums_(times()) - sums_(k),
                                  b_ + static_cast<double>(times() - k));
  }
  void draw_rates(RandomNumbers& random, double* x) const {
    draw_before(random, x);
    draw_after(random, x);
  }
  void draw_k(RandomNumbers& random, double* x, MatrixMap& weights) const {
    const double apart = std::exp(x[after_row]) - std::exp(x[before_row]);
    const double steps = x[before_row] - x[after_row];
    for (Index k = 1; k < times(); ++k) {
      weights(k - 1, 0) = static_cast<double>(k) * apart + sums_(k) * steps;
    }
    x[k_row] = static_cast<double>(1 + draw_categorical(random, weights.col(0)));
  }

  /// U = sum over both sides of (length r - sum log r) + b r - a log r, as a function of the log
  /// rates, including their Jacobian. Infinite if k is not a whole number from 1 to T - 1.
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double at = theta(k_row, j);
      const auto last = static_cast<double>(times() - 1);
      const bool possible = at >= 1.0 && at <= last && at == std::floor(at);
      const Index k = possible ? static_cast<Index>(at) : 1;
      const auto length = static_cast<double>(k);
      const double rest = static_cast<double>(times()) - length;
      const double before = theta(before_row, j);
      const double after = theta(after_row, j);
      const double sum_before = sums_(k) + a_;
      const double sum_after = sums_(times()) - sums_(k) + a_;
      if (out.wants_potential()) {
        const double u =
            misfit(sum_before, length + b_, before) + misfit(sum_after, rest + b_, after);
        out.u()(j) = possible ? u : std::numeric_limits<double>::infinity();
      }
      if (!out.wants_gradient()) continue;
      g(k_row, j) = 0.0;
      g(before_row, j) = (length + b_) * std::exp(before) - sum_before;
      g(after_row, j) = (rest + b_) * std::exp(after) - sum_after;
    }
  }
  bool evaluates_potential_alone() const noexcept override { return true; }

  double a_;
  double b_;
  std::vector<double> counts_;
  VectorXd sums_;  ///< element t is the sum of the first t counts
  PriorDraws prior_{*this};
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Changepoint>(
      {.id = "changepoint",
       .summary =
           "Counts whose rate changes once, such as yearly coal-mining disasters; exact draws",
       .details = "y_t ~ Poisson(before) for t < k and Poisson(after) for t >= k, t = 0, 1, ..., T "
                  "- 1. k is uniform on 1, ..., T - 1. Both rates have a prior density "
                  "proportional to r^(a-1) exp(-b r). The coordinates are k (a whole number), log "
                  "before and log after. A run records k and the rates. U = (k + b) before - (S_k "
                  "+ a) log before + (T - k + b) after - (S_T - S_k + a) log after, where S_k is "
                  "the sum of the first k counts. An evaluation takes O(1) operations.\n"
                  "The kernel `conditional` draws one of these given the rest: k, both rates, or "
                  "one rate. The kernel `gibbs` moves k. With the rates integrated out, k has a "
                  "known distribution, so the model offers exact draws of k and the rates.\n"
                  "For each case, a run can record log p(y_t | k, before, after) and a count drawn "
                  "from the model (see the key `run.predictive`).",
       .sources = {"Carlin, Gelfand & Smith 1992, Appl. Stat. 41, 389-405",
                   "Jarrett 1979, Biometrika 66, 191-193 (the disasters)"}});
}
