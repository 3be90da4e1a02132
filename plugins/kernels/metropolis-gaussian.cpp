// Metropolis-Hastings with a Gaussian proposal whose mean and covariance depend on the point.
// SPDX-License-Identifier: Apache-2.0
#include "metropolis-gaussian/accept.hpp"
#include "metropolis-gaussian/fit.hpp"
#include "metropolis-gaussian/proposal.hpp"

#include <mixwell/plugin.hpp>

namespace mixwell::metropolis_gaussian {
namespace {

class MetropolisGaussian final : public Kernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    std::shared_ptr<const Estimator> estimator;
    StepSizeSettings step_size{.step_size = 1.0, .target_acceptance = {}};
    std::string mean = "newton";
    std::optional<double> newton_factor;
    bool own = true;

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
          .help(
              "a of mean = newton; by default eps^2 / 2, a step of Langevin dynamics; 1 is "
              "Newton's own step");
      fields.flag("own", own)
          .help(
              "the estimator's points are the memory and the point itself, so that H differs "
              "between theta and theta*; false: the memory alone. Without effect where the "
              "estimator is not fitted to points");
      fields.number("target_acceptance", step_size.target_acceptance)
          .above(0)
          .below(1)
          .help(
              "if given, eps is learnt in warm-up towards this mean acceptance probability, then "
              "frozen");
      step_size.declare(fields);
    }
  };

  explicit MetropolisGaussian(const Params& params) : params_(params) {
    params.step_size.check();
    if (params.newton_factor && params.mean != "newton") {
      throw ParameterError("newton_factor",
                           "goes with mean = \"newton\", but it is \"" + params.mean + "\"");
    }
  }

  void describe(KernelGraph& graph, const Site& site) const override {
    const Value before = graph.current(site.slot);
    const StepSize step_size(graph, site, params_.step_size);
    const Value law = params_.oracle->law_for(graph, site);
    const Point here{graph.current(site.slot), graph.evaluation(law, site.slot)};
    const Value eps = step_size.draw(graph, site);
    const bool with_own = params_.own && fits(*params_.estimator);
    std::optional<SiteCurvature> curvature;
    std::optional<FitWithPoint> fit;
    if (with_own) {
      fit.emplace(site, params_.estimator);
    } else {
      curvature.emplace(graph, site, params_.estimator);
    }
    const Laws laws(*this, site, eps);
    const auto law_at = [&](const std::string& path, const Point& point) {
      return laws.add(graph, path, point, fit ? fit->add(graph, path, point) : curvature->value());
    };

    const Value there = law_at(site.path, here);
    const Variable y = graph.auxiliary(site.path + "/proposal", graph[site.slot].rows);
    refresh(graph, site, y, there);
    const Point proposed{graph.current(y), graph.evaluation(law, y)};
    const Value back = law_at(site.path + "/back", proposed);
    const Value acceptance = accept(graph, site, law, {here, there}, {proposed, back});
    params_.oracle->learn(graph, site, before);
    if (curvature) {
      curvature->learn(graph, site);
      curvature->record(graph, site);
    }
    step_size.learn(graph, site, acceptance, curvature && curvature->learns());
    record_statistic(graph, site, "acceptance_rate", acceptance, RecordType::real, "",
                     "Metropolis acceptance probability");
    record_statistic(graph, site, "step_size", eps, RecordType::real, "", "eps of the transition");
  }

 private:
  /// A point with the law of the proposal that is made there.
  struct Place {
    Point point;
    Value law;
  };

  /// Adds the law of the proposal from a point; all its operations share body and function.
  class Laws {
   public:
    Laws(const MetropolisGaussian& kernel, const Site& site, Value eps)
        : eps_(eps),
          steps_(kernel.params_.mean == "newton"),
          function_(std::make_shared<ProposalLaw>(kernel.params_.estimator->representation())),
          body_(std::make_shared<LawBody>(steps_, kernel.params_.newton_factor)) {
      if (kernel.params_.mean != "slot") return;
      if (site.memory.points.empty()) {
        throw InputError("kernel `" + site.path +
                         "`: mean = \"slot\" is a point of the memory, and there is none; use "
                         "mean = \"newton\" or a compositor with several slots");
      }
      centre_ = site.memory.points.back();
    }

    Value add(KernelGraph& graph, const std::string& path, const Point& from,
              Value curvature) const {
      std::vector<Input> inputs = {{curvature, Role::parameter},
                                   {eps_, Role::parameter},
                                   {centre_ ? centre_ : from.theta, Role::parameter}};
      if (steps_) inputs.push_back({from.at.g, Role::parameter});
      const Index rows = ProposalLaw::rows(graph[curvature].rows, graph[from.theta].rows);
      return graph
          .add(path + "/proposal-law", OperationKind::pure, {}, std::move(inputs),
               {Output::derived(path + "/proposal-law", rows, function_)}, body_)
          .front();
    }

   private:
    Value eps_;
    Value centre_{};
    bool steps_;
    std::shared_ptr<const ProposalLaw> function_;
    std::shared_ptr<const Body> body_;
  };

  static bool fits(const Estimator& estimator) {
    return estimator.uses_memory() && estimator.as_learner() == nullptr;
  }

  static void refresh(KernelGraph& graph, const Site& site, Variable y, Value law) {
    Traits traits;
    traits.keeps_law = true;
    traits.full = true;
    graph.add(site.path + "/propose", OperationKind::refresh, traits,
              {{law, Role::law}, {graph.noise(site.path + "/propose"), Role::noise}},
              {Output::next(y)}, std::make_shared<DrawBody>());
  }

  /// The acceptance probabilities.
  static Value accept(KernelGraph& graph, const Site& site, Value law, const Place& here,
                      const Place& proposed) {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    const Value theta = here.point.theta;
    const Value y = proposed.point.theta;
    const auto [theta_end, y_end] = graph.exchange(path + "/exchange", theta, y);
    return graph.add(path + "/accept", OperationKind::accept, {},
                     {{theta, Role::state},
                      {y, Role::state},
                      {theta_end, Role::proposed},
                      {y_end, Role::proposed},
                      {law, Role::law},
                      {here.law, Role::law},
                      {proposed.law, Role::law_at_proposal},
                      {here.point.at.u, Role::evaluation},
                      {here.point.at.g, Role::evaluation},
                      {proposed.point.at.u, Role::evaluation},
                      {proposed.point.at.g, Role::evaluation},
                      {graph.noise(path + "/accept"), Role::noise}},
                     {Output::next(site.slot), Output::evaluation(path + "/u", 1, law, site.slot),
                      Output::evaluation(path + "/g", d, law, site.slot),
                      Output::derived(path + "/acceptance", 1)},
                     std::make_shared<AcceptBody>())[AcceptBody::acceptance];
  }

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
           "itself, which comes last where the estimator does not sort (MHBFGS); in chain it is "
           "fitted to the point alone, which makes H = gamma I, and mean = newton a Langevin step "
           "(MALA). For estimator identity, diagonal and dense H does not depend on the point. A "
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
