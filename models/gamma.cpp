// Model `gamma`: independent gamma distributions, a simple target for the model `mirrored`.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <limits>

namespace {

using namespace mixwell;

class Gamma final : public Model, public ExactSampler {
 public:
  struct Params {
    std::int64_t dimension = 1;
    double shape = 2;
    double rate = 1;

    void declare(Fields& fields) {
      fields.integer("dimension", dimension)
          .at_least(1)
          .at_most(most_coordinates)
          .help("number of coordinates d");
      fields.number("shape", shape)
          .above(0)
          .help("shape a; the mean is a / rate, and a = 1 gives the exponential distribution");
      fields.number("rate", rate).above(0).help("rate b; the variance is a / b^2");
    }
  };

  explicit Gamma(const Params& params)
      : dimension_(params.dimension), shape_(params.shape), rate_(params.rate) {}

  std::vector<Parameter> parameters() const override {
    return {{.name = "x", .shape = {dimension_}}};
  }
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::singular; }
  GradientGrowth gradient_growth_inside() const noexcept override {
    return shape_ == 1 ? GradientGrowth::lipschitz : GradientGrowth::singular;
  }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.uniforms(at, theta);
    theta = theta.unaryExpr([this](double u) { return quantile(u); });
  }

 private:
  /// Uses the tail that u determines without cancellation. The result is never 0, because 0 is
  /// outside the support.
  double quantile(double u) const {
    const double x =
        u < 0.5 ? boost::math::gamma_p_inv(shape_, u) : boost::math::gamma_q_inv(shape_, 1 - u);
    return std::max(x / rate_, std::numeric_limits<double>::min());
  }

  bool evaluates_potential_alone() const noexcept override { return true; }
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    if (out.wants_gradient()) {
      gradient = (rate_ - (shape_ - 1) * theta.array().inverse()).matrix();
    }
    if (!out.wants_potential()) return;
    for (Index j = 0; j < theta.cols(); ++j) out.u()[j] = potential(theta.col(j));
  }

  double potential(const Eigen::Ref<const Eigen::VectorXd>& theta) const {
    if (!(theta.array() > 0).all())
      return theta.hasNaN() ? theta.sum() : std::numeric_limits<double>::infinity();
    return rate_ * theta.sum() - (shape_ - 1) * theta.array().log().sum();
  }

  /// Uniform on (1/2, 3/2) times the mean.
  void do_initial(const Stream& stream, Address at, Batch theta) const override {
    stream.uniforms(at, theta);
    theta = ((theta.array() + 0.5) * (shape_ / rate_)).matrix();
  }

  Index dimension_;
  double shape_;
  double rate_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Gamma>(
      {.id = "gamma",
       .summary = "Independent gamma distributions on the half line; exact draws",
       .details =
           "With a = shape and b = rate, U = sum_i (b theta_i - (a - 1) log theta_i) for theta > "
           "0, and +inf elsewhere. The normalising constant is left out. Parameter x has shape "
           "[d].\n"
           "A proposal on R^d may lie outside the support. Metropolis kernels reject such a "
           "proposal. Use the model `mirrored` for all other kernels, and set its key `of` to this "
           "model. grad U is bounded at 0 only for a = 1. For an exact draw, Mixwell applies the "
           "inverse distribution function to one uniform random number for each coordinate.",
       .sources = {}});
}
