// Model `funnel`: normals whose common log variance is also normal.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

class Funnel final : public Model, public ExactSampler, public Metric {
 public:
  struct Params {
    std::int64_t dimension = 10;
    double scale = 3;

    void declare(Fields& fields) {
      fields.integer("dimension", dimension)
          .at_least(2)
          .at_most(most_coordinates)
          .help("number of coordinates d: v, and d - 1 elements of x");
      fields.number("scale", scale).above(0).help("standard deviation s of v");
    }
  };

  explicit Funnel(const Params& params) : narrow_(params.dimension - 1), s_(params.scale) {}

  std::vector<Parameter> parameters() const override {
    return {{.name = "v", .shape = {}}, {.name = "x", .shape = {narrow_}}};
  }
  GradientGrowth gradient_growth() const noexcept override {
    return GradientGrowth::locally_lipschitz;
  }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    theta.row(0) *= s_;
    for (Index j = 0; j < theta.cols(); ++j)
      theta.col(j).tail(narrow_) *= std::exp(0.5 * theta(0, j));
  }

  void metric(ConstBatch theta, Batch G, Workspace&) const override {
    G.setZero();
    for (Index j = 0; j < theta.cols(); ++j) {
      auto diagonal = MatrixMap(G.col(j).data(), theta.rows(), theta.rows()).diagonal();
      diagonal.setConstant(std::exp(-theta(0, j)));
      diagonal(0) = 1 / (s_ * s_) + 0.5 * static_cast<double>(narrow_);
    }
  }
  void contract_derivative(ConstBatch theta, ConstBatch W, Batch out, Workspace&) const override {
    out.setZero();
    for (Index j = 0; j < theta.cols(); ++j) {
      const auto diagonal = ConstMatrixMap(W.col(j).data(), theta.rows(), theta.rows()).diagonal();
      out(0, j) = -std::exp(-theta(0, j)) * diagonal.tail(narrow_).sum();
    }
  }
  void contract_crosswise(ConstBatch theta, ConstBatch W, Batch out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      const ConstMatrixMap weights(W.col(j).data(), theta.rows(), theta.rows());
      out(0, j) = 0.0;
      out.col(j).tail(narrow_) = -std::exp(-theta(0, j)) * weights.col(0).tail(narrow_);
    }
  }

 private:
  /// With h = exp(-v / 2) and y = h x: grad_x U = h y, and E = |y|^2 is the chi-square of the
  /// column. The exponent is halved so that v can be twice as large before overflow.
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    RowMap half = out.scratch.row(theta.cols());
    RowMap energy = out.scratch.row(theta.cols());
    Batch gradient = out.gradient;
    half = -0.5 * theta.row(0);
    half = half.array().exp().matrix();
    for (Index j = 0; j < theta.cols(); ++j) {
      auto g = gradient.col(j).tail(narrow_);
      g = half[j] * theta.col(j).tail(narrow_);
      energy[j] = g.squaredNorm();
      g *= half[j];
    }
    const double tilt = 0.5 * static_cast<double>(narrow_);
    gradient.row(0) = (theta.row(0) / (s_ * s_) - 0.5 * energy).array() + tilt;
    if (!out.wants_potential()) return;
    out.u() = (theta.row(0).array() * (theta.row(0).array() * (0.5 / (s_ * s_)) + tilt)).matrix() +
              0.5 * energy;
  }

  Index narrow_;
  double s_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Funnel>(
      {.id = "funnel",
       .summary = "Neal's funnel: normals whose common log variance is also normal; exact draws",
       .details =
           "v ~ N(0, s^2) with s = scale, and x_i given v ~ N(0, exp(v)), i = 0 .. d - 2:\n"
           "U = v^2 / (2 s^2) + (d - 1) v / 2 + exp(-v) |x|^2 / 2.\n"
           "Parameters: the scalar v, and x with shape [d - 1]. The second derivative of U in each "
           "x_i is exp(-v). At s = 3 this derivative spans 5 orders of magnitude within two "
           "standard deviations of v, so no single step size suits both the neck and the mouth of "
           "the funnel. The marginal distribution of v is N(0, s^2). Compare the histogram of a "
           "sampler's draws of v with this distribution to test the sampler.\n"
           "A gradient takes one exponential and 3 (d - 1) multiplications for each replicate. An "
           "exact draw takes one normal random number for each coordinate. The metric is the "
           "expectation of the Hessian over x given v, diag(1 / s^2 + (d - 1) / 2, exp(-v), ..., "
           "exp(-v)).",
       .sources = {"Neal, Slice sampling, Annals of Statistics 31 (2003), 705-767"}});
}
