// Riemannian manifold Hamiltonian Monte Carlo: a metric as the mass, implicit steps.
// SPDX-License-Identifier: Apache-2.0
#include "riemannian/accept.hpp"
#include "riemannian/metric_law.hpp"
#include "riemannian/move.hpp"
#include "riemannian/params.hpp"

namespace mixwell::riemannian {
namespace {

class Riemannian final : public Kernel {
 public:
  using Params = riemannian::Params;

  explicit Riemannian(const Params& params) : params_(params) {
    params.step_size.check();
    params.steps.check();
  }

  void describe(KernelGraph& graph, const Site& site) const override {
    const std::string& path = site.path;
    const StepSize step_size(graph, site, params_.step_size);
    const Value law = params_.oracle->law(graph, path + "/oracle", site.target);
    require_metric(graph, site, law);
    const Cached at = graph.evaluation(law, site.slot);
    const Value eps = step_size.draw(graph, site);
    const Value steps = params_.steps.add(graph, site);
    const MomentumLaws laws(law, graph[site.slot].rows);
    const Value there = laws.add(graph, path, graph.current(site.slot));
    const Variable p = graph.auxiliary(path + "/momentum", graph[site.slot].rows);
    refresh(graph, site, p, there);
    const auto end = follow(graph, site, {graph.current(p), law, at, eps, steps});
    const Value back = laws.add(graph, path + "/back", end[TrajectoryBody::theta_end]);
    const auto out = accept(graph, site, {graph.current(p), law, at, there, back}, end);
    step_size.learn(graph, site, out[AcceptBody::acceptance], false);
    record(graph, site, out, end);
    record_statistic(graph, site, "step_size", eps, RecordType::real, "time",
                     "eps of the transition");
    record_statistic(graph, site, "n_steps", steps, RecordType::integer, "", "steps");
  }

 private:
  /// What the trajectory starts from and follows.
  struct Start {
    Value p;
    Value law;
    Cached at;
    Value eps;
    Value steps;
  };
  /// What the ratio is made of.
  struct Ratio {
    Value p;
    Value law;
    Cached at;
    Value there;
    Value back;
  };

  /// Adds the law of the momentum at a position; all its operations share body and function.
  class MomentumLaws {
   public:
    MomentumLaws(Value law, Index dimension) : law_(law), dimension_(dimension) {}

    Value add(KernelGraph& graph, const std::string& path, Value theta) const {
      return graph
          .add(path + "/momentum-law", OperationKind::pure, {},
               {{law_, Role::parameter}, {theta, Role::parameter}},
               {Output::derived(path + "/momentum-law", MetricLaw::rows(dimension_), function_)},
               body_)
          .front();
    }

   private:
    Value law_;
    Index dimension_;
    std::shared_ptr<const MetricLaw> function_ = std::make_shared<MetricLaw>();
    std::shared_ptr<const Body> body_ = std::make_shared<MetricLawBody>();
  };

  static void require_metric(const KernelGraph& graph, const Site& site, Value law) {
    const auto* potential = dynamic_cast<const Potential*>(graph[law].function.get());
    if (potential != nullptr && potential->as_metric() != nullptr) return;
    throw InputError("kernel `" + site.path + "` needs a metric, and the law `" + graph[law].name +
                     "` has none; use a model that offers one (`mixwell plugins show` of a model "
                     "tells), or kernel hamiltonian");
  }

  static void refresh(KernelGraph& graph, const Site& site, Variable p, Value law) {
    Traits traits;
    traits.keeps_law = true;
    traits.full = true;
    graph.add(site.path + "/refresh", OperationKind::refresh, traits,
              {{law, Role::law}, {graph.noise(site.path + "/refresh"), Role::noise}},
              {Output::next(p)}, std::make_shared<RefreshBody>());
  }

  /// An implicit step may have several solutions, or none that is found: the map is its own inverse
  /// up to the momentum's sign where the way back was followed and led back.
  std::vector<Value> follow(KernelGraph& graph, const Site& site, const Start& start) const {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    Traits traits;
    const bool solved = params_.tolerances.solve_well();
    traits.involution = params_.check_reversibility && solved;
    traits.volume = solved;
    traits.order = 2;
    return graph.add(
        path + "/trajectory", OperationKind::move, traits,
        {{graph.current(site.slot), Role::state},
         {start.p, Role::state},
         {start.law, Role::law},
         {start.at.u, Role::evaluation},
         {start.at.g, Role::evaluation},
         {start.eps, Role::parameter},
         {start.steps, Role::parameter}},
        {Output::derived(path + "/theta*", d), Output::derived(path + "/p*", d),
         Output::derived(path + "/u*", 1), Output::derived(path + "/g*", d),
         Output::derived(path + "/not-solved", 1), Output::derived(path + "/not-reversed", 1)},
        std::make_shared<TrajectoryBody>(params_.tolerances, params_.check_reversibility));
  }

  static std::vector<Value> accept(KernelGraph& graph, const Site& site, const Ratio& ratio,
                                   const std::vector<Value>& end) {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    return graph.add(
        path + "/accept", OperationKind::accept, {},
        {{graph.current(site.slot), Role::state},
         {ratio.p, Role::state},
         {end[TrajectoryBody::theta_end], Role::proposed},
         {end[TrajectoryBody::p_end], Role::proposed},
         {ratio.law, Role::law},
         {ratio.there, Role::law},
         {ratio.back, Role::law_at_proposal},
         {ratio.at.u, Role::evaluation},
         {ratio.at.g, Role::evaluation},
         {end[TrajectoryBody::u_end], Role::evaluation},
         {end[TrajectoryBody::g_end], Role::evaluation},
         {graph.noise(path + "/accept"), Role::noise}},
        {Output::next(site.slot), Output::evaluation(path + "/u", 1, ratio.law, site.slot),
         Output::evaluation(path + "/g", d, ratio.law, site.slot),
         Output::derived(path + "/acceptance", 1), Output::derived(path + "/energy", 1),
         Output::derived(path + "/energy_error", 1), Output::derived(path + "/diverging", 1)},
        std::make_shared<AcceptBody>());
  }

  static void record(KernelGraph& graph, const Site& site, const std::vector<Value>& out,
                     const std::vector<Value>& end) {
    record_statistic(graph, site, "acceptance_rate", out[AcceptBody::acceptance], RecordType::real,
                     "", "Metropolis acceptance probability");
    record_statistic(graph, site, "energy", out[AcceptBody::energy], RecordType::real, "nats",
                     "Hamiltonian of the state that was kept, with 1/2 log det G");
    record_statistic(graph, site, "energy_error", out[AcceptBody::energy_error], RecordType::real,
                     "nats",
                     "Hamiltonian at the end of the trajectory minus that at its start; infinite "
                     "where it has no end");
    record_statistic(graph, site, "diverging", out[AcceptBody::diverging], RecordType::boolean, "",
                     "energy error above 1000 nats or not finite");
    record_statistic(graph, site, "fixed_point_failure", end[TrajectoryBody::not_solved],
                     RecordType::boolean, "", "an implicit step found no solution");
    record_statistic(graph, site, "reversibility_failure", end[TrajectoryBody::not_reversed],
                     RecordType::boolean, "", "the trajectory followed back missed its start");
  }

  Params params_;
};

}  // namespace
}  // namespace mixwell::riemannian

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::riemannian::Riemannian>(
      {.id = "riemannian",
       .summary = "Hamiltonian Monte Carlo with a position-dependent metric as its mass (RMHMC)",
       .details =
           "p ~ N(0, G(theta)) with the model's metric G; then L steps of eps of the generalised "
           "leapfrog of H = U + 1/2 p' G^-1 p + 1/2 log det G, and Metropolis on H:\n"
           "p+ = p - eps/2 dH/dtheta(theta, p+); theta* = theta + eps/2 (G^-1(theta) + "
           "G^-1(theta*)) p+; p* = p+ - eps/2 dH/dtheta(theta*, p+).\n"
           "The first two are implicit and solved by fixed-point iteration, to a relative "
           "tolerance where the paper takes a fixed number of iterations. A column whose iteration "
           "does not converge is rejected, and so is one whose trajectory, followed back, does not "
           "return: only then is the map reversible. dH/dtheta_i = dU/dtheta_i + sum_ab W_ab "
           "dG_ab/dtheta_i with W = 1/2 (G^-1 - v v'), v = G^-1 p, which the model contracts "
           "without forming the d matrices dG/dtheta_i.\n"
           "A step costs a gradient, and beside it, not counted as gradients, a metric with d^3 / "
           "3 for each iteration of theta*, and a contraction with 2 d^2 for each of p+; twice all "
           "of it with check_reversibility. Far from the mode implicit steps have no solution "
           "unless eps is small: with target_acceptance warm-up finds one. The models gaussian, "
           "quartic, banana, funnel, linear-gaussian, logistic-regression and probit-regression "
           "offer a metric.",
       .sources = {
           "Girolami & Calderhead 2011, J. R. Stat. Soc. B 73, section 5, equations 13 to "
           "18",
           "Leimkuhler & Reich 2004, Simulating Hamiltonian Dynamics (generalised leapfrog)",
           "Zappa, Holmes-Cerfon & Goodman 2018, Comm. Pure Appl. Math. 71 (the way "
           "back)"}});
}
