// Gaussian proposals from a preconditioner fitted to the memory and the point, with one deliberate
// mistake in the ratio; all declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>
#include <span>
#include <vector>

namespace {

using namespace mixwell;

/// A batch of points with U and its gradient.
struct Points {
  Points(const Law& law, ConstBatch at, Workspace& scratch)
      : theta(at), g(at.rows(), at.cols()), u(at.cols()) {
    law.evaluate(theta, {u.data(), g, scratch});
  }
  Eigen::MatrixXd theta;
  Eigen::MatrixXd g;
  Eigen::RowVectorXd u;
};

/// The proposal's law at a batch of points: N(theta - eps^2/2 H g, eps^2 H).
struct Proposal {
  Proposal(const Estimator& estimator, Eigen::MatrixXd fitted, const Points& from, double size)
      : how(*estimator.representation()), numbers(std::move(fitted)), eps(size), mean(from.g) {
    how.H(map(), from.g, mean, scratch);
    mean = from.theta - 0.5 * eps * eps * mean;
  }
  ConstMatrixMap map() const { return {numbers.data(), numbers.rows(), numbers.cols()}; }

  Eigen::MatrixXd draw(const Eigen::MatrixXd& z) {
    Eigen::MatrixXd y(z.rows(), z.cols());
    how.S(map(), z, y, scratch);
    return mean + eps * y;
  }
  /// log q up to a constant.
  Eigen::RowVectorXd log_density(const Eigen::MatrixXd& y, bool with_determinant) {
    Eigen::MatrixXd product(y.rows(), y.cols());
    Eigen::RowVectorXd log_det(y.cols());
    how.B(map(), y - mean, product, scratch);
    how.log_det_H(map(), y.rows(), log_det, scratch);
    Eigen::RowVectorXd log_q =
        -0.5 / (eps * eps) * (y - mean).cwiseProduct(product).colwise().sum();
    if (with_determinant) log_q -= 0.5 * log_det;
    return log_q;
  }

  const Representation& how;
  Eigen::MatrixXd numbers;
  double eps;
  Eigen::MatrixXd mean;
  Workspace scratch;
};

/// Inputs: theta, law, two noises, then points, gradients and potentials of the memory.
class WrongStep final : public Body {
 public:
  enum In : std::size_t { theta, law, normals, uniforms, memory };

  WrongStep(std::shared_ptr<const FittedPreconditioner> estimator, std::size_t points, double eps,
            std::string mistake)
      : estimator_(std::move(estimator)),
        points_(points),
        eps_(eps),
        mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    const Points here(block.law(law), block.in(theta), block.scratch());
    Proposal there(*estimator_, fit(block, here), here, eps_);
    Eigen::MatrixXd z(here.g.rows(), here.g.cols());
    block.normals(normals, z);
    const Points end(block.law(law), there.draw(z), block.scratch());
    Proposal back(*estimator_,
                  mistake_ == "reverse-with-forward-curvature" ? there.numbers : fit(block, end),
                  end, eps_);
    const bool determinants = mistake_ != "no-determinants";
    Eigen::RowVectorXd log_ratio = here.u - end.u;
    if (mistake_ != "no-reverse-density") {
      log_ratio +=
          back.log_density(here.theta, determinants) - there.log_density(end.theta, determinants);
    }
    Eigen::RowVectorXd uniform(z.cols());
    block.uniforms(uniforms, uniform);
    for (Index j = 0; j < z.cols(); ++j) {
      if (std::log(uniform(j)) < log_ratio(j)) block.out(0).col(j) = end.theta.col(j);
    }
  }

 private:
  Eigen::MatrixXd fit(ColumnBlock& block, const Points& own) const {
    std::vector<const double*> from;
    const double* const mine[] = {own.theta.data(), own.g.data(), own.u.data()};
    for (std::size_t kind = 0; kind < 3; ++kind) {
      for (std::size_t k = 0; k < points_; ++k) {
        from.push_back(block.in(memory + kind * points_ + k).data());
      }
      from.push_back(mine[kind]);
    }
    const std::span<const double* const> all(from);
    const std::size_t n = points_ + 1;
    const Index d = own.theta.rows();
    Eigen::MatrixXd numbers(estimator_->rows(d, static_cast<Index>(n)), own.theta.cols());
    estimator_->fit({d, own.theta.cols(), all.first(n), all.subspan(n, n), all.subspan(2 * n, n)},
                    numbers, block.scratch());
    return numbers;
  }

  std::shared_ptr<const FittedPreconditioner> estimator_;
  std::size_t points_;
  double eps_;
  std::string mistake_;
};

class WrongMetropolisGaussian final : public Kernel {
 public:
  struct Params {
    std::shared_ptr<const FittedPreconditioner> estimator;
    double step_size = 1.0;
    std::string mistake = "none";
    void declare(Fields& fields) {
      fields.component("estimator", estimator).help("curvature");
      fields.number("step_size", step_size).above(0).refines(Refines::step_size).help("eps");
      fields.text("mistake", mistake)
          .one_of(
              {"none", "no-determinants", "no-reverse-density", "reverse-with-forward-curvature"})
          .help("what is wrong; none is the right version");
    }
  };
  explicit WrongMetropolisGaussian(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    Traits traits;
    traits.invariant = true;
    std::vector<Input> inputs = {{graph.current(site.slot), Role::state},
                                 {site.target, Role::law},
                                 {graph.noise(site.path + "/normals"), Role::noise},
                                 {graph.noise(site.path + "/uniforms"), Role::noise}};
    for (const auto* values :
         {&site.memory.points, &site.memory.gradients, &site.memory.potentials}) {
      for (const Value v : *values) inputs.push_back({v, Role::parameter});
    }
    graph.add(site.path + "/step", OperationKind::move, traits, std::move(inputs),
              {Output::next(site.slot)},
              std::make_shared<WrongStep>(params_.estimator, site.memory.points.size(),
                                          params_.step_size, params_.mistake));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongMetropolisGaussian>(
      {.id = "wrong-metropolis-gaussian",
       .summary = "Gaussian proposals from a preconditioner, with a mistake of choice",
       .details = "",
       .sources = {}});
}
