// Model `banana`: independent pairs (x, y), where y given x is normal about a parabola in x.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

class Banana final : public Model, public ExactSampler, public Metric {
 public:
  struct Params {
    std::int64_t dimension = 2;
    double scale = 1;
    double curvature = 1;
    double variance = 0.25;

    void declare(Fields& fields) {
      fields.integer("dimension", dimension)
          .at_least(2)
          .at_most(most_coordinates)
          .help("number of coordinates d; must be even, because coordinates come in pairs");
      fields.number("scale", scale).above(0).help("standard deviation s of x in each pair");
      fields.number("curvature", curvature)
          .help("b, curvature of the parabola; if b = 0, each pair is bivariate normal");
      fields.number("variance", variance)
          .above(0)
          .help("variance t^2 of y about the parabola in each pair");
    }
  };

  explicit Banana(const Params& params)
      : d_(params.dimension),
        b_(params.curvature),
        s_(params.scale),
        t_(std::sqrt(params.variance)) {
    if (d_ % 2 != 0)
      throw ParameterError("dimension", "must be even, because coordinates come in pairs");
  }

  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {d_}}}; }
  GradientGrowth gradient_growth() const noexcept override {
    return GradientGrowth::locally_lipschitz;
  }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    double* x = theta.data();
    for (Index k = 0; k < theta.size(); k += 2) {
      x[k] *= s_;
      x[k + 1] = t_ * x[k + 1] + b_ * (x[k] * x[k] - s_ * s_);
    }
  }

  void metric(ConstBatch theta, Batch G, Workspace&) const override {
    G.setZero();
    for (Index j = 0; j < theta.cols(); ++j) {
      MatrixMap one(G.col(j).data(), d_, d_);
      for (Index k = 0; k < d_; k += 2) {
        const double slope = 2 * b_ * theta(k, j);
        one(k, k) = 1 / (s_ * s_) + slope * slope / (t_ * t_);
        one(k + 1, k) = one(k, k + 1) = -slope / (t_ * t_);
        one(k + 1, k + 1) = 1 / (t_ * t_);
      }
    }
  }
  void contract_derivative(ConstBatch theta, ConstBatch W, Batch out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      const ConstMatrixMap weights(W.col(j).data(), d_, d_);
      for (Index k = 0; k < d_; k += 2) {
        out(k, j) = 4 * b_ / (t_ * t_) * (2 * b_ * theta(k, j) * weights(k, k) - weights(k + 1, k));
        out(k + 1, j) = 0;
      }
    }
  }
  void contract_crosswise(ConstBatch theta, ConstBatch W, Batch out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      const ConstMatrixMap weights(W.col(j).data(), d_, d_);
      for (Index k = 0; k < d_; k += 2) {
        const double change = 2 * b_ / (t_ * t_);
        out(k, j) = change * (4 * b_ * theta(k, j) * weights(k, k) - weights(k + 1, k));
        out(k + 1, j) = -change * weights(k, k);
      }
    }
  }

 private:
  /// The pairs of all columns are adjacent in memory, so the compiler can vectorise one loop over
  /// them.
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    const double* x = theta.data();
    Batch gradient = out.gradient;
    double* g = gradient.data();
    const double across = 1 / (s_ * s_);
    const double along = 1 / (t_ * t_);
    for (Index k = 0; k < theta.size(); k += 2) {
      const double second = along * (x[k + 1] - b_ * (x[k] * x[k] - s_ * s_));
      g[k] = x[k] * (across - 2 * b_ * second);
      g[k + 1] = second;
    }
    if (out.wants_potential()) potential(x, g, out.u());
  }

  /// For each column, the sum over its pairs of x^2 / (2 s^2) + t^2 g_2^2 / 2.
  void potential(const double* x, const double* g, Row u) const {
    const double across = 1 / (s_ * s_);
    for (Index j = 0; j < u.size(); ++j) {
      double sum = 0;
      for (Index k = j * d_; k < (j + 1) * d_; k += 2)
        sum += across * (x[k] * x[k]) + (t_ * g[k + 1]) * (t_ * g[k + 1]);
      u[j] = 0.5 * sum;
    }
  }

  Index d_;
  double b_;
  double s_;
  double t_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Banana>(
      {.id = "banana",
       .summary =
           "Independent pairs (x, y), where y given x is normal about a parabola in x; exact draws",
       .details =
           "Each pair (x, y) has x ~ N(0, s^2) with s = scale, and y given x ~ N(b (x^2 - s^2), "
           "variance) with b = curvature. So\n"
           "U = sum over pairs of x^2 / (2 s^2) + (y - b (x^2 - s^2))^2 / (2 variance).\n"
           "Parameter x has shape [d]; the pairs are (x[0], x[1]), (x[2], x[3]), ... All means are "
           "0, Var x = s^2, Var y = variance + 2 b^2 s^4, Cov(x, y) = 0, E x^2 y = 2 b s^4.\n"
           "A gradient takes about 8 multiplications and additions for each pair. An exact draw "
           "takes one normal random number for each coordinate. The metric is J'J, where J is the "
           "Jacobian of the residuals x / s and (y - b (x^2 - s^2)) / sqrt(variance). In the "
           "coordinates given by these residuals, the density is standard normal and the metric is "
           "the identity, so the metric has no curvature.",
       .sources = {}});
}
