// A random walk that may be biased, with keys that mend it and keys that only claim it is right.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

/// theta* = theta + s z; s = 1, or follows |theta|, which the ratio does not account for.
struct Step {
  void operator()(edge::Position theta, edge::StepSize s, edge::Noise noise,
                  edge::ProposedPosition to) const {
    to = noise.normals(to.rows(), to.cols());
    for (Index j = 0; j < to.cols(); ++j) to.col(j) *= s(j);
    to += theta;
  }
};

class HidingWalk final : public TransitionKernel {
 public:
  struct Params {
    bool follows = true;
    bool opaque = false;
    bool claims = true;

    void declare(Fields& fields) {
      fields.flag("follows", follows).help("whether the step size follows the position: wrong");
      fields.flag("opaque", opaque).help("one move that hides what it reads, declared invariant");
      fields.flag("claims", claims).help("whether the step declares its traits");
    }
  };
  explicit HidingWalk(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    if (params_.opaque) return hidden(t);
    t.metropolis(t.target(), proposal(t));
  }

 private:
  void hidden(Transition& t) const {
    t.add(
        "step", OperationKind::move, wrong::claims_exact(),
        [](edge::Position theta, edge::Law, edge::Noise, edge::Out<edge::Position> next) {
          edge::begin(theta, next);
        },
        t.position(), t.target(), t.noise("step"), t.next());
  }

  Proposal proposal(Transition& t) const {
    Traits traits;
    traits.involution = traits.volume = params_.claims;
    traits.flips = Flips::noise;
    const auto eps = params_.follows ? following(t) : fixed(t);
    return t.propose(traits, Step(), t.position(), eps, t.noise("propose"));
  }

  static Edge<edge::StepSize> following(Transition& t) {
    return t.add(
        "scale", OperationKind::pure, {},
        [](edge::PointPosition theta, edge::Out<edge::StepSize> s) {
          s = theta.colwise().norm().array() + 0.1;
        },
        Edge<edge::PointPosition>{t.position().value}, t.derived<edge::StepSize>("scale", 1));
  }

  static Edge<edge::StepSize> fixed(Transition& t) {
    return t.add(
        "scale", OperationKind::pure, {}, [](edge::Out<edge::StepSize> s) { s.setOnes(); },
        t.derived<edge::StepSize>("scale", 1));
  }

  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<HidingWalk>(
      {.id = "hiding-walk", .summary = "A random walk with keys that mend it and keys that claim"});
}
