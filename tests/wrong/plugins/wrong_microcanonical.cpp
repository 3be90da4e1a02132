// Microcanonical Langevin dynamics without Metropolis (Robnik & Seljak 2023), and one mistake of
// choice.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/isokinetic_kick.hpp"
#include "wrong/mistake.hpp"
#include "wrong/uniform_on_sphere.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

class WrongMicrocanonical final : public TransitionKernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    double step_size = 0.5;
    double length = 2.0;
    void declare(Fields& fields) {
      mistake.declare(fields, {"dimension", "uneven", "off-sphere"});
      fields.number("step_size", step_size).above(0).refines(Refines::step_size).help("eps");
      fields.number("length", length).above(0).help("after which the direction is forgotten");
    }
  };
  explicit WrongMicrocanonical(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    KernelGraph& graph = t.graph();
    const auto law = t.target();
    const Variable v =
        graph.auxiliary(t.path("direction"), t.dimension(), {.space = Space::sphere});
    const Edge<edge::LawOf<wrong::UniformOnSphere>> sphere{
        graph.constant(t.path("sphere"), std::make_shared<wrong::UniformOnSphere>())};
    const auto turned = refresh(t, Edge<edge::Auxiliary>{graph.current(v)}, sphere, v);
    const auto at = t.evaluation(law);
    Traits traits;
    traits.order = 2;
    traits.local = true;
    t.add(
        "step", OperationKind::move, traits,
        [eps = params_.step_size, more = params_.mistake.is("dimension") ? 1.0 : 0.0](
            Columns& block, edge::Position theta, edge::Auxiliary from, edge::Law u,
            edge::LawOf<wrong::UniformOnSphere>, edge::Gradient<edge::Here> g,
            edge::Out<edge::Position> next, edge::Out<edge::Auxiliary> v_next,
            edge::Out<edge::Potential<edge::Next>> u_next,
            edge::Out<edge::Gradient<edge::Next>> g_next) {
          const double n = static_cast<double>(theta.rows()) - 1.0 + more;
          MatrixMap x = block.scratch().matrix(theta.rows(), theta.cols());
          MatrixMap w = block.scratch().matrix(theta.rows(), theta.cols());
          MatrixMap gradient = block.scratch().matrix(theta.rows(), theta.cols());
          x = theta, w = from, gradient = g;
          kick(eps, n, gradient, w);
          x += eps * w;
          u.evaluate(x, {u_next.data(), gradient, block.scratch()});
          kick(eps, n, gradient, w);
          next = x, v_next = w, g_next = gradient;
        },
        t.position(), turned, law, sphere, at.g, t.next(), Write<edge::Auxiliary>{Output::next(v)},
        t.next_potential(law), t.next_gradient(law));
  }

 private:
  static void kick(double eps, double n, ConstBatch g, Batch v) {
    for (Index j = 0; j < v.cols(); ++j) {
      wrong::isokinetic_kick(0.5 * eps, n, g.col(j), v.col(j));
    }
  }

  /// v turns by as much as forgets it after `length`.
  Edge<edge::Auxiliary> refresh(Transition& t, Edge<edge::Auxiliary> before,
                                Edge<edge::LawOf<wrong::UniformOnSphere>> sphere,
                                Variable v) const {
    Traits traits;
    traits.keeps_law = true;
    traits.renews = true;
    const double angle = std::sqrt(std::expm1(2.0 * params_.step_size / params_.length));
    return t.add(
        "turn", OperationKind::refresh, traits,
        [angle, mistake = params_.mistake](edge::Auxiliary from,
                                           edge::LawOf<wrong::UniformOnSphere>, edge::Noise noise,
                                           edge::Out<edge::Auxiliary> to) {
          MatrixMap z = noise.normals(from.rows(), from.cols());
          if (mistake.is("uneven")) z.row(0) *= 1.5;
          for (Index j = 0; j < from.cols(); ++j) {
            const bool first = from.col(j).isZero();
            const double size = angle / std::sqrt(static_cast<double>(from.rows()));
            z.col(j) = from.col(j) + (first ? 1.0 : size) * z.col(j);
            to.col(j) = z.col(j) / (mistake.is("off-sphere") ? 1.01 : 1.0) / z.col(j).norm();
          }
        },
        before, sphere, t.noise("turn"), Write<edge::Auxiliary>{Output::next(v)});
  }

  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongMicrocanonical>(
      {.id = "wrong-microcanonical", .summary = "microcanonical dynamics, right or wrong"});
}
