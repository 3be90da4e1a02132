// Riemannian manifold Hamiltonian Monte Carlo, with implicit steps and a metric as mass matrix.
// SPDX-License-Identifier: Apache-2.0
#include "riemannian/metric_law.hpp"
#include "riemannian/move.hpp"

#include <mixwell/plugin.hpp>

#include <memory>

namespace mixwell::riemannian {
namespace {

class Riemannian final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    StepSizeSettings step_size{.step_size = 0.5, .target_acceptance = {}};
    Steps steps{.count = 6};
    Tolerances tolerances;
    bool check_reversibility = true;

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("source of U and grad U");
      step_size.declare_with_target(fields);
      steps.declare(fields);
      fields.number("fixed_point_tolerance", tolerances.fixed_point)
          .above(0)
          .below(1)
          .help("relative change below which the iterations of an implicit step stop");
      fields.flag("check_reversibility", check_reversibility)
          .help(
              "integrate each trajectory back (at twice the cost), and reject it if it misses its "
              "start");
      fields.number("reversibility_tolerance", tolerances.reversibility)
          .above(0)
          .below(1)
          .only_with("check_reversibility", {"true"})
          .help("largest relative distance from the start that is allowed after integrating back");
    }
  };

  explicit Riemannian(const Params& params) : params_(params) {
    params.step_size.check();
    params.steps.check();
  }

 protected:
  void transition(Transition& t) const override {
    const auto law = t.law(params_.oracle);
    const Metric& metric = metric_of(t, law);
    const auto eps = t.step_size(params_.step_size);
    const auto L = t.steps(params_.steps);
    SharedOperation momentum_law([&metric](Columns& block, edge::TargetLaw, edge::PointPosition at,
                                           edge::Out<MetricNumbers> numbers) {
      write_metric_law(block, metric, at, numbers);
    });
    const auto function = std::make_shared<MetricLaw>();
    const auto law_at = [&](const std::string& name, Value theta) {
      return momentum_law.add(
          t.graph(), t.path(name), OperationKind::pure, {}, Edge<edge::TargetLaw>{law.value},
          Edge<edge::PointPosition>{theta},
          t.derived<MetricNumbers>(name, MetricLaw::rows(t.dimension()), function));
    };
    const auto there = law_at("momentum-law", t.position().value);
    const Variable p = t.graph().auxiliary(t.path("momentum"), t.dimension());
    const auto momentum =
        t.redraw<edge::Momentum>("refresh", p, Edge<edge::LawOf<MetricLaw>>{there.value});
    const auto end = follow(t, law, momentum, eps, L);
    const auto back = law_at("back/momentum-law", end.theta.value);
    t.metropolis(
        law,
        {.theta = end.theta,
         .at = end.at,
         .auxiliaries = {{.variable = p,
                          .end = {end.p.value},
                          .law = {there.value},
                          .law_at_proposal = Edge<edge::AuxiliaryLaw<edge::There>>{back.value}}},
         .has_energy = true,
         .reported = true});
  }

 private:
  /// The end of a trajectory.
  struct End {
    Edge<edge::Proposed<edge::Position>> theta;
    Edge<edge::Proposed<edge::Momentum>> p;
    EvaluationAt<edge::There> at;
  };

  static const Metric& metric_of(const Transition& t, Edge<edge::Law> law) {
    const auto* const metric = t.graph().offered<Metric>(law.value);
    if (metric != nullptr) return *metric;
    throw InputError("kernel `" + t.site().path + "` needs a metric, and the target density `" +
                     t.graph()[law.value].name +
                     "` has none. Use a model that offers a metric (see `mixwell plugins show "
                     "MODEL`), or use kernel `hamiltonian`.");
  }

  /// An implicit step may have several solutions, or the iteration may find none. So the map is its
  /// own inverse, up to the sign of the momentum, only if the trajectory was integrated back and
  /// returned to its start.
  End follow(Transition& t, Edge<edge::Law> law, Edge<edge::Momentum> p, Edge<edge::StepSize> eps,
             Edge<edge::StepCount> L) const {
    Traits traits;
    const bool solved = params_.tolerances.solve_well();
    traits.involution = params_.check_reversibility && solved;
    traits.volume = solved;
    traits.order = 2;
    const auto at = t.evaluation(law);
    const Index d = t.dimension();
    const auto [theta_end, p_end, u_end, g_end, failed] = t.add(
        "trajectory", OperationKind::move, traits,
        Follow(metric_of(t, law), params_.tolerances, params_.check_reversibility), t.position(), p,
        law, at.u, at.g, eps, L, t.derived<edge::Proposed<edge::Position>>("theta*", d),
        t.derived<edge::Proposed<edge::Momentum>>("p*", d),
        t.derived<edge::Potential<edge::There>>("u*", 1),
        t.derived<edge::Gradient<edge::There>>("g*", d), t.statistics(failures));
    return {theta_end, p_end, {u_end, g_end}};
  }

  Params params_;
};

}  // namespace
}  // namespace mixwell::riemannian

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::riemannian::Riemannian>(
      {.id = "riemannian",
       .summary = "Hamiltonian Monte Carlo with a position-dependent metric as mass matrix (RMHMC)",
       .details =
           "The momentum is p ~ N(0, G(theta)), where G is the model's metric. The Hamiltonian is "
           "H = U + 1/2 p' G^-1 p + 1/2 log det G. The kernel makes L steps of size eps with the "
           "generalised leapfrog, and accepts or rejects the end point according to the change in "
           "H. One step is\np+ = p - eps/2 dH/dtheta(theta, p+); theta* = theta + eps/2 "
           "(G^-1(theta) + G^-1(theta*)) p+; p* = p+ - eps/2 dH/dtheta(theta*, p+).\nThe first two "
           "equations are implicit. Fixed-point iteration solves them to a relative tolerance. "
           "(Girolami & Calderhead 2011 use a fixed number of iterations.) The kernel rejects a "
           "trajectory if an implicit step does not converge within 100 iterations. If "
           "check_reversibility = true, the kernel also integrates the trajectory back, and "
           "rejects it if it does not return to its start. The map is reversible only with this "
           "check. The kernel declares it reversible if, in addition, fixed_point_tolerance is at "
           "most 1e-6 and reversibility_tolerance is at most 1e-4. Otherwise the certificate "
           "states that this declaration is missing. dH/dtheta_i = dU/dtheta_i + sum_ab W_ab "
           "dG_ab/dtheta_i, where W = 1/2 (G^-1 - v v') and v = G^-1 p. The model computes this "
           "sum without forming the d matrices dG/dtheta_i.\nA step costs one gradient, and other "
           "work that is not counted in gradients. Each iteration for theta* evaluates the metric "
           "once and costs d^3 / 3 further operations. Each iteration for p+ evaluates the sum "
           "once and costs 2 d^2 further operations. check_reversibility doubles all these costs. "
           "Far from the mode, implicit steps have a solution only if eps is small. Set "
           "target_acceptance to adapt eps in warmup. The models `gaussian`, `quartic`, `banana`, "
           "`funnel`, `linear-gaussian`, `logistic-regression` and `probit-regression` offer a "
           "metric.",
       .sources = {
           "Girolami & Calderhead 2011, J. R. Stat. Soc. B 73, section 5, equations 13 to 18",
           "Leimkuhler & Reich 2004, Simulating Hamiltonian Dynamics (generalised leapfrog)",
           "Zappa, Holmes-Cerfon & Goodman 2018, Comm. Pure Appl. Math. 71 (the reversibility "
           "check)"}});
}
