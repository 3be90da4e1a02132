// Metropolis-Hastings with a Gaussian proposal whose mean and covariance depend on the point.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace mixwell::metropolis_gaussian {
namespace {

/// The numbers of a ProposalLaw.
struct ProposalNumbers : edge::Numbers<Role::parameter> {};

/// N(m, eps^2 H) with H = S S' and B = H^-1. Numbers of a column: those of the curvature, then m
/// (d of them), then eps.
class ProposalLaw final : public Potential {
 public:
  explicit ProposalLaw(std::shared_ptr<const Representation> curvature)
      : curvature_(std::move(curvature)) {}

  static Index rows(Index curvature, Index dimension) noexcept { return curvature + dimension + 1; }

  /// out = m + eps S z for z ~ N(0, I). One product with S.
  void draw(const Numbers& numbers, const edge::Noise& noise, Batch out, Workspace& scratch) const {
    curvature_->S(numbers, noise.normals(out.rows(), out.cols()), out, scratch);
    for (Index j = 0; j < out.cols(); ++j) {
      const Tail at(numbers, j, out.rows());
      out.col(j) = at.mean + at.eps * out.col(j);
    }
  }

  /// u = 1/2 (y - m)' B (y - m) / eps^2 + 1/2 log det H + d log eps, the negative log density up to
  /// the constant d log(2 pi) / 2; gradient = B (y - m) / eps^2. One product with B.
  void evaluate(const Numbers& numbers, ConstBatch y, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    const Index d = y.rows();
    MatrixMap step = out.scratch.matrix(d, y.cols());
    Batch gradient = out.gradient;
    for (Index j = 0; j < y.cols(); ++j) {
      const Tail at(numbers, j, d);
      step.col(j) = (y.col(j) - at.mean) / at.eps;
    }
    curvature_->B(numbers, step, gradient, out.scratch);
    if (out.wants_potential()) potential(numbers, step, gradient, out);
    for (Index j = 0; j < y.cols(); ++j) gradient.col(j) /= Tail(numbers, j, d).eps;
  }
  double gradient_cost() const noexcept override { return 0.0; }

 private:
  /// What stands behind the curvature's numbers of a column.
  struct Tail {
    Tail(const Numbers& numbers, Index j, Index d)
        : mean(numbers.column(j) + numbers.rows() - d - 1, d),
          eps(numbers.column(j)[numbers.rows() - 1]) {}
    Eigen::Map<const Eigen::VectorXd> mean;
    double eps;
  };

  void potential(const Numbers& numbers, ConstBatch step, ConstBatch product,
                 const Evaluation& out) const {
    const Index d = step.rows();
    RowMap log_det = out.scratch.row(step.cols());
    curvature_->log_det_H(numbers, d, log_det, out.scratch);
    RowMap u = out.u();
    column_dots(step, product, u);
    for (Index j = 0; j < u.cols(); ++j) {
      // B is positive definite: rounding has left nothing of it.
      if (u(j) < 0.0) u(j) = std::nan("");
      u(j) = 0.5 * (u(j) + log_det(j)) + static_cast<double>(d) * std::log(Tail(numbers, j, d).eps);
    }
  }

  std::shared_ptr<const Representation> curvature_;
};

/// The numbers of a ProposalLaw with m = centre - a H g, where a = eps^2 / 2 or a given factor; m =
/// centre without a gradient.
class WriteLaw {
 public:
  explicit WriteLaw(std::optional<double> factor) : factor_(factor) {}

  void operator()(Columns& block, edge::Curvature H, edge::StepSize eps, edge::PointPosition centre,
                  std::optional<edge::PointGradient> g, edge::Out<ProposalNumbers> numbers) const {
    const Index first = H.numbers().rows();
    const Index d = centre.rows();
    for (Index j = 0; j < numbers.cols() && first > 0; ++j) {
      std::copy_n(H.numbers().column(j), first, numbers.col(j).data());
    }
    auto mean = numbers.middleRows(first, d);
    mean = centre;
    numbers.bottomRows<1>() = eps;
    if (!g) return;
    MatrixMap step = block.scratch().matrix(d, mean.cols());
    H.H(*g, step, block.scratch());
    for (Index j = 0; j < step.cols(); ++j) {
      mean.col(j) -= factor_.value_or(0.5 * eps(j) * eps(j)) * step.col(j);
    }
  }

 private:
  std::optional<double> factor_;
};

class MetropolisGaussian final : public TransitionKernel {
 public:
  struct Params : TransitionParams {
    std::string mean = "newton";
    std::optional<double> newton_factor;
    bool own = true;
    EstimateSettings estimate;

    Params() { step_size.step_size = 1.0; }
    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
      fields.component("estimator", estimator)
          .or_default("identity")
          .help("curvature H of the proposal");
      fields.text("mean", mean)
          .one_of({"newton", "current", "slot"})
          .help(
              "m of N(m, eps^2 H): newton: theta - a H grad U; current: theta; slot: the last "
              "point of the memory, in an ensemble that of the slot updated last");
      fields.number("newton_factor", newton_factor)
          .above(0)
          .only_with("mean", {"newton"})
          .help(
              "a of mean = newton; by default eps^2 / 2, a step of Langevin dynamics; 1 is "
              "Newton's own step");
      fields.flag("own", own)
          .only_where(
              "an estimator that is fitted to points",
              [this] { return dynamic_cast<const FittedCurvature*>(estimator.get()) != nullptr; })
          .help(
              "fit the estimator to the memory and the point itself, so that H differs between "
              "theta and theta*; false: only to the memory");
      step_size.declare_with_target(fields);
      estimate.declare(fields);
    }
  };

  explicit MetropolisGaussian(const Params& params) : params_(params) { params_.check(); }

 protected:
  void transition(Transition& t) const override {
    t.take_estimates(params_.estimate);
    const auto law = t.law(params_.oracle);
    if (t.takes_estimate_of(law)) check_gradients(t);
    ProposalLaws laws(t, t.step_size(params_.step_size), *this);
    t.metropolis(law, propose_from<ProposalLaw>(
                          t, law, [&](const std::string& path, const EvaluatedPoint& from) {
                            return laws.add(path, from).value;
                          }));
  }

 private:
  /// Of an estimate there is no gradient.
  void check_gradients(const Transition& t) const {
    const bool fits =
        params_.own && std::dynamic_pointer_cast<const FittedCurvature>(params_.estimator);
    if (params_.mean != "newton" && !fits) return;
    throw InputError("kernel `" + t.site().path +
                     "`: the model is known by an estimate of its density, which has no gradient; "
                     "use mean = \"current\", and an estimator that is not fitted to points");
  }

  /// Adds the law of the proposal from a point: the same function of each.
  class ProposalLaws {
   public:
    ProposalLaws(Transition& t, Edge<edge::StepSize> eps, const MetropolisGaussian& kernel)
        : t_(t),
          eps_(eps),
          steps_(kernel.params_.mean == "newton"),
          function_(std::make_shared<ProposalLaw>(kernel.params_.estimator->representation())),
          write_(WriteLaw(kernel.params_.newton_factor)) {
      const auto fitted =
          std::dynamic_pointer_cast<const FittedCurvature>(kernel.params_.estimator);
      if (kernel.params_.own && fitted) {
        fit_.emplace(t.site(), fitted);
      } else {
        curvature_ = t.curvature(kernel.params_.estimator);
      }
      if (kernel.params_.mean != "slot") return;
      if (t.site().memory.points.empty()) {
        throw InputError("kernel `" + t.site().path +
                         "`: mean = \"slot\" is a point of the memory, and there is none; use "
                         "mean = \"newton\" or a compositor with several slots");
      }
      centre_ = t.site().memory.points.back();
    }

    Edge<ProposalNumbers> add(const std::string& path, const EvaluatedPoint& from) {
      const std::string name = path + "/proposal-law";
      const auto H = fit_ ? fit_->add(t_.graph(), path, from) : curvature_;
      std::optional<Edge<edge::PointGradient>> g;
      if (steps_) g = Edge<edge::PointGradient>{from.at.g};
      const Index rows = ProposalLaw::rows(t_.graph()[H.value].rows, t_.dimension());
      return write_.add(t_.graph(), name, OperationKind::pure, {}, H, eps_,
                        Edge<edge::PointPosition>{centre_ ? centre_ : from.theta}, g,
                        Write<ProposalNumbers>{Output::derived(name, rows, function_)});
    }

   private:
    Transition& t_;
    Edge<edge::StepSize> eps_;
    bool steps_;
    Value centre_{};
    std::optional<MemoryFit> fit_{};
    Edge<edge::Curvature> curvature_{};
    std::shared_ptr<const ProposalLaw> function_;
    SharedOperation<WriteLaw> write_;
  };

  Params params_;
};

}  // namespace
}  // namespace mixwell::metropolis_gaussian

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::metropolis_gaussian::MetropolisGaussian>(
      {.id = "metropolis-gaussian",
       .summary = "Metropolis-Hastings with Gaussian proposals from a curvature (MHBFGS)",
       .details =
           "theta* ~ N(m(theta), eps^2 H(theta)), accepted with probability min(1, r), "
           "r = exp(U(theta) - U(theta*)) q(theta | theta*) / q(theta* | theta) with\n"
           "-log q(y | theta) = 1/2 (y - m)' H^-1 (y - m) / eps^2 + 1/2 log det H + d log eps: m "
           "and H are made anew at theta*, and both log determinants are in r.\n"
           "m = theta - a H grad U with a = eps^2 / 2 by default (mean = newton), theta (current), "
           "or the last point of the memory (slot). With estimator bfgs, lbfgs or product-form in "
           "ensemble-chain, H is fitted to the other slots and, with own = true, to the point "
           "itself, which comes last where the estimator does not sort (MHBFGS); one point makes "
           "no "
           "pair, so chain, which lends no memory, is refused. For estimator identity, diagonal "
           "and dense H does not depend on the point. A "
           "transition costs one evaluation of U and its gradient, and with own = true two fits "
           "instead of one.\n"
           "Departs from the print: eps, which is 1 there; a, where the paper leaves open how long "
           "its \"Newton step\" is (newton_factor = 1 and step_size = 1 is the literal reading); "
           "the mean x_1 that it names first is the point itself, mean = current.",
       .sources = {
           "Zhang & Sutton 2011, Quasi-Newton methods for Markov chain Monte Carlo, section "
           "4.1, equation 14",
           "Qi & Minka 2002, Hessian-based Markov chain Monte Carlo algorithms",
           "Roberts & Stramer 2002, Methodology and Computing in Applied Probability 4 "
           "(Langevin steps)"}});
}
