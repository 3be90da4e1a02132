// Langevin dynamics without momentum and without Metropolis.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/block_normals.hpp>
#include <mixwell/divergence.hpp>
#include <mixwell/error.hpp>
#include <mixwell/next_state.hpp>
#include <mixwell/plugin.hpp>
#include <mixwell/step_schedule.hpp>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace {

using namespace mixwell;

/// Steps of the scheme from the present position. A column whose end is not finite stays where it
/// was, as a divergence. Outputs: theta, u, g, diverging.
class LangevinBody final : public Body {
 public:
  enum In : std::size_t { theta, law, u, g, eps, drift, diffusion, noise };
  enum Out : std::size_t { next_theta, next_u, next_g, diverging };

  LangevinBody(std::shared_ptr<const Integrator> integrator, std::int64_t steps, bool plain)
      : integrator_(std::move(integrator)),
        steps_(steps),
        coupling_(plain ? Coupling::none : Coupling::factor) {}

  void run(Block& block) const override {
    Workspace& scratch = block.scratch();
    const ConstMatrixMap start = block.in(theta);
    const Index d = start.rows();
    const Index w = start.cols();
    MatrixMap theta_end = scratch.matrix(d, w);
    MatrixMap g_end = scratch.matrix(d, w);
    MatrixMap step = scratch.matrix(d, w);
    RowMap u_end = scratch.row(w);
    flat(theta_end) = flat(start);
    flat(g_end) = flat(block.in(g));
    step.rowwise() = block.in_row(eps);
    const Flow flow(coupling_, block.curvature(drift));
    const Law target = block.law(law);
    const BlockNormals normals(block, noise);
    const Motion motion{target, flow, ConstMatrixMap(step.data(), d, w), scratch, 0, &normals};
    MatrixMap no_momentum = scratch.matrix(d, 0);
    integrator_->advance({theta_end, no_momentum, g_end}, steps_, motion, u_end.data());
    block.count_gradients(law, integrator_->gradients(steps_) * w);
    keep_finite(block, start, {theta_end.data(), u_end.data(), g_end.data()});
  }

 private:
  static void keep_finite(Block& block, ConstBatch start, StateNumbers<const double> end) {
    const ConstMatrixMap g_end(end.g, start.rows(), start.cols());
    const NextState next(
        start.rows(), start.cols(), {start.data(), block.in(u).data(), block.in(g).data()}, end,
        {block.out(next_theta).data(), block.out(next_u).data(), block.out(next_g).data()});
    for (Index j = 0; j < start.cols(); ++j) {
      const bool fine = std::isfinite(end.u[j]) && g_end.col(j).allFinite();
      block.out_row(diverging)(j) = fine ? 0.0 : 1.0;
      if (!fine) block.report(trouble(j, end.u[j], g_end, 0.0), start);
      next.column(j, fine);
    }
  }

  std::shared_ptr<const Integrator> integrator_;
  std::int64_t steps_;
  Coupling coupling_;
};

class Langevin final : public Kernel {
 public:
  struct Params {
    std::shared_ptr<const Integrator> integrator;
    std::shared_ptr<const Oracle> oracle;
    std::shared_ptr<const Estimator> estimator;
    StepSchedule step_size{};
    std::int64_t steps = 1;

    void declare(Fields& fields) {
      fields.component("integrator", integrator)
          .or_default("euler-maruyama")
          .help("scheme of the dynamics, one with noise and without friction");
      fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
      fields.component("estimator", estimator)
          .or_default("identity")
          .help("H of the drift -H grad U and of the noise, 2 eps H");
      step_size.declare(fields);
      fields.integer("steps", steps).at_least(1).help("steps of a transition, under one H");
    }
  };

  explicit Langevin(const Params& params) : params_(params) {
    if (!params.integrator->has_noise() || params.integrator->has_friction()) {
      throw ParameterError("integrator",
                           "must have noise and no momentum to damp, as euler-maruyama; for "
                           "schemes with a momentum there is kernel `hamiltonian`");
    }
  }

  void describe(KernelGraph& graph, const Site& site) const override {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    const SiteCurvature curvature(graph, site, params_.estimator);
    const Value law = params_.oracle->law(graph, path + "/oracle", site.target);
    const Cached at = graph.evaluation(law, site.slot);
    const Value eps = params_.step_size.add(graph, path);
    const auto out = graph.add(
        path + "/step", OperationKind::move, params_.integrator->traits(),
        {{graph.current(site.slot), Role::state},
         {law, Role::law},
         {at.u, Role::evaluation},
         {at.g, Role::evaluation},
         {eps, Role::parameter},
         {curvature.value(), Role::drift},
         {curvature.value(), Role::diffusion},
         {graph.noise(path + "/step"), Role::noise}},
        {Output::next(site.slot), Output::evaluation(path + "/u", 1, law, site.slot),
         Output::evaluation(path + "/g", d, law, site.slot),
         Output::derived(path + "/diverging", 1)},
        std::make_shared<LangevinBody>(params_.integrator, params_.steps,
                                       params_.estimator->representation()->is_identity()));
    curvature.learn(graph, site);
    curvature.record(graph, site);
    record_statistic(graph, site, "step_size", eps, RecordType::real, "time",
                     "eps of the transition");
    params_.step_size.record_weight(graph, site, eps);
    record_statistic(graph, site, "diverging", out[LangevinBody::diverging], RecordType::boolean,
                     "", "the step ended where U or its gradient is not finite, and was dropped");
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Langevin>(
      {.id = "langevin",
       .summary = "Langevin dynamics without Metropolis (SGLD)",
       .details =
           "theta+ = theta - eps H grad U + sqrt(2 eps) S z, H = S S', with any oracle: the exact "
           "gradient, a minibatch, or noise. eps may fall with the sweeps. H must not depend on "
           "theta: a constant, or fitted to other slots. The error in the draws is of order eps; "
           "a Metropolis-adjusted step is kernel `metropolis-gaussian` with mean = \"newton\".",
       .sources = {"Welling & Teh 2011, ICML (they write eps / 2 and N(0, eps))",
                   "Simsekli, Badeau, Cemgil & Richard 2016, ICML"}});
}
