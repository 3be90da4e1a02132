// The leapfrog (Stoermer-Verlet) scheme for the whole family theta' = A M^-1 p, p' = -A' grad U.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

/// p -= (scale * eps) o A' g
void kick(PhasePoint& point, double scale, const Motion& motion) {
  if (motion.flow.force_is_gradient()) {
    flat(point.p) -= (scale * flat(motion.eps)) * flat(point.g);
    return;
  }
  const Workspace::Frame frame(motion.scratch);
  MatrixMap force = motion.scratch.matrix(point.g.rows(), point.g.cols());
  motion.flow.force(point.g, force, motion.scratch);
  flat(point.p) -= (scale * flat(motion.eps)) * flat(force);
}

/// theta += eps o A M^-1 p
void drift(PhasePoint& point, const Motion& motion) {
  if (motion.flow.velocity_is_momentum()) {
    flat(point.theta) += flat(motion.eps) * flat(point.p);
    return;
  }
  const Workspace::Frame frame(motion.scratch);
  MatrixMap velocity = motion.scratch.matrix(point.p.rows(), point.p.cols());
  motion.flow.velocity(point.p, velocity, motion.scratch);
  flat(point.theta) += flat(motion.eps) * flat(velocity);
}

/// p -= eps o g; theta += eps o p in one pass over memory, if both maps are the identity.
void kick_and_drift(PhasePoint& point, const Motion& motion) {
  const Index n = point.theta.size();
  double* __restrict theta = point.theta.data();
  double* __restrict p = point.p.data();
  const double* __restrict g = point.g.data();
  const double* __restrict eps = motion.eps.data();
  for (Index k = 0; k < n; ++k) {
    p[k] -= eps[k] * g[k];
    theta[k] += eps[k] * p[k];
  }
}

/// A half kick, then alternating drifts and full kicks, then a half kick. Beyond the gradient, a
/// step costs O(d) operations for each column. With a preconditioner it also costs one or two
/// products.
class Leapfrog final : public Integrator {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit Leapfrog(const Params&) {}

  static Traits declared() {
    Traits traits;
    traits.involution = true;
    traits.volume = true;
    traits.order = 2;
    return traits;
  }
  Traits traits() const override { return declared(); }
  std::int64_t gradients(std::int64_t steps) const noexcept override { return steps; }

  void advance(PhasePoint point, std::int64_t steps, const Motion& motion,
               double* u) const override {
    const bool plain = motion.flow.velocity_is_momentum() && motion.flow.force_is_gradient();
    kick(point, 0.5, motion);
    drift(point, motion);
    for (std::int64_t step = 1; step < steps; ++step) {
      motion.law.evaluate(point.theta,
                          {nullptr, point.g, motion.scratch, evaluation(step, motion)});
      if (plain) {
        kick_and_drift(point, motion);
      } else {
        kick(point, 1.0, motion);
        drift(point, motion);
      }
    }
    motion.law.evaluate(point.theta, {u, point.g, motion.scratch, evaluation(steps, motion)});
    kick(point, 0.5, motion);
  }

 private:
  /// Index of the gradient after this many steps. Noise is drawn again for each index.
  static std::uint32_t evaluation(std::int64_t steps, const Motion& motion) noexcept {
    return motion.steps_before + static_cast<std::uint32_t>(steps);
  }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Leapfrog>(
      {.id = "leapfrog",
       .summary = "Second-order, reversible, volume-preserving steps",
       .details = "p -= eps/2 A' grad U(theta); theta += eps A M^-1 p; p -= eps/2 A' grad "
                  "U(theta). A step costs one gradient. The kernel's coupling gives A and M.",
       .sources = {"Duane, Kennedy, Pendleton & Roweth 1987, Phys. Lett. B 195",
                   "Chen, Fox & Guestrin 2014, Algorithm 1 (the paper ends with a full kick and "
                   "a half kick, but the last kick must be only a half kick)"}});
}
