// A plane with a correlated Gaussian prior about a mean, and normal observations: exact draws.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace {

using namespace mixwell;

using Eigen::Matrix2d;
using Eigen::Vector2d;

/// x ~ N(m, L L'), y ~ N(x, I): the posterior has precision (L L')^-1 + I. What the mutants of
/// kernels that know a Gaussian prior run on.
class PriorPlane final : public Model, public ExactSampler, public GaussianPrior {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit PriorPlane(const Params&) {
    const Matrix2d prior_precision = (l_ * l_.transpose()).inverse();
    precision_ = prior_precision + Matrix2d::Identity();
    factor_.compute(precision_);
    mean_ = factor_.solve(prior_precision * m_ + y_);
  }

  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {2}}}; }
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    factor_.matrixU().solveInPlace(theta);
    theta.colwise() += mean_;
  }

  std::vector<std::string> gaussian_parameters() const override { return {"x"}; }
  void prior_mean(ConstBatch, Batch out) const override { out.colwise() = m_; }
  void prior_factor(ConstBatch, ConstBatch z, Batch out, Workspace&) const override {
    out.noalias() = l_ * z;
  }
  void likelihood_potential(ConstBatch theta, Row out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) out(j) = 0.5 * (theta.col(j) - y_).squaredNorm();
  }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const Vector2d from_mean = theta.col(j) - mean_;
      const Vector2d pull = precision_ * from_mean;
      if (out.wants_gradient()) g.col(j) = pull;
      if (out.wants_potential()) out.u()(j) = 0.5 * from_mean.dot(pull);
    }
  }
  bool evaluates_potential_alone() const noexcept override { return true; }

  const Vector2d m_{2.0, -1.0};
  const Vector2d y_{0.5, 1.0};
  const Matrix2d l_ = (Matrix2d() << 1.0, 0.0, 0.8, 1.5).finished();
  Matrix2d precision_;
  Eigen::LLT<Matrix2d> factor_;
  Vector2d mean_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<PriorPlane>(
      {.id = "prior-plane", .summary = "two normal observations with a correlated prior"});
}
