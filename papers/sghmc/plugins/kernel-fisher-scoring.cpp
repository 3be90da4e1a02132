// Kernel `fisher-scoring` (SGFS): the inverse of the Fisher information preconditions the steps.
// SPDX-License-Identifier: Apache-2.0
#include "fisher-scoring/step.hpp"

#include <mixwell/plugin.hpp>

#include <memory>
#include <optional>
#include <string>

namespace mixwell::fisher_scoring {
namespace {

/// The running mean of c V^ over the sweeps: history <- history + (c V^ - history) / n.
class LearnInformation {
 public:
  LearnInformation(double share, InformationRows at) : share_(share), at_(at) {}

  void operator()(Columns& block, edge::History before, edge::PointPosition theta,
                  edge::StepsLaw law, edge::Out<edge::History> next) const {
    edge::begin(before, next);
    MatrixMap V = block.scratch().matrix(at_.numbers(), theta.cols());
    if (at_.whole) {
      law.noise_covariance(theta, draw, V, block.scratch());
    } else {
      law.noise_diagonal(theta, draw, V, block.scratch());
    }
    for (Index j = 0; j < theta.cols(); ++j) {
      if (!V.col(j).allFinite()) continue;
      const double n = next(0, j) += 1.0;
      auto mean = next.col(j).tail(at_.numbers());
      mean += (share_ * V.col(j) - mean) / n;
    }
  }

 private:
  static constexpr std::uint32_t draw = 2;  ///< not 1, because the step uses the cases of draw 1

  double share_;
  InformationRows at_;
};

class FisherScoring final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    std::shared_ptr<const Estimator> estimator;
    std::optional<double> step_size;
    std::string information = "full";

    void declare(Fields& fields) {
      fields.component("oracle", oracle)
          .or_default("minibatch")
          .help("minibatch oracle that computes the gradients and the Fisher information");
      fields.component("estimator", estimator)
          .or_default("identity")
          .help("constant preconditioner H = B^-1; the added noise is N(0, 2 B / eps)");
      fields.number("step_size", step_size)
          .unit("theta^2 / H")
          .above(0)
          .refines(Refines::step_size)
          .help("eps, half the paper's epsilon (if it is not set, the kernel adds no noise)");
      fields.text("information", information)
          .one_of({"full", "diagonal"})
          .help(
              "use the whole empirical Fisher information or only its diagonal; diagonal needs B = "
              "I");
    }
  };

  explicit FisherScoring(const Params& params) : params_(params) {
    if (dynamic_cast<const ConstantPreconditioner*>(params.estimator.get()) == nullptr) {
      throw ParameterError(
          "estimator", "must be a constant preconditioner. Use `identity` or `curvature-file`.");
    }
    if (!is_whole() && !is_identity()) {
      throw ParameterError("information",
                           "must be \"full\" if the estimator is not `identity`. Use \"full\", or "
                           "use the estimator `identity`.");
    }
  }

 protected:
  void transition(Transition& t) const override {
    const auto law = t.law(params_.oracle);
    const double share = information_share(t, law);
    const InformationRows at{t.dimension(), is_whole()};
    const Variable information =
        t.graph().history(t.path("information"), Eigen::VectorXd::Zero(at.rows()),
                          Forgets::diminishing, Scope::replicate, 1.0, "information");
    const bool learns = t.site().phase == PhaseKind::warmup;
    step(t, law, information, Step(share, at, preconditioner(at.d), !learns));
    if (learns) learn(t, law, information, {share, at});
  }

 private:
  bool is_whole() const noexcept { return params_.information == "full"; }
  bool is_identity() const { return params_.estimator->representation()->is_identity(); }

  static double information_share(const Transition& t, Edge<edge::Law> law) {
    const auto of = t.graph().potential(law.value);
    const GradientNoise* const noise = of == nullptr ? nullptr : of->as_noise();
    const double share = noise == nullptr ? 0.0 : noise->information_share();
    if (share > 0.0) return share;
    throw InputError(
        "kernel `" + t.site().path +
        "` estimates the Fisher information from the spread of the gradients in a "
        "minibatch, but oracle `" +
        t.oracle()->name() +
        "` does not provide this spread. Use oracle `minibatch` with a size of at least 2 that "
        "is smaller than the number of cases.");
  }

  Preconditioner preconditioner(Index d) const {
    dynamic_cast<const ConstantPreconditioner&>(*params_.estimator).check(d);
    if (is_identity()) return {};
    const auto how = params_.estimator->representation();
    const Numbers none(ConstMatrixMap(nullptr, 0, 1));
    const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(d, d);
    Workspace scratch;
    Preconditioner by{Eigen::MatrixXd(d, d), Eigen::MatrixXd(d, d)};
    how->B(none, I, by.B, scratch);
    how->C(none, I, by.C, scratch);
    return by;
  }

  /// Without eps the error does not tend to 0, so the kernel declares no order.
  void step(Transition& t, Edge<edge::Law> law, Variable information, Step body) const {
    Traits traits;
    std::optional<Edge<edge::StepSize>> eps;
    std::optional<Edge<edge::Noise>> noise;
    std::optional<Edge<edge::Drift>> drift;
    std::optional<Edge<edge::Diffusion>> diffusion;
    if (params_.step_size) {
      traits.order = 1;
      traits.local = true;
      StepSchedule schedule;
      schedule.step_size = *params_.step_size;
      eps = t.step_size(schedule);
      noise = t.noise("step");
      const auto H = t.preconditioner(params_.estimator);
      drift = Edge<edge::Drift>{H.value};
      diffusion = Edge<edge::Diffusion>{H.value};
    }
    t.add("step", OperationKind::move, traits, std::move(body), t.position(), law, eps,
          Edge<edge::Learnt>{t.graph().current(information)}, drift, diffusion, noise, t.next());
  }

  static void learn(Transition& t, Edge<edge::Law> law, Variable information,
                    LearnInformation body) {
    t.add("learn-information", OperationKind::observe, {}, body,
          Edge<edge::History>{t.graph().current(information)},
          Edge<edge::PointPosition>{t.position().value}, Edge<edge::StepsLaw>{law.value},
          Write<edge::History>{Output::next(information)});
  }

  Params params_;
};

}  // namespace
}  // namespace mixwell::fisher_scoring

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::fisher_scoring::FisherScoring>(
      {.id = "fisher-scoring",
       .summary = "Stochastic-gradient Fisher scoring (SGFS), correct for a Gaussian target at "
                  "every step size",
       .details =
           "theta <- theta - 2 (J + V + 2 B / eps)^-1 (g + N(0, 2 B / eps)). Here g is the "
           "gradient from a minibatch of n of the N cases, J is the empirical Fisher information "
           "of all cases, and V is the covariance of the noise of g. V = J N/n if cases are drawn "
           "with replacement, and V = J (N/n - 1) otherwise. Mixwell estimates J in each warmup "
           "sweep and uses the mean of these estimates. After warmup, the mean is fixed (the "
           "method in the paper continues to update it). A chain does not move until the mean "
           "includes 10 estimates, or 10 + d estimates if J is a full matrix. If warmup is too "
           "short for this, the run stops with an error. J does not include the prior. If the "
           "posterior is Gaussian with precision J, the kernel leaves the posterior exactly "
           "invariant for every eps and n. Otherwise the error is of order eps. If eps is not set, "
           "the kernel adds no noise, and this error remains. As eps goes to 0, the step "
           "approaches a step of kernel `langevin` with the same eps and H = B^-1. A transition "
           "costs one minibatch gradient, or two during warmup. A full J adds d^3/3 operations.",
       .sources = {"Ahn, Korattikara & Welling 2012, ICML, equations 13 to 17 (their epsilon is "
                   "twice this eps)"}});
}
