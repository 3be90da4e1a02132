// Hamiltonian Monte Carlo: redraw the momentum, follow the flow, accept or reject.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/learner.hpp>
#include <mixwell/momentum.hpp>
#include <mixwell/plugin.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace {

using namespace mixwell;

/// Energy errors beyond this count as divergences, as in Stan.
constexpr double kDivergentEnergy = 1000.0;
/// Draw indices that tell the uses of one noise apart.
constexpr std::uint32_t kStepSizeDraw = 0;
constexpr std::uint32_t kStepsDraw = 1;

struct Params {
  std::shared_ptr<const Integrator> integrator;
  std::shared_ptr<const Oracle> oracle;
  std::shared_ptr<const Estimator> estimator;
  double step_size = 0.1;
  std::optional<double> target_acceptance;
  bool pool = false;
  std::optional<Interval> step_size_jitter;
  std::int64_t steps = 10;
  std::optional<Interval> steps_jitter;
  bool metropolis = true;
  std::string coupling = "mass";

  void declare(Fields& fields) {
    fields.component("integrator", integrator).or_default("leapfrog").help("scheme of the flow");
    fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
    fields.component("estimator", estimator).or_default("identity").help("curvature of the flow");
    fields.number("step_size", step_size)
        .unit("time")
        .above(0)
        .help("eps of one step; with target_acceptance, where learning starts");
    fields.number("target_acceptance", target_acceptance)
        .above(0)
        .below(1)
        .help(
            "if given, eps is learnt in warm-up by dual averaging towards this mean acceptance "
            "probability, then frozen");
    fields.flag("pool", pool)
        .help(
            "one learnt eps for all replicates, from their mean acceptance, instead of one for "
            "each");
    fields.interval("step_size_jitter", step_size_jitter)
        .above(0)
        .help("[a, b]: each transition uses eps * U[a, b]");
    fields.integer("steps", steps).at_least(1).help("L, integrator steps in a transition");
    fields.interval("steps_jitter", steps_jitter)
        .at_least(1)
        .help(
            "[a, b]: L uniform on the whole numbers a..b for each transition and replicate, "
            "instead of steps");
    fields.flag("metropolis", metropolis)
        .help("accept or reject; false leaves the error of the integrator in the draws");
    fields.text("coupling", coupling)
        .one_of({"mass", "symmetric", "factor", "one-sided"})
        .help(
            "how the curvature enters theta' = A M^-1 p, p' = -A' grad U: (A, M) = (I, B), "
            "(H, I), (S, I), or A = H in theta' alone with M = I");
  }
};

Coupling coupling_from(const std::string& word) {
  static const std::map<std::string, Coupling> known = {{"mass", Coupling::mass},
                                                        {"symmetric", Coupling::symmetric},
                                                        {"factor", Coupling::factor},
                                                        {"one-sided", Coupling::one_sided}};
  return known.at(word);
}

void check_interval(const char* key, const std::optional<Interval>& interval, bool whole) {
  if (!interval) return;
  const auto [a, b] = *interval;
  if (a > b) throw ParameterError(key, "the low end is above the high end");
  if (whole && (a != std::floor(a) || b != std::floor(b))) {
    throw ParameterError(key, "both ends must be whole numbers");
  }
}

/// Inputs: [register of dual averaging], [noise]. Outputs: eps, steps; one of each per column.
class StepBody final : public Body {
 public:
  StepBody(const Params& params, bool learnt, Index register_row, bool jittered)
      : params_(params), learnt_(learnt), row_(register_row), jittered_(jittered) {}

  void run(Block& block) const override {
    RowMap eps = block.out_row(0);
    RowMap steps = block.out_row(1);
    set_step_size(block, eps);
    steps.setConstant(static_cast<double>(params_.steps));
    if (!jittered_) return;
    const std::size_t noise = learnt_ ? 1 : 0;
    if (params_.step_size_jitter) {
      RowMap factor = block.scratch().row(eps.cols());
      block.uniforms(noise, factor, kStepSizeDraw);
      const auto [a, b] = *params_.step_size_jitter;
      eps.array() *= a + (b - a) * factor.array();
    }
    if (params_.steps_jitter) {
      block.uniforms(noise, steps, kStepsDraw);
      const auto [a, b] = *params_.steps_jitter;
      steps = (a + ((b - a + 1.0) * steps.array()).floor()).min(b);
    }
  }

 private:
  void set_step_size(Block& block, RowMap eps) const {
    if (!learnt_) {
      eps.setConstant(params_.step_size);
      return;
    }
    const ConstMatrixMap state = block.in(0);
    for (Index j = 0; j < eps.cols(); ++j) {
      eps(j) = std::exp(state(row_, state.cols() == 1 ? 0 : j));
    }
  }

  Params params_;
  bool learnt_;
  Index row_;
  bool jittered_;
};

/// Follows the flow for a block whose columns may want different numbers of steps: columns are
/// sorted so that those still moving stay together, and finished ones cost nothing.
class Trajectory {
 public:
  Trajectory(const Integrator& integrator, const Motion& motion, ConstRowMap steps)
      : integrator_(integrator), motion_(motion), steps_(steps) {}

  /// Gradients spent.
  std::int64_t run(Phase phase, Row u) const {
    const auto longest = static_cast<std::int64_t>(steps_.maxCoeff());
    if (steps_.minCoeff() == steps_.maxCoeff()) {
      integrator_.advance(phase, longest, motion_, u.data());
      return integrator_.gradients(longest) * u.cols();
    }
    return run_sorted(phase, u);
  }

 private:
  std::int64_t run_sorted(Phase phase, Row u) const {
    const Index w = phase.theta.cols();
    Workspace& scratch = motion_.scratch;
    const Workspace::Frame frame(scratch);
    RowMap order = scratch.row(w);
    std::iota(order.data(), order.data() + w, 0.0);
    std::sort(order.data(), order.data() + w, [&](double a, double b) {
      const double more = steps_(static_cast<Index>(a)) - steps_(static_cast<Index>(b));
      return more > 0.0 || (more == 0.0 && a < b);
    });
    MatrixMap theta = gathered(phase.theta, order);
    MatrixMap p = gathered(phase.p, order);
    MatrixMap g = gathered(phase.g, order);
    MatrixMap eps = gathered(motion_.eps, order);
    RowMap u_sorted = scratch.row(w);
    std::int64_t done = 0;
    std::int64_t gradients = 0;
    for (Index active = w; active > 0;) {
      const double wanted = steps_(static_cast<Index>(order(active - 1)));
      const std::int64_t more = static_cast<std::int64_t>(wanted) - done;
      const Motion part{motion_.law, motion_.flow, ConstMatrixMap(eps.data(), eps.rows(), active),
                        scratch};
      integrator_.advance({theta.leftCols(active), p.leftCols(active), g.leftCols(active)}, more,
                          part, u_sorted.data());
      gradients += integrator_.gradients(more) * active;
      done += more;
      while (active > 0 && steps_(static_cast<Index>(order(active - 1))) == wanted) --active;
    }
    for (Index k = 0; k < w; ++k) {
      const auto j = static_cast<Index>(order(k));
      phase.theta.col(j) = theta.col(k);
      phase.p.col(j) = p.col(k);
      phase.g.col(j) = g.col(k);
      u(j) = u_sorted(k);
    }
    return gradients;
  }

  MatrixMap gathered(ConstBatch from, ConstRow order) const {
    MatrixMap to = motion_.scratch.matrix(from.rows(), from.cols());
    for (Index k = 0; k < to.cols(); ++k) to.col(k) = from.col(static_cast<Index>(order(k)));
    return to;
  }

  const Integrator& integrator_;
  const Motion& motion_;
  ConstRowMap steps_;
};

/// Runs the trajectory of a block on copies that the caller provides.
class MoveBody : public Body {
 public:
  MoveBody(std::shared_ptr<const Integrator> integrator, Coupling coupling)
      : integrator_(std::move(integrator)), coupling_(coupling) {}

 protected:
  enum In : std::size_t { theta, p, law, u, g, eps, steps, position_coupling, momentum_coupling };

  /// phase holds the start; on return the end.
  void follow(Block& block, Phase phase, Row u_end) const {
    const Index d = phase.theta.rows();
    MatrixMap step = block.scratch().matrix(d, block.columns());
    step.rowwise() = block.in_row(eps);
    const Flow flow(coupling_, block.curvature(position_coupling));
    const Law target = block.law(law);
    const Motion motion{target, flow, ConstMatrixMap(step.data(), d, block.columns()),
                        block.scratch()};
    const ConstRowMap counts = block.in_row(steps);
    block.count_gradients(law, Trajectory(*integrator_, motion, counts).run(phase, u_end));
  }

 private:
  std::shared_ptr<const Integrator> integrator_;
  Coupling coupling_;
};

/// Outputs: theta*, p*, u*, g*.
class ProposeBody final : public MoveBody {
 public:
  using MoveBody::MoveBody;
  void run(Block& block) const override {
    MatrixMap theta_end = block.out(0);
    MatrixMap p_end = block.out(1);
    MatrixMap g_end = block.out(3);
    flat(theta_end) = flat(block.in(theta));
    flat(p_end) = flat(block.in(p));
    flat(g_end) = flat(block.in(g));
    follow(block, {theta_end, p_end, g_end}, block.out_row(2));
  }
};

/// The first thing that is not finite at the end of a trajectory of column j.
Event trouble(Index j, double u, ConstBatch g, double energy_error) {
  if (!std::isfinite(u)) return {j, "potential", -1, u};
  for (Index i = 0; i < g.rows(); ++i) {
    if (!std::isfinite(g(i, j))) return {j, "gradient", i, g(i, j)};
  }
  return {j, "energy error", -1, energy_error};
}

/// No Metropolis. Outputs: theta, u, g, diverging. A column whose end is not finite stays where it
/// was, as a divergence: there is no state to continue from.
class UnadjustedBody final : public MoveBody {
 public:
  using MoveBody::MoveBody;
  void run(Block& block) const override {
    Workspace& scratch = block.scratch();
    const ConstMatrixMap start = block.in(theta);
    MatrixMap theta_end = scratch.matrix(start.rows(), start.cols());
    MatrixMap p_end = scratch.matrix(start.rows(), start.cols());
    MatrixMap g_end = scratch.matrix(start.rows(), start.cols());
    RowMap u_end = scratch.row(start.cols());
    flat(theta_end) = flat(start);
    flat(p_end) = flat(block.in(p));
    flat(g_end) = flat(block.in(g));
    follow(block, {theta_end, p_end, g_end}, u_end);
    for (Index j = 0; j < start.cols(); ++j) {
      const bool fine = std::isfinite(u_end(j)) && g_end.col(j).allFinite();
      block.out_row(3)(j) = fine ? 0.0 : 1.0;
      if (!fine) {
        block.report(trouble(j, u_end(j), g_end, 0.0), start);
        block.out(0).col(j) = start.col(j);
        block.out(2).col(j) = block.in(g).col(j);
        block.out_row(1)(j) = block.in_row(u)(j);
        continue;
      }
      block.out(0).col(j) = theta_end.col(j);
      block.out(2).col(j) = g_end.col(j);
      block.out_row(1)(j) = u_end(j);
    }
  }
};

/// Metropolis on H = U + K. Outputs: theta, u, g, then the statistics of the transition.
class AcceptBody final : public Body {
 public:
  enum In : std::size_t {
    theta,
    p,
    theta_end,
    p_end,
    law,
    momentum_law,
    u,
    g,
    u_end,
    g_end,
    noise
  };
  enum Out : std::size_t {
    next_theta,
    next_u,
    next_g,
    acceptance,
    energy,
    energy_error,
    diverging
  };

  void run(Block& block) const override {
    const Index w = block.columns();
    Workspace& scratch = block.scratch();
    RowMap start = scratch.row(w);
    RowMap end = scratch.row(w);
    RowMap uniform = scratch.row(w);
    energies(block, start, end);
    block.uniforms(noise, uniform);
    keep(block);
    RowMap error = block.out_row(energy_error);
    RowMap probability = block.out_row(acceptance);
    error = end - start;
    probability = (-error.array()).exp().min(1.0);
    RowMap divergent = block.out_row(diverging);
    RowMap kept = block.out_row(energy);
    const Taking take(block);
    for (Index j = 0; j < w; ++j) {
      divergent(j) = error(j) <= kDivergentEnergy && std::isfinite(error(j)) ? 0.0 : 1.0;
      if (divergent(j) != 0.0) note_divergence(block, j);
      const bool accepted = uniform(j) < probability(j);
      kept(j) = accepted ? end(j) : start(j);
      take.column(j, accepted);
    }
  }

 private:
  static void energies(Block& block, Row start, Row end) {
    const auto& law = static_cast<const MomentumLaw&>(block.function(momentum_law));
    law.kinetic(block.in(momentum_law), block.in(p), start, block.scratch());
    law.kinetic(block.in(momentum_law), block.in(p_end), end, block.scratch());
    start += block.in_row(u);
    end += block.in_row(u_end);
  }

  /// The state stays unless taken; outputs usually share its memory.
  static void keep(Block& block) {
    if (block.out(next_theta).data() != block.in(theta).data()) {
      flat(block.out(next_theta)) = flat(block.in(theta));
    }
    if (block.out(next_u).data() != block.in(u).data()) block.out_row(next_u) = block.in_row(u);
    if (block.out(next_g).data() != block.in(g).data()) {
      flat(block.out(next_g)) = flat(block.in(g));
    }
  }

  /// Copies accepted columns; the pointers are looked up once a block.
  class Taking {
   public:
    explicit Taking(Block& block)
        : rows_(block.out(next_theta).rows()),
          theta_(block.in(theta_end).data()),
          g_(block.in(g_end).data()),
          u_(block.in(u_end).data()),
          to_theta_(block.out(next_theta).data()),
          to_g_(block.out(next_g).data()),
          to_u_(block.out(next_u).data()) {}
    void column(Index j, bool accepted) const {
      to_u_[j] = accepted ? u_[j] : to_u_[j];
      if (rows_ <= kShort) {
        choose(theta_ + j * rows_, accepted, to_theta_ + j * rows_);
        choose(g_ + j * rows_, accepted, to_g_ + j * rows_);
      } else if (accepted) {
        std::copy_n(theta_ + j * rows_, rows_, to_theta_ + j * rows_);
        std::copy_n(g_ + j * rows_, rows_, to_g_ + j * rows_);
      }
    }

   private:
    /// Columns up to this length are chosen element by element: calling memmove costs more.
    static constexpr Index kShort = 8;

    void choose(const double* from, bool accepted, double* to) const {
      for (Index i = 0; i < rows_; ++i) to[i] = accepted ? from[i] : to[i];
    }

    Index rows_;
    const double* theta_;
    const double* g_;
    const double* u_;
    double* to_theta_;
    double* to_g_;
    double* to_u_;
  };

  static void note_divergence(Block& block, Index j) {
    const double error = block.out_row(energy_error)(j);
    block.report(trouble(j, block.in_row(u_end)(j), block.in(g_end), error), block.in(theta));
    if (!std::isfinite(error)) block.out_row(acceptance)(j) = 0.0;
  }
};

/// Inputs: register, acceptance probabilities. Output: the register's next version.
class LearnBody final : public Body {
 public:
  explicit LearnBody(DualAveraging learner) : learner_(std::move(learner)) {}
  void run(Block& block) const override {
    MatrixMap state = block.out(0);
    if (state.data() != block.in(0).data()) state = block.in(0);
    const ConstMatrixMap acceptance = block.in(1);
    if (state.cols() == acceptance.cols()) return learner_.update(state, acceptance);
    MatrixMap mean = block.scratch().matrix(1, 1);
    mean(0, 0) = acceptance.mean();
    learner_.update(state, mean);
  }

 private:
  DualAveraging learner_;
};

class Hamiltonian final : public Kernel {
 public:
  using Params = ::Params;

  explicit Hamiltonian(const Params& params)
      : params_(params),
        coupling_(params.estimator->representation()->is_identity()
                      ? Coupling::none
                      : coupling_from(params.coupling)) {
    check_interval("step_size_jitter", params.step_size_jitter, false);
    check_interval("steps_jitter", params.steps_jitter, true);
    if (params.target_acceptance && !params.metropolis) {
      throw ParameterError("target_acceptance",
                           "there is no acceptance to learn from without metropolis = true");
    }
    if (params.pool && !params.target_acceptance) {
      throw ParameterError("pool", "nothing is learnt without target_acceptance");
    }
  }

  void describe(KernelGraph& graph, const Site& site) const override {
    Parts parts = prepare(graph, site);
    if (params_.metropolis) {
      propose_and_accept(graph, site, parts);
    } else {
      move(graph, site, parts);
    }
    record(graph, site, "step_size", parts.eps, RecordType::real, "time", "eps of the transition");
    record(graph, site, "n_steps", parts.steps, RecordType::integer, "", "integrator steps");
  }

 private:
  struct Parts {
    Value law;
    Value curvature;
    Value momentum_law;
    Variable momentum;
    Variable learnt{};
    Value eps;
    Value steps;
    Cached at;
  };

  bool learns() const { return params_.target_acceptance.has_value(); }

  Parts prepare(KernelGraph& graph, const Site& site) const {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    Parts parts;
    parts.law = params_.oracle->law(graph, path + "/oracle", site.target);
    parts.curvature = fitted_curvature(graph, path, params_.estimator, d, site.memory);
    parts.momentum = graph.auxiliary(path + "/momentum", d);
    parts.momentum_law =
        graph.view(path + "/momentum-law",
                   std::make_shared<MomentumLaw>(coupling_, params_.estimator->representation()),
                   parts.curvature);
    parts.at = graph.evaluation(parts.law, site.slot);
    if (learns()) {
      const DualAveraging learner(params_.step_size, *params_.target_acceptance);
      parts.learnt = graph.history(path + "/step-size-learner", learner.initial(),
                                   learner.forgets(), params_.pool ? Scope::run : Scope::replicate);
    }
    add_step(graph, site, parts);
    add_momentum_refresh(graph, path + "/refresh", parts.momentum, parts.momentum_law);
    return parts;
  }

  void add_step(KernelGraph& graph, const Site& site, Parts& parts) const {
    const bool jittered = params_.step_size_jitter || params_.steps_jitter;
    std::vector<Input> inputs;
    if (learns()) inputs.push_back({graph.current(parts.learnt), Role::parameter});
    if (jittered) inputs.push_back({graph.noise(site.path + "/jitter"), Role::noise});
    const Index row =
        site.phase == PhaseKind::warmup ? DualAveraging::log_eps : DualAveraging::log_eps_bar;
    const auto out = graph.add(
        site.path + "/step", OperationKind::pure, {}, std::move(inputs),
        {Output::derived(site.path + "/eps", 1), Output::derived(site.path + "/steps", 1)},
        std::make_shared<StepBody>(params_, learns(), row, jittered));
    parts.eps = out[0];
    parts.steps = out[1];
  }

  std::vector<Input> move_inputs(const KernelGraph& graph, const Site& site,
                                 const Parts& parts) const {
    return {{graph.current(site.slot), Role::state},
            {graph.current(parts.momentum), Role::state},
            {parts.law, Role::law},
            {parts.at.u, Role::evaluation},
            {parts.at.g, Role::evaluation},
            {parts.eps, Role::parameter},
            {parts.steps, Role::parameter},
            {parts.curvature, Role::position_coupling},
            {parts.curvature, Role::momentum_coupling}};
  }

  void propose_and_accept(KernelGraph& graph, const Site& site, const Parts& parts) const {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    const auto end =
        graph.add(path + "/trajectory", OperationKind::move, params_.integrator->traits(),
                  move_inputs(graph, site, parts),
                  {Output::derived(path + "/theta*", d), Output::derived(path + "/p*", d),
                   Output::derived(path + "/u*", 1), Output::derived(path + "/g*", d)},
                  std::make_shared<ProposeBody>(params_.integrator, coupling_));
    const auto out = graph.add(
        path + "/accept", OperationKind::accept, {},
        {{graph.current(site.slot), Role::state},
         {graph.current(parts.momentum), Role::state},
         {end[0], Role::proposed},
         {end[1], Role::proposed},
         {parts.law, Role::law},
         {parts.momentum_law, Role::law},
         {parts.at.u, Role::evaluation},
         {parts.at.g, Role::evaluation},
         {end[2], Role::evaluation},
         {end[3], Role::evaluation},
         {graph.noise(path + "/accept"), Role::noise}},
        {Output::next(site.slot), Output::evaluation(path + "/u", 1, parts.law, site.slot),
         Output::evaluation(path + "/g", d, parts.law, site.slot),
         Output::derived(path + "/acceptance", 1), Output::derived(path + "/energy", 1),
         Output::derived(path + "/energy_error", 1), Output::derived(path + "/diverging", 1)},
        std::make_shared<AcceptBody>());
    record(graph, site, "acceptance_rate", out[AcceptBody::acceptance], RecordType::real, "",
           "Metropolis acceptance probability");
    record(graph, site, "energy", out[AcceptBody::energy], RecordType::real, "nats",
           "Hamiltonian of the state that was kept");
    record(graph, site, "energy_error", out[AcceptBody::energy_error], RecordType::real, "nats",
           "Hamiltonian at the end of the trajectory minus that at its start");
    record(graph, site, "diverging", out[AcceptBody::diverging], RecordType::boolean, "",
           "energy error above 1000 nats or not finite");
    if (learns() && site.phase == PhaseKind::warmup) {
      learn(graph, site, parts, out[AcceptBody::acceptance]);
    }
  }

  void move(KernelGraph& graph, const Site& site, const Parts& parts) const {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    const auto out = graph.add(
        path + "/trajectory", OperationKind::move, params_.integrator->traits(),
        move_inputs(graph, site, parts),
        {Output::next(site.slot), Output::evaluation(path + "/u", 1, parts.law, site.slot),
         Output::evaluation(path + "/g", d, parts.law, site.slot),
         Output::derived(path + "/diverging", 1)},
        std::make_shared<UnadjustedBody>(params_.integrator, coupling_));
    record(graph, site, "diverging", out[3], RecordType::boolean, "",
           "the trajectory ended where U or its gradient is not finite, and was dropped");
  }

  void learn(KernelGraph& graph, const Site& site, const Parts& parts, Value acceptance) const {
    const DualAveraging learner(params_.step_size, *params_.target_acceptance);
    graph.add(site.path + "/learn", OperationKind::observe, {},
              {{graph.current(parts.learnt), Role::state}, {acceptance, Role::parameter}},
              {Output::next(parts.learnt)}, std::make_shared<LearnBody>(learner));
  }

  static void record(KernelGraph& graph, const Site& site, std::string name, Value value,
                     RecordType type, std::string unit, std::string help) {
    graph.record({RecordGroup::sample_stats,
                  std::move(name),
                  {},
                  type,
                  std::move(unit),
                  std::move(help),
                  site.number,
                  value,
                  0});
  }

  Params params_;
  Coupling coupling_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Hamiltonian>(
      {.id = "hamiltonian",
       .summary = "Hamiltonian Monte Carlo with static trajectories",
       .details =
           "Each transition redraws p ~ N(0, M), follows theta' = A M^-1 p, p' = -A' grad U for L "
           "steps of eps, and accepts the end with probability min(1, exp(H_start - H_end)), "
           "H = U(theta) + 1/2 p' M^-1 p (a published QNHMC prints the sign of this ratio "
           "reversed). eps may be fixed, jittered, or learnt in warm-up; L fixed or jittered.",
       .sources = {"Duane, Kennedy, Pendleton & Roweth 1987, Phys. Lett. B 195",
                   "Neal 2011, MCMC using Hamiltonian dynamics",
                   "Hoffman & Gelman 2014, section 3.2 (dual averaging)"}});
}
