// Overdamped Langevin dynamics: gradient descent with matching noise.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

/// theta += A (sqrt(2 eps) z - eps A' g) + eps Gamma. With A = S this is -eps (H g - Gamma) +
/// sqrt(2 eps) S z. A step costs one gradient and does not change p.
class EulerMaruyama final : public Integrator, public RowByRow {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit EulerMaruyama(const Params&) {}

  static Traits declared() {
    Traits traits;
    traits.order = 1;
    traits.local = true;
    return traits;
  }
  Traits traits() const override { return declared(); }
  bool has_noise() const noexcept override { return true; }
  bool takes_drift_correction() const noexcept override { return true; }
  std::int64_t gradients(std::int64_t steps) const noexcept override { return steps; }

  void advance(PhasePoint point, std::int64_t steps, const Motion& motion,
               double* u) const override {
    const Workspace::Frame frame(motion.scratch);
    const Index d = point.theta.rows();
    const Index w = point.theta.cols();
    MatrixMap force = motion.scratch.matrix(d, w);
    MatrixMap z = motion.scratch.matrix(d, w);
    const auto eps = flat(motion.eps);
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto before = motion.steps_before + static_cast<std::uint32_t>(step);
      const bool last = step + 1 == steps;
      motion.flow.force(point.g, force, motion.scratch);
      motion.noise->normals(z, before);
      flat(z) = (2.0 * eps).sqrt() * flat(z) - eps * flat(force);
      motion.flow.velocity(z, force, motion.scratch);
      flat(point.theta) += flat(force);
      if (motion.drift_correction.size() > 0)
        flat(point.theta) += eps * flat(motion.drift_correction);
      if (last && !motion.end_gradient) return;
      motion.law.evaluate(point.theta, {last ? u : nullptr, point.g, motion.scratch, before + 1});
    }
  }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<EulerMaruyama>(
      {.id = "euler-maruyama",
       .summary = "Overdamped Langevin steps (SGLD)",
       .details =
           "theta+ = theta - eps (H grad U - Gamma) + sqrt(2 eps) S z with S S' = H, z ~ "
           "N(0, I). The papers on HAMCMC and SGHMC use the same eps. Welling & Teh write eps / 2 "
           "and N(0, eps). The drift correction Gamma is added if H depends on theta. There is no "
           "momentum. The stationary distribution has an error of order eps.",
       .sources = {"Welling & Teh 2011, ICML",
                   "Simsekli, Badeau, Cemgil & Richard 2016, ICML, equation 6"}});
}
