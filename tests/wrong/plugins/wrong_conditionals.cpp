// Normal observations whose mean and precision are drawn given each other, with a mistake of
// choice.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <array>
#include <cmath>

namespace {

using namespace mixwell;

constexpr std::array<double, 5> y = {0.3, -1.2, 2.1, 0.8, 1.5};
constexpr double prior_variance = 4.0;  // of the mean, about 0
constexpr double shape = 2.0;           // of the precision's gamma prior
constexpr double rate = 1.0;

/// Coordinates: the mean m, and the logarithm l of the precision.
class WrongConditionals final : public Model, public ConditionalDraws {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      mistake.declare(fields, {"wrong-shape", "no-jacobian", "variance-for-sd", "prior-mean"});
    }
  };
  explicit WrongConditionals(const Params& params) : mistake_(params.mistake) {}

  std::vector<Parameter> parameters() const override {
    return {{.name = "m", .shape = {}}, {.name = "l", .shape = {}}};
  }

  std::vector<std::vector<std::string>> conditionals() const override { return {{"m"}, {"l"}}; }
  void draw_conditional(std::size_t which, const Stream& stream, Address at, Batch theta,
                        Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      RandomNumbers random(stream,
                           {at.sweep, at.draw, at.replicate + static_cast<std::uint64_t>(j)});
      if (which == 0) theta(0, j) = draw_mean(random, std::exp(theta(1, j)));
      if (which == 1) theta(1, j) = draw_log_precision(random, theta(0, j));
    }
  }

 private:
  static double squares(double m) {
    double sum = 0.0;
    for (const double one : y) sum += (one - m) * (one - m);
    return sum;
  }

  double draw_mean(RandomNumbers& random, double lambda) const {
    double sum = 0.0;
    for (const double one : y) sum += one;
    const double precision = 1.0 / prior_variance + lambda * y.size();
    const double sd = mistake_.is("variance-for-sd") ? 1.0 / precision : 1.0 / std::sqrt(precision);
    const double mean = mistake_.is("prior-mean") ? 0.0 : lambda * sum / precision;
    return mean + sd * random.normal();
  }

  double draw_log_precision(RandomNumbers& random, double m) const {
    const double less = mistake_.is("wrong-shape") ? 0.5 : 0.0;
    return draw_log_gamma(random, shape + 0.5 * y.size() - less, rate + 0.5 * squares(m));
  }

  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    const double power = shape + 0.5 * y.size() - (mistake_.is("no-jacobian") ? 1.0 : 0.0);
    Batch g = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double m = theta(0, j);
      const double lambda = std::exp(theta(1, j));
      const double of_precision = rate + 0.5 * squares(m);
      double off = 0.0;
      for (const double one : y) off += m - one;
      g(0, j) = lambda * off + m / prior_variance;
      g(1, j) = lambda * of_precision - power;
      if (!out.wants_potential()) continue;
      out.u()(j) = lambda * of_precision - power * theta(1, j) + 0.5 * m * m / prior_variance;
    }
  }

  wrong::Mistake mistake_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongConditionals>(
      {.id = "wrong-conditionals",
       .summary = "mean and precision drawn given each other, with a mistake of choice"});
}
