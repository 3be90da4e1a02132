// Metropolis-Hastings with a Gaussian proposal whose mean and covariance depend on the point.
// SPDX-License-Identifier: Apache-2.0
#include "metropolis-gaussian/proposal.hpp"

#include <mixwell/plugin.hpp>

namespace mixwell::metropolis_gaussian {
namespace {

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
