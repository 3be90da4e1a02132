// Model `quartic`: independent coordinates with density exp(-x^4 / 4).
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>

namespace {

using namespace mixwell;

/// The x at which the distribution function of a coordinate is u in (0, 1). x^4 / 4 ~ Gamma(1/4,
/// 1); each half uses the tail that u determines without cancellation.
double quantile(double u) {
  const double outside = 2 * std::min(u, 1 - u);  // P(|X| > |x|)
  const double inside = std::abs(2 * u - 1);
  const double quarter = outside < 0.5 ? boost::math::gamma_q_inv(0.25, outside)
                                       : boost::math::gamma_p_inv(0.25, inside);
  return std::copysign(std::sqrt(2 * std::sqrt(quarter)), u - 0.5);
}

class Quartic final : public Model, public ExactSampler, public Metric {
 public:
  struct Params {
    std::int64_t dimension = 1;

    void declare(Fields& fields) {
      fields.integer("dimension", dimension)
          .at_least(1)
          .at_most(most_coordinates)
          .help("number of coordinates d");
    }
  };

  explicit Quartic(const Params& params) : d_(params.dimension) {}

  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {d_}}}; }
  GradientGrowth gradient_growth() const noexcept override {
    return GradientGrowth::locally_lipschitz;
  }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.uniforms(at, theta);
    flat(theta) = flat(theta).unaryExpr(&quantile);
  }

  void metric(ConstBatch theta, Batch G, Workspace&) const override {
    G.setZero();
    for (Index j = 0; j < theta.cols(); ++j) {
      MatrixMap(G.col(j).data(), d_, d_).diagonal() =
          (1.0 + 3.0 * theta.col(j).array().square()).matrix();
    }
  }
  void contract_derivative(ConstBatch theta, ConstBatch W, Batch out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      const auto weights = ConstMatrixMap(W.col(j).data(), d_, d_).diagonal();
      out.col(j) = 6.0 * weights.cwiseProduct(theta.col(j));
    }
  }
  /// G is the Hessian of a function, so its derivative is symmetric in all indices.
  void contract_crosswise(ConstBatch theta, ConstBatch W, Batch out,
                          Workspace& scratch) const override {
    contract_derivative(theta, W, out, scratch);
  }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    flat(out.gradient) = flat(theta).cube();
    if (out.wants_potential()) out.u() = 0.25 * out.gradient.cwiseProduct(theta).colwise().sum();
  }

  Index d_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Quartic>(
      {.id = "quartic",
       .summary = "Independent coordinates with density exp(-x^4 / 4); exact draws",
       .details = "U(theta) = sum theta_i^4 / 4; parameter x has shape [d].\n"
                  "E x^2 = 2 Gamma(3/4) / Gamma(1/4) = 0.675978, E x^4 = 1. For an exact draw, "
                  "Mixwell applies the inverse distribution function to one uniform random number "
                  "for each coordinate. The metric is diag(1 + 3 x^2), the Hessian plus I. I is "
                  "added because the Hessian is singular at 0.",
       .sources = {}});
}
