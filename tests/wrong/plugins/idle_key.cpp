// A right walk with a key that nothing reads, and one that is read with one shape of the step
// alone.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>
#include <string>

namespace {

using namespace mixwell;

class IdleKey final : public TransitionKernel {
 public:
  struct Params {
    double scale = 0.5;
    double boldness = 1.0;
    std::string shape = "round";
    double length = 3.0;

    void declare(Fields& fields) {
      fields.number("scale", scale).above(0).help("standard deviation of a step");
      fields.number("boldness", boldness).above(0).help("read by nobody");
      fields.text("shape", shape)
          .one_of({"round", "long"})
          .help("long: the first coordinate's step is `length` times as long");
      fields.number("length", length).above(0).help("idle where the shape is round, unsaid");
    }
  };
  explicit IdleKey(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    const double first = params_.shape == "long" ? params_.length : 1.0;
    const auto end = t.propose_symmetric(
        [scale = params_.scale, first](edge::Position theta, edge::Noise noise,
                                       edge::ProposedPosition to) {
          noise.normals(to);
          to.row(0) *= first;
          to = theta + scale * to;
        },
        t.position(), t.noise("propose"));
    t.metropolis(t.target(), end);
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<IdleKey>({.id = "idle-key", .summary = "a walk with keys that do nothing"});
}
