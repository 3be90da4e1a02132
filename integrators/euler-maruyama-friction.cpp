// Stochastic-gradient Hamiltonian Monte Carlo: a first-order step with friction and noise.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/error.hpp>
#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// theta += eps A p; p += -eps A' g - eps C p + N(0, 2 eps (C - B)), g at the new theta. One
/// gradient a step, none at its start; O(d) beyond it and, with a curvature, two products.
class EulerMaruyamaFriction final : public Integrator {
 public:
  struct Params {
    double friction = 1.0;
    double noise_estimate = 0.0;

    void declare(Fields& fields) {
      fields.number("friction", friction)
          .unit("1/time")
          .above(0)
          .help("C of dp = -grad U dt - C p dt + noise; alpha = eps C in the other notation");
      fields.number("noise_estimate", noise_estimate)
          .unit("1/time")
          .at_least(0)
          .help(
              "B, the noise that the gradient brings itself: eps V / 2 for a gradient of variance "
              "V, or 0; beta = eps B in the other notation. At most `friction`");
    }
  };
  explicit EulerMaruyamaFriction(const Params& params)
      : friction_(params.friction), injected_(params.friction - params.noise_estimate) {
    if (injected_ < 0.0) {
      throw ParameterError("noise_estimate",
                           "is above `friction`: the noise of the gradient alone would heat the "
                           "momentum; raise friction, take larger minibatches or a smaller eps");
    }
  }

  static Traits declared() {
    Traits traits;
    traits.order = 1;
    return traits;
  }
  Traits traits() const override { return declared(); }
  bool has_noise() const noexcept override { return true; }
  bool has_friction() const noexcept override { return true; }
  bool starts_with_gradient() const noexcept override { return false; }
  std::int64_t gradients(std::int64_t steps) const noexcept override { return steps; }

  void advance(Phase phase, std::int64_t steps, const Motion& motion, double* u) const override {
    const Workspace::Frame frame(motion.scratch);
    const Index d = phase.theta.rows();
    const Index w = phase.theta.cols();
    MatrixMap velocity = motion.scratch.matrix(d, w);
    MatrixMap force = motion.scratch.matrix(d, w);
    MatrixMap z = motion.scratch.matrix(d, w);
    const auto eps = flat(motion.eps);
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto before = motion.steps_before + static_cast<std::uint32_t>(step);
      const bool last = step + 1 == steps;
      motion.flow.velocity(phase.p, velocity, motion.scratch);
      flat(phase.theta) += eps * flat(velocity);
      motion.law.evaluate(phase.theta, {last ? u : nullptr, phase.g, motion.scratch, before + 1});
      motion.flow.force(phase.g, force, motion.scratch);
      motion.noise->normals(z, before);
      flat(phase.p) += (2.0 * injected_ * eps).sqrt() * flat(z) - eps * flat(force) -
                       (friction_ * eps) * flat(phase.p);
    }
  }

 private:
  double friction_;
  double injected_;  ///< C - B
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<EulerMaruyamaFriction>(
      {.id = "euler-maruyama-friction",
       .summary = "first-order steps with friction and noise (SGHMC)",
       .details =
           "theta += eps A p; p += -eps A' grad U(theta) - eps C p + N(0, 2 eps (C - B)), for p ~ "
           "N(0, I); (A, M) from the kernel's coupling, which must leave M = I. With v = eps p, "
           "eta = eps^2, alpha = eps C and beta = eps B this is v += -eta grad U - alpha v + N(0, "
           "2 (alpha - beta) eta). For kernels without Metropolis: the error is of order eps.",
       .sources = {"Chen, Fox & Guestrin 2014, ICML, equations 13 to 15 (their eq. 15 and the text "
                   "before it have the two notations)"}});
}
