// Langevin dynamics without momentum and without Metropolis.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

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
  enum In : std::size_t { theta, law, u, g, eps, drift, diffusion, noise, gamma };
  enum Out : std::size_t { next_theta, diverging, next_u, next_g };

  /// What the body finds on its edges.
  struct Shape {
    bool plain;             ///< H = I
    bool drift_correction;  ///< the input gamma is there
    bool keeps_gradient;  ///< the outputs next_u and next_g are: the law is the same in every sweep
  };

  LangevinBody(std::shared_ptr<const Integrator> integrator, std::int64_t steps, Shape shape)
      : integrator_(std::move(integrator)), steps_(steps), shape_(shape) {}

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
    const Flow flow(shape_.plain ? Coupling::none : Coupling::factor, block.curvature(drift));
    const Law target = block.law(law);
    const BlockNormals normals(block, noise);
    Motion motion{target, flow, ConstMatrixMap(step.data(), d, w), scratch, 0, &normals};
    if (shape_.drift_correction) new (&motion.drift_correction) ConstMatrixMap(block.in(gamma));
    motion.end_gradient = shape_.keeps_gradient;
    MatrixMap no_momentum = scratch.matrix(d, 0);
    double* const potential = shape_.keeps_gradient ? u_end.data() : nullptr;
    integrator_->advance({theta_end, no_momentum, g_end}, steps_, motion, potential);
    const bool saved = !shape_.keeps_gradient && integrator_->ends_with_gradient();
    block.count_gradients(law, (integrator_->gradients(steps_) - (saved ? 1 : 0)) * w);
    if (shape_.keeps_gradient) {
      keep_finite(block, start, {theta_end.data(), u_end.data(), g_end.data()});
    } else {
      keep_finite(block, start, theta_end);
    }
  }

 private:
  /// Of a noisy law only the position goes on: the next sweep draws another gradient.
  static void keep_finite(Block& block, ConstBatch start, ConstBatch end) {
    MatrixMap next = block.out(next_theta);
    for (Index j = 0; j < start.cols(); ++j) {
      const bool fine = end.col(j).allFinite();
      block.out_row(diverging)(j) = fine ? 0.0 : 1.0;
      if (!fine) block.report(lost(j, end), start);
      next.col(j) = fine ? end.col(j) : start.col(j);
    }
  }

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
  Shape shape_;
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
      fields.integer("steps", steps)
          .at_least(1)
          .at_most(1e6)
          .help("steps of a transition, under one H");
    }
  };

  explicit Langevin(const Params& params) : params_(params) {
    if (!params.integrator->has_noise() || params.integrator->has_friction()) {
      throw ParameterError("integrator",
                           "must have noise and no momentum to damp, as euler-maruyama; for "
                           "schemes with a momentum there is kernel `hamiltonian`");
    }
    if (params.steps > 1 && params.estimator->as_own() != nullptr) {
      throw ParameterError("steps", "must be 1: the estimator's H follows theta from step to step");
    }
  }

  void describe(KernelGraph& graph, const Site& site) const override {
    const Value before = graph.current(site.slot);
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    const Value law = params_.oracle->law_for(graph, site);
    const Dynamics dynamics{law, graph.evaluation(law, site.slot)};
    const SiteCurvature curvature(
        graph, site, params_.estimator,
        params_.integrator->takes_drift_correction() ? &dynamics : nullptr);
    const Value eps = params_.step_size.add(graph, path);
    std::vector<Input> inputs{{graph.current(site.slot), Role::state},
                              {law, Role::law},
                              {dynamics.at.u, Role::evaluation},
                              {dynamics.at.g, Role::evaluation},
                              {eps, Role::parameter},
                              {curvature.value(), Role::drift},
                              {curvature.value(), Role::diffusion},
                              {graph.noise(path + "/step"), Role::noise}};
    if (curvature.drift_correction())
      inputs.push_back({curvature.drift_correction(), Role::drift_correction});
    std::vector<Output> outputs{Output::next(site.slot), Output::derived(path + "/diverging", 1)};
    const bool same_law = graph.is_constant(law);
    if (same_law) {
      outputs.push_back(Output::evaluation(path + "/u", 1, law, site.slot));
      outputs.push_back(Output::evaluation(path + "/g", d, law, site.slot));
    }
    const LangevinBody::Shape shape{params_.estimator->representation()->is_identity(),
                                    static_cast<bool>(curvature.drift_correction()), same_law};
    const auto out =
        graph.add(path + "/step", OperationKind::move, params_.integrator->traits(),
                  std::move(inputs), std::move(outputs),
                  std::make_shared<LangevinBody>(params_.integrator, params_.steps, shape));
    params_.oracle->learn(graph, site, before);
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
           "gradient, a minibatch, or noise. eps may fall with the sweeps. H is a constant, or "
           "fitted to other slots; where it follows theta itself (estimators rms-diagonal, "
           "expected-fisher) the drift needs Gamma = div H, and steps = 1. The error in the draws "
           "is of order eps; "
           "a Metropolis-adjusted step is kernel `metropolis-gaussian` with mean = \"newton\".",
       .sources = {"Welling & Teh 2011, ICML (they write eps / 2 and N(0, eps))",
                   "Simsekli, Badeau, Cemgil & Richard 2016, ICML"}});
}
