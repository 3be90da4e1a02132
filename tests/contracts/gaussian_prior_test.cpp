// The clause of Gaussian priors can fail: each mutant of a right model breaks it alone.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/contracts/model.hpp>
#include <mixwell/law/capabilities.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace mixwell;

enum class Fault { none, mean, factor, likelihood_of_whole, likelihood_lacks_case };

/// x (2) ~ N(s, exp(2 s) I), s ~ N(0, 1), y ~ N(x, I).
class Scaled final : public Model, public GaussianPrior {
 public:
  explicit Scaled(Fault fault) : fault_(fault) {}

  std::vector<Parameter> parameters() const override {
    return {{.name = "s", .shape = {}}, {.name = "x", .shape = {2}}};
  }

  std::vector<std::string> gaussian_parameters() const override { return {"x"}; }
  void prior_mean(ConstBatch theta, Batch out) const override {
    out = theta.row(0).replicate(2, 1);
    if (fault_ == Fault::mean) out.setZero();
  }
  void prior_factor(ConstBatch theta, ConstBatch z, Batch out, Workspace&) const override {
    out = z * theta.row(0).array().exp().matrix().asDiagonal();
    if (fault_ == Fault::factor) out = z * (2.0 * theta.row(0)).array().exp().matrix().asDiagonal();
  }
  void likelihood_potential(ConstBatch theta, Row out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      out(j) = misfit(theta.col(j));
      if (fault_ == Fault::likelihood_of_whole) out(j) = potential(theta.col(j));
      if (fault_ == Fault::likelihood_lacks_case) out(j) -= 0.5 * std::pow(theta(1, j) - y_[0], 2);
    }
  }

 private:
  using Column = Eigen::Ref<const Eigen::VectorXd>;

  double misfit(const Column& theta) const { return 0.5 * (theta.tail(2) - y_).squaredNorm(); }
  double potential(const Column& theta) const {
    const double s = theta(0);
    return misfit(theta) + 0.5 * s * s + 2.0 * s +
           0.5 * std::exp(-2.0 * s) * (theta.tail(2).array() - s).matrix().squaredNorm();
  }

  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double s = theta(0, j);
      const double within = std::exp(-2.0 * s);
      const Eigen::Vector2d off = (theta.col(j).tail(2).array() - s).matrix();
      g(0, j) = s + 2.0 - within * (off.squaredNorm() + off.sum());
      g.col(j).tail(2) = theta.col(j).tail(2) - y_ + within * off;
      if (out.wants_potential()) out.u()(j) = potential(theta.col(j));
    }
  }

  Fault fault_;
  Eigen::Vector2d y_{0.7, -1.1};
};

std::string broken(Fault fault) {
  std::string names;
  for (const contracts::Finding& finding : contracts::check_model(Scaled(fault)))
    if (!finding.holds) names += (names.empty() ? "" : ", ") + finding.clause;
  return names;
}

}  // namespace

TEST_CASE("each fault of a Gaussian prior breaks the clause meant for it alone", "[contracts]") {
  CHECK(broken(Fault::none).empty());
  CHECK(broken(Fault::mean) == "gaussian prior");
  CHECK(broken(Fault::factor) == "gaussian prior");
  CHECK(broken(Fault::likelihood_of_whole) == "gaussian prior");
  CHECK(broken(Fault::likelihood_lacks_case) == "gaussian prior");
}
