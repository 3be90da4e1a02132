// Operations that move a slot along an integrator's flow.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/error.hpp>
#include <mixwell/kernel/flow.hpp>
#include <mixwell/kernel/position.hpp>
#include <mixwell/law/portions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell {
namespace {

using namespace edge;

MatrixMap repeated(const edge::StepSize& eps, Index rows, Workspace& scratch) {
  MatrixMap step = scratch.matrix(rows, eps.cols());
  for (Index j = 0; j < step.cols(); ++j) std::fill_n(step.data() + j * rows, rows, eps(j));
  return step;
}

/// Makes one step at a time and keeps the last points. If there are more steps than kept points, it
/// also keeps the start. All columns take the same number of steps. On entry u holds U at the
/// start.
class FollowAndKeep {
 public:
  FollowAndKeep(const Integrator& integrator, MatrixMap path, Index points)
      : integrator_(integrator), path_(path), points_(points) {}

  void operator()(PhasePoint point, std::int64_t count, const Motion& motion, Row u) {
    const Index left_out = count + 1 - points_;
    if (left_out == 0) keep(0, point, u);
    for (Index step = 0; step < count; ++step) {
      Motion one = motion;
      one.steps_before = static_cast<std::uint32_t>(step);
      integrator_.advance(point, 1, one, u.data());
      if (step + 1 >= left_out) keep(step + 1 - left_out, point, u);
    }
  }

 private:
  void keep(Index k, const PhasePoint& point, Row u) {
    const Index d = point.theta.rows();
    const Index row = path_rows(d, k);
    path_.row(row) = u;
    path_.middleRows(row + 1, d) = point.theta;
    path_.middleRows(row + 1 + d, d) = point.g;
  }

  const Integrator& integrator_;
  MatrixMap path_;
  Index points_;
};

class Propose {
 public:
  const Component& acts_for() const noexcept { return *integrator_; }
  Propose(const FlowMove& flow, Index points)
      : integrator_(flow.integrator), coupling_(flow.coupling), points_(points) {}

  void operator()(Columns& block, Position theta, Momentum p, edge::Law law, edge::StepSize eps,
                  StepCount steps, PositionCoupling A, edge::Potential<Here> u, Gradient<Here> g,
                  std::optional<MomentumCoupling>, Out<Proposed<Position>> theta_end,
                  Out<Proposed<Momentum>> p_end, Out<edge::Potential<There>> u_end,
                  Out<Gradient<There>> g_end, std::optional<Out<Way>> path) const {
    flat(theta_end) = flat(theta);
    flat(p_end) = flat(p);
    flat(g_end) = flat(g);
    const Flow flow(coupling_, A);
    const MatrixMap step = repeated(eps, theta.rows(), block.scratch());
    const Motion motion{law, flow, ConstMatrixMap(step.data(), step.rows(), step.cols()),
                        block.scratch()};
    if (!path) return follow(*integrator_, {theta_end, p_end, g_end}, steps, motion, u_end.data());
    u_end = u;
    FollowAndKeep(*integrator_, *path, points_)({theta_end, p_end, g_end},
                                                static_cast<std::int64_t>(steps(0)), motion, u_end);
  }

 private:
  std::shared_ptr<const Integrator> integrator_;
  Coupling coupling_;
  Index points_;
};

enum class Moved { diverging };
constexpr StatisticTable<Moved, 1> moved_statistics{
    {{Moved::diverging,
      {"diverging", RecordType::boolean, "",
       "whether the trajectory was dropped because U or grad U was not finite at the end of the "
       "trajectory"}}}};

/// The end of a trajectory. p is used only if there is a momentum.
struct TrajectoryEnd {
  MatrixMap theta;
  MatrixMap p;
  MatrixMap g;
  RowMap u;
};

/// Whether the chain can continue from column j of the end. If U and its gradient are not kept,
/// they may not have been computed at the end.
bool is_fine(Columns& block, const Position& start, const TrajectoryEnd& end, bool with_gradient,
             Index j) {
  const bool here = with_gradient ? std::isfinite(end.u(j)) && end.g.col(j).allFinite()
                                  : end.theta.col(j).allFinite() &&
                                        (end.p.cols() == 0 || end.p.col(j).allFinite());
  if (!here)
    block.report(with_gradient ? trouble(j, end.u(j), end.g, 0.0) : lost(j, end.theta), start);
  return on_all_rows(start.divided_rows(), here);
}

class Move {
 public:
  const Component& acts_for() const noexcept { return *integrator_; }
  explicit Move(const FlowMove& flow) : integrator_(flow.integrator), coupling_(flow.coupling) {}

  void operator()(Columns& block, Position theta, std::optional<Momentum> p, edge::Law law,
                  edge::StepSize eps, StepCount steps, std::optional<PositionCoupling> A,
                  std::optional<edge::Potential<Here>> u, std::optional<Gradient<Here>> g,
                  std::optional<MomentumCoupling>, std::optional<Drift> drift,
                  std::optional<Diffusion>, std::optional<Noise> noise,
                  std::optional<DriftCorrection> gamma, std::optional<Friction>,
                  std::optional<AuxiliaryLaw<Here>>, Out<Position> next,
                  Statistics<Moved> statistics, std::optional<Out<Momentum>> next_p,
                  std::optional<Out<edge::Potential<Next>>> next_u,
                  std::optional<Out<Gradient<Next>>> next_g) const {
    Workspace& scratch = block.scratch();
    const Index d = theta.rows();
    const Index w = theta.cols();
    TrajectoryEnd end{scratch.matrix(d, w), scratch.matrix(d, p ? w : 0), scratch.matrix(d, w),
                      scratch.row(w)};
    flat(end.theta) = flat(theta);
    if (p) flat(end.p) = flat(*p);
    if (g) flat(end.g) = flat(*g);
    const MatrixMap step = repeated(eps, d, scratch);
    const Flow flow(coupling_, A ? mixwell::Preconditioner(*A) : mixwell::Preconditioner(*drift));
    Motion motion{law, flow, ConstMatrixMap(step.data(), d, w), scratch};
    std::optional<Noise::PerStep> normals;
    if (noise) motion.noise = &normals.emplace(noise->per_step());
    if (gamma) new (&motion.drift_correction) ConstMatrixMap(*gamma);
    motion.end_gradient = next_u.has_value();
    follow(*integrator_, {end.theta, end.p, end.g}, steps, motion, next_u ? end.u.data() : nullptr);
    begin(theta, next);
    if (next_u) begin(*u, *next_u);
    if (next_g) begin(*g, *next_g);
    for (Index j = 0; j < w; ++j) {
      const bool fine = is_fine(block, theta, end, next_u.has_value(), j);
      statistics[Moved::diverging](j) = fine ? 0.0 : 1.0;
      if (fine) next.col(j) = end.theta.col(j);
      if (fine && next_u) (*next_u)(j) = end.u(j);
      if (fine && next_g) next_g->col(j) = end.g.col(j);
      if (next_p && fine) next_p->col(j) = end.p.col(j);
      if (next_p && !fine) next_p->col(j) = -p->col(j);
    }
  }

 private:
  std::shared_ptr<const Integrator> integrator_;
  Coupling coupling_;
};

/// The number of points of a trajectory that the site's history stores. 0 if the history stores
/// none, or stores only the end because the number of steps varies.
Index path_points(const Transition& t, const FlowMove& flow) {
  const Site& site = t.site();
  if (site.remember != Remember::path && site.remember != Remember::updates) return 0;
  if (flow.fixed_steps == 0) return 0;
  if (site.remember == Remember::updates) return flow.fixed_steps + 1;
  return std::min<Index>(flow.fixed_steps, site.history.points);
}

Traits traits_of(const FlowMove& flow) {
  Traits traits = flow.integrator->traits();
  traits.local = traits.local || flow.fixed_steps == 1;
  return traits;
}

/// Checks that the oracle offers the gradient noise that the integrator needs.
void check_noise(const Transition& t, const FlowMove& flow) {
  if (!flow.integrator->wants_gradient_noise()) return;
  const auto how = t.graph().potential(flow.law.value);
  if (how != nullptr && how->as_noise() != nullptr) return;
  throw InputError(fmt::format(
      "kernel `{}`: integrator `{}` needs an estimate of the gradient noise, but oracle `{}` "
      "offers none. Use an oracle with minibatches of at least 2 cases, or an integrator that does "
      "not need this estimate.",
      t.site().path, flow.integrator->name(), t.oracle() == nullptr ? "" : t.oracle()->name()));
}

template <class Meaning, class From>
std::optional<Edge<Meaning>> only_if(bool wanted, Edge<From> edge) {
  return wanted ? std::optional(Edge<Meaning>{edge.value}) : std::nullopt;
}

template <class Meaning>
std::optional<Write<Meaning>> only_if(bool wanted, Write<Meaning> write) {
  return wanted ? std::optional(std::move(write)) : std::nullopt;
}

}  // namespace

Proposal propose_along(Transition& t, const FlowMove& flow) {
  flow.integrator->check(t.dimension());
  const Index points = path_points(t, flow);
  const Index d = t.dimension();
  const auto at = t.evaluation(flow.law);
  const bool symmetric = flow.coupling != Coupling::one_sided;
  const auto [theta, p, u, g, path] =
      t.add("trajectory", OperationKind::move, traits_of(flow), Propose(flow, points), t.position(),
            flow.momentum->p, flow.law, flow.eps, flow.steps, Edge<PositionCoupling>{flow.H.value},
            at.u, at.g, only_if<MomentumCoupling>(symmetric, flow.H),
            t.derived<Proposed<Position>>("theta*", d), t.derived<Proposed<Momentum>>("p*", d),
            t.derived<edge::Potential<There>>("u*", 1), t.derived<Gradient<There>>("g*", d),
            only_if(points > 0, t.derived<Way>("path", path_rows(d, points))));
  if (path) t.remember(path->value);
  Proposal proposal{theta, EvaluationAt<There>{u, g}};
  proposal.auxiliaries = {Transition::proposed(*flow.momentum, p, flow.redraw)};
  proposal.has_energy = true;
  proposal.trajectory = TrajectoryEdges{theta, p, flow.coupling, flow.H};
  return proposal;
}

void move_along(Transition& t, const FlowMove& flow) {
  flow.integrator->check(t.dimension());
  check_noise(t, flow);
  const bool damped = !flow.momentum;
  const bool constant = t.graph().is_constant(flow.law.value);
  const Integrator& by = *flow.integrator;
  // An exact gradient is already known at the start. A noisy gradient is drawn only if the scheme
  // reads it.
  std::optional<EvaluationAt<Here>> at;
  if (by.starts_with_gradient() || constant) at = t.evaluation(flow.law);
  const bool symmetric = !damped && flow.coupling != Coupling::one_sided;
  const bool carried = !damped && flow.redraw.carries();
  std::optional<Edge<edge::Potential<Here>>> u;
  std::optional<Edge<Gradient<Here>>> g;
  if (at) u = at->u, g = at->g;
  std::optional<Edge<Momentum>> p;
  std::optional<Edge<AuxiliaryLaw<Here>>> momentum_law;
  std::optional<Write<Momentum>> next_p;
  if (!damped) {
    p = flow.momentum->p;
    momentum_law = Edge<AuxiliaryLaw<Here>>{flow.momentum->law.value};
    if (carried) next_p = Write<Momentum>{Output::next(flow.momentum->variable)};
  }
  std::optional<Edge<Noise>> noise;
  if (by.has_noise()) noise = t.noise(damped ? "step" : "trajectory");
  std::optional<Edge<Friction>> friction;
  if (by.has_friction()) friction = {t.graph().constant(t.path("friction"), nullptr)};
  t.add(damped ? "step" : "trajectory", OperationKind::move, traits_of(flow), Move(flow),
        t.position(), p, flow.law, flow.eps, flow.steps, only_if<PositionCoupling>(!damped, flow.H),
        u, g, only_if<MomentumCoupling>(symmetric, flow.H), only_if<Drift>(damped, flow.H),
        only_if<Diffusion>(damped, flow.H), noise, t.drift_correction(), friction, momentum_law,
        t.next(), t.statistics(moved_statistics), next_p,
        only_if(constant, t.next_potential(flow.law)),
        only_if(constant, t.next_gradient(flow.law)));
}

}  // namespace mixwell
