// Metropolis-Hastings with a Gaussian proposal whose mean and covariance depend on the position.
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

/// N(m, eps^2 H) with H = S S' and B = H^-1. Numbers of a column: those of the preconditioner, then
/// m (d of them), then eps.
class ProposalLaw final : public Potential {
 public:
  explicit ProposalLaw(std::shared_ptr<const Representation> preconditioner)
      : preconditioner_(std::move(preconditioner)) {}

  static Index rows(Index preconditioner, Index dimension) noexcept {
    return preconditioner + dimension + 1;
  }

  /// out = m + eps S z for z ~ N(0, I). One product with S.
  void draw(const Numbers& numbers, const edge::Noise& noise, Batch out, Workspace& scratch) const {
    preconditioner_->S(numbers, noise.normals(out.rows(), out.cols()), out, scratch);
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
    preconditioner_->B(numbers, step, gradient, out.scratch);
    if (out.wants_potential()) potential(numbers, step, gradient, out);
    for (Index j = 0; j < y.cols(); ++j) gradient.col(j) /= Tail(numbers, j, d).eps;
  }
  double gradient_cost() const noexcept override { return 0.0; }

 private:
  /// The last d + 1 numbers of a column: the mean m, then eps.
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
    preconditioner_->log_det_H(numbers, d, log_det, out.scratch);
    RowMap u = out.u();
    column_dots(step, product, u);
    for (Index j = 0; j < u.cols(); ++j) {
      // B is positive definite, so a negative product comes only from rounding errors.
      if (u(j) < 0.0) u(j) = std::nan("");
      u(j) = 0.5 * (u(j) + log_det(j)) + static_cast<double>(d) * std::log(Tail(numbers, j, d).eps);
    }
  }

  std::shared_ptr<const Representation> preconditioner_;
};

/// Writes the numbers of a ProposalLaw with m = centre - a H g, where a = eps^2 / 2 or a given
/// factor. Without a gradient, m = centre.
class WriteLaw {
 public:
  explicit WriteLaw(std::optional<double> factor) : factor_(factor) {}

  void operator()(Columns& block, edge::Preconditioner H, edge::StepSize eps,
                  edge::PointPosition centre, std::optional<edge::PointGradient> g,
                  edge::Out<ProposalNumbers> numbers) const {
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
      fields.component("oracle", oracle).or_default("exact").help("source of U and grad U");
      fields.component("estimator", estimator)
          .or_default("identity")
          .help("preconditioner H of the proposal");
      fields.text("mean", mean)
          .one_of({"newton", "current", "slot"})
          .help(
              "proposal mean: theta - a H grad U (newton), theta (current) or theta of the slot "
              "updated last (slot)");
      fields.number("newton_factor", newton_factor)
          .above(0)
          .only_with("mean", {"newton"})
          .help(
              "a in the mean theta - a H grad U (default: eps^2 / 2, a Langevin step; 1: a full "
              "Newton step)");
      fields.flag("own", own)
          .only_where("an estimator that is fitted to points",
                      [this] {
                        return dynamic_cast<const FittedPreconditioner*>(estimator.get()) !=
                               nullptr;
                      })
          .help(
              "fit the estimator also to the position where the proposal starts (false: only to "
              "other points)");
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
  /// An estimate of the density has no gradient.
  void check_gradients(const Transition& t) const {
    const bool fits =
        params_.own && std::dynamic_pointer_cast<const FittedPreconditioner>(params_.estimator);
    if (params_.mean != "newton" && !fits) return;
    throw InputError(
        "kernel `" + t.site().path +
        "`: the model offers only an unbiased estimate of its density, and this estimate has no "
        "gradient. Use mean = \"current\", and an estimator that is not fitted to points.");
  }

  /// Adds the proposal density of a point. The function is the same for every point.
  class ProposalLaws {
   public:
    ProposalLaws(Transition& t, Edge<edge::StepSize> eps, const MetropolisGaussian& kernel)
        : t_(t),
          eps_(eps),
          steps_(kernel.params_.mean == "newton"),
          function_(std::make_shared<ProposalLaw>(kernel.params_.estimator->representation())),
          write_(WriteLaw(kernel.params_.newton_factor)) {
      const auto fitted =
          std::dynamic_pointer_cast<const FittedPreconditioner>(kernel.params_.estimator);
      if (kernel.params_.own && fitted) {
        fit_.emplace(t.site(), fitted);
      } else {
        preconditioner_ = t.preconditioner(kernel.params_.estimator);
      }
      if (kernel.params_.mean != "slot") return;
      if (t.site().memory.points.empty()) {
        throw InputError("kernel `" + t.site().path +
                         "`: mean = \"slot\" uses the position of the slot that was updated last, "
                         "but the compositor provides no positions of other slots. Use mean = "
                         "\"newton\", or a compositor with several slots.");
      }
      centre_ = t.site().memory.points.back();
    }

    Edge<ProposalNumbers> add(const std::string& path, const EvaluatedPoint& from) {
      const std::string name = path + "/proposal-law";
      const auto H = fit_ ? fit_->add(t_.graph(), path, from) : preconditioner_;
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
    Edge<edge::Preconditioner> preconditioner_{};
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
       .summary = "Metropolis-Hastings with preconditioned Gaussian proposals (MHBFGS)",
       .details =
           "The kernel proposes theta* ~ q(. | theta) = N(m(theta), eps^2 H(theta)), and accepts "
           "theta* with probability min(1, r), where r = exp(U(theta) - U(theta*)) q(theta | "
           "theta*) / q(theta* | theta) and\n-log q(y | theta) = 1/2 (y - m)' H^-1 (y - m) / eps^2 "
           "+ 1/2 log det H + d log eps. The kernel computes m and H again at theta*, so r "
           "contains both log determinants.\nBy default m = theta - a H grad U with a = eps^2 / 2 "
           "(mean = \"newton\"). m can also be theta (mean = \"current\"), or the last of the "
           "points that the compositor provides to the estimator (mean = \"slot\"). In an "
           "ensemble, the last point is the position of the slot that was updated last. In "
           "compositor `ensemble-chain`, the estimators `bfgs`, `lbfgs` and `product-form` fit H "
           "to the positions of other slots. If own = true, they also fit H to the position at "
           "which H is computed, so H differs between theta and theta*. If the estimator has sort "
           "= false, as in MHBFGS, this position is the last of the points. These estimators need "
           "at least two points, because they use differences of points. Compositor `chain` "
           "provides no points of other slots, so Mixwell refuses these estimators there. With the "
           "estimators `identity`, `diagonal` and `dense`, H does not depend on the position. A "
           "transition costs one evaluation of U and its gradient. own = true needs two fits "
           "instead of one.\nZhang & Sutton 2011 use eps = 1, and do not give the length a of "
           "their \"Newton step\". So the key `newton_factor` sets a. The text of the paper "
           "corresponds to newton_factor = 1 and step_size = 1. The authors first give the mean as "
           "x_1, which is the current position. Set mean = \"current\" to use this mean.",
       .sources = {
           "Zhang & Sutton 2011, Quasi-Newton methods for Markov chain Monte Carlo, section 4.1, "
           "equation 14",
           "Qi & Minka 2002, Hessian-based Markov chain Monte Carlo algorithms",
           "Roberts & Stramer 2002, Methodology and Computing in Applied Probability 4 (Langevin "
           "steps)"}});
}
