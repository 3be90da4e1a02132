// Model `student-t`: the multivariate t distribution, with the keys of `gaussian` for Sigma.
// SPDX-License-Identifier: Apache-2.0
#include "gaussian/params.hpp"

#include <mixwell/plugin.hpp>

#include <boost/math/special_functions/gamma.hpp>

#include <cmath>

namespace {

using namespace mixwell;

class StudentT final : public Model, public ExactSampler {
 public:
  struct Params {
    double degrees_of_freedom = 5;
    gaussian::ShapeParams shape;

    void declare(Fields& fields) {
      fields.number("degrees_of_freedom", degrees_of_freedom)
          .above(0)
          .help("nu: only moments of order below nu exist (nu = 1: the Cauchy distribution)");
      shape.declare(fields);
    }
  };

  explicit StudentT(const Params& params)
      : nu_(params.degrees_of_freedom), shape_(gaussian::make_shape(params.shape)) {}

  std::vector<Parameter> parameters() const override {
    return {{.name = "x", .shape = {shape_->mean().size()}}};
  }
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }

  /// mean + z sqrt(nu / w), where z ~ N(0, Sigma), and w ~ chi-square with nu degrees of freedom
  /// from one uniform for each column. The two use separate draw numbers.
  void draw(const Stream& stream, Address at, Batch theta) const override {
    Eigen::MatrixXd uniform(1, theta.cols());
    stream.uniforms({at.sweep, 2 * at.draw, at.replicate}, uniform);
    shape_->draw(stream, {at.sweep, 2 * at.draw + 1, at.replicate}, theta);
    for (Index j = 0; j < theta.cols(); ++j) {
      const double stretch = std::sqrt(nu_ / chi_square(uniform(0, j)));
      theta.col(j) = shape_->mean() + stretch * (theta.col(j) - shape_->mean());
    }
  }

 private:
  /// The quantile at u, from the tail that u determines without cancellation.
  double chi_square(double u) const {
    return 2 * (u < 0.5 ? boost::math::gamma_p_inv(0.5 * nu_, u)
                        : boost::math::gamma_q_inv(0.5 * nu_, 1 - u));
  }

  /// Uses the normal's q = (theta - mean)' Sigma^-1 (theta - mean) / 2 and its gradient:
  /// U = (nu + d) / 2 log(1 + 2 q / nu), grad U = (nu + d) / (nu + 2 q) grad q.
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    RowMap q = out.scratch.row(theta.cols());
    const Evaluation normal{q.data(), out.gradient, out.scratch};
    shape_->gradient(theta, normal);
    shape_->potential(theta, normal);
    const double power = nu_ + static_cast<double>(theta.rows());
    Batch gradient = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) gradient.col(j) *= power / (nu_ + 2 * q[j]);
    if (out.wants_potential()) out.u() = (0.5 * power) * (q.array() * (2 / nu_)).log1p().matrix();
  }

  double nu_;
  std::unique_ptr<const gaussian::Shape> shape_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<StudentT>(
      {.id = "student-t",
       .summary = "Multivariate t distribution with a choice of structures for the scale matrix; "
                  "exact draws",
       .details =
           "theta = mean + z sqrt(nu / w), where z ~ N(0, Sigma), w ~ chi-square(nu) and nu = "
           "`degrees_of_freedom`.\n"
           "U(theta) = (nu + d) / 2 log(1 + (theta - mean)' Sigma^-1 (theta - mean) / nu). The "
           "parameter `x` is theta, with shape [d].\n"
           "The keys for Sigma are the same as in the model `gaussian`. Sigma is the covariance of "
           "z. The covariance of theta is nu / (nu - 2) Sigma if nu > 2. A gradient costs as much "
           "as in model `gaussian`, plus one division for each replicate. U costs as much as in "
           "that model, plus one logarithm for each replicate. U and the gradient are accurate if "
           "(theta - mean)' Sigma^-1 (theta - mean) is at most 1e300. For an exact draw of w, "
           "Mixwell applies the inverse chi-square distribution function to one uniform random "
           "number.",
       .sources = {}});
}
