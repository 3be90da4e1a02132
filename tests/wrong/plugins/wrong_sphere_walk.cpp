// A random walk along a direction on the sphere, and one mistake of choice.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"
#include "wrong/uniform_on_sphere.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// theta* = theta + eps v, |v| = 1, which comes back with -v.
class WrongSphereWalk final : public TransitionKernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    double step_size = 1.0;
    void declare(Fields& fields) {
      mistake.declare(fields, {"leaves", "stretched"});
      fields.number("step_size", step_size).above(0).refines(Refines::step_size).help("eps");
    }
  };
  explicit WrongSphereWalk(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    const auto law = t.target();
    const Variable v =
        t.graph().auxiliary(t.path("direction"), t.dimension(), {.space = Space::sphere});
    const Edge<edge::LawOf<wrong::UniformOnSphere>> uniform{
        t.graph().constant(t.path("uniform"), std::make_shared<wrong::UniformOnSphere>())};
    const auto direction = t.redraw<edge::Auxiliary>("draw", v, uniform);
    Traits traits;
    traits.involution = true;
    traits.volume = true;
    const auto [end, v_end] = t.add(
        "walk", OperationKind::move, traits,
        [eps = params_.step_size, mistake = params_.mistake](
            edge::Position theta, edge::Auxiliary from, edge::ProposedPosition to,
            edge::Out<edge::Proposed<edge::Auxiliary>> v_to) {
          to = theta + eps * from;
          v_to = from;
          if (mistake.is("leaves")) v_to *= 1.1;
          if (mistake.is("stretched")) {
            v_to.row(0) *= 1.2;
            v_to.colwise().normalize();
          }
        },
        t.position(), direction, t.derived<edge::Proposed<edge::Position>>("theta*", t.dimension()),
        t.derived<edge::Proposed<edge::Auxiliary>>("direction*", t.dimension()));
    t.metropolis(law, {.theta = end,
                       .auxiliaries = {{.variable = v, .end = v_end, .law = {uniform.value}}}});
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongSphereWalk>(
      {.id = "wrong-sphere-walk", .summary = "a walk along a unit vector, right or wrong"});
}
