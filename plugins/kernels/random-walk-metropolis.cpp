// Random-walk Metropolis: a Gaussian step, accepted by the ratio of densities.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// Inputs: theta, law, eps, curvature, noise. Outputs: theta*, u*, g*.
class ProposeBody final : public Body {
 public:
  enum In : std::size_t { theta, law, eps, curvature, noise };

  void run(Block& block) const override {
    MatrixMap to = block.out(0);
    Workspace& scratch = block.scratch();
    MatrixMap z = scratch.matrix(to.rows(), to.cols());
    block.normals(noise, z);
    const Curvature shape = block.curvature(curvature);
    if (shape.is_identity()) {
      flat(to) = flat(z);
    } else {
      shape.S(z, to, scratch);
    }
    const ConstRowMap scale = block.in_row(eps);
    for (Index j = 0; j < to.cols(); ++j) to.col(j) *= scale(j);
    flat(to) += flat(block.in(theta));
    block.law(law).evaluate(to, {block.out(1).data(), block.out(2), scratch});
    block.count_gradients(law, to.cols());
  }
};

/// Inputs: theta, theta*, law, u, g, u*, g*, noise. Outputs: theta, u, g, acceptance.
class AcceptBody final : public Body {
 public:
  enum In : std::size_t { theta, theta_end, law, u, g, u_end, g_end, noise };

  void run(Block& block) const override {
    const ConstMatrixMap start = block.in(theta);
    RowMap uniform = block.scratch().row(start.cols());
    block.uniforms(noise, uniform);
    const NextState next(
        start.rows(), start.cols(), {start.data(), block.in(u).data(), block.in(g).data()},
        {block.in(theta_end).data(), block.in(u_end).data(), block.in(g_end).data()},
        {block.out(0).data(), block.out(1).data(), block.out(2).data()});
    RowMap probability = block.out_row(3);
    // Taken before the next state is written: it may share the memory of the present one.
    probability = (block.in_row(u) - block.in_row(u_end)).array().exp().min(1.0);
    for (Index j = 0; j < start.cols(); ++j) {
      if (!std::isfinite(block.in_row(u_end)(j))) probability(j) = 0.0;
      next.column(j, uniform(j) < probability(j));
    }
  }
};

class RandomWalkMetropolis final : public Kernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    std::shared_ptr<const Estimator> estimator;
    StepSizeSettings step_size{};

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("where U comes from");
      fields.component("estimator", estimator)
          .or_default("identity")
          .help("shape H of the steps, theta* = theta + eps S z with S S' = H");
      fields.number("target_acceptance", step_size.target_acceptance)
          .above(0)
          .below(1)
          .help(
              "if given, eps is learnt in warm-up towards this mean acceptance probability, then "
              "frozen; 0.234 suits many coordinates, 0.44 a single one");
      step_size.declare(fields);
    }
  };

  explicit RandomWalkMetropolis(const Params& params) : params_(params) {
    params.step_size.check();
  }

  void describe(KernelGraph& graph, const Site& site) const override {
    const Value before = graph.current(site.slot);
    const SiteCurvature curvature(graph, site, params_.estimator);
    const StepSize step_size(graph, site, params_.step_size);
    const Value law = params_.oracle->law_for(graph, site);
    const Cached at = graph.evaluation(law, site.slot);
    const Value eps = step_size.draw(graph, site);
    const auto end = propose(graph, site, law, eps, curvature.value());
    const Value acceptance = accept(graph, site, law, at, end);
    params_.oracle->learn(graph, site, before);
    curvature.learn(graph, site);
    curvature.record(graph, site);
    step_size.learn(graph, site, acceptance, curvature.learns());
    record_statistic(graph, site, "acceptance_rate", acceptance, RecordType::real, "",
                     "Metropolis acceptance probability");
    record_statistic(graph, site, "step_size", eps, RecordType::real, "", "eps of the transition");
  }

 private:
  static std::vector<Value> propose(KernelGraph& graph, const Site& site, Value law, Value eps,
                                    Value curvature) {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    Traits traits;
    traits.involution = true;
    traits.flips = Flips::noise;
    traits.volume = true;
    traits.local = true;
    return graph.add(path + "/propose", OperationKind::move, traits,
                     {{graph.current(site.slot), Role::state},
                      {law, Role::law},
                      {eps, Role::parameter},
                      {curvature, Role::parameter},
                      {graph.noise(path + "/propose"), Role::noise}},
                     {Output::derived(path + "/theta*", d), Output::derived(path + "/u*", 1),
                      Output::derived(path + "/g*", d)},
                     std::make_shared<ProposeBody>());
  }

  static Value accept(KernelGraph& graph, const Site& site, Value law, const Cached& at,
                      const std::vector<Value>& end) {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    return graph.add(path + "/accept", OperationKind::accept, {},
                     {{graph.current(site.slot), Role::state},
                      {end[0], Role::proposed},
                      {law, Role::law},
                      {at.u, Role::evaluation},
                      {at.g, Role::evaluation},
                      {end[1], Role::evaluation},
                      {end[2], Role::evaluation},
                      {graph.noise(path + "/accept"), Role::noise}},
                     {Output::next(site.slot), Output::evaluation(path + "/u", 1, law, site.slot),
                      Output::evaluation(path + "/g", d, law, site.slot),
                      Output::derived(path + "/acceptance", 1)},
                     std::make_shared<AcceptBody>())[3];
  }

  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<RandomWalkMetropolis>(
      {.id = "random-walk-metropolis",
       .summary = "Gaussian steps accepted by the ratio of densities",
       .details =
           "theta* = theta + eps S z, z ~ N(0, I), S S' = H, accepted with probability min(1, "
           "exp(U(theta) - U(theta*))). H is I, or learnt in warm-up by the estimators diagonal "
           "and dense; eps 2.38 / sqrt(d) is best for a Gaussian with H its covariance. Costs one "
           "evaluation of U and its gradient a transition.",
       .sources = {"Metropolis et al. 1953, J. Chem. Phys. 21",
                   "Roberts, Gelman & Gilks 1997, Ann. Appl. Prob. 7"}});
}
