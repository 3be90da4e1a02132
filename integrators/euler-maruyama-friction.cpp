// Stochastic-gradient Hamiltonian Monte Carlo: a first-order step with friction and noise.
// SPDX-License-Identifier: Apache-2.0
#include "euler-maruyama-friction/empirical.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <optional>
#include <sstream>
#include <string>

namespace mixwell::friction {
namespace {

/// Where D comes from: a number, or the noise that the gradient of this very step is estimated to
/// have.
enum class NoiseFrom { fixed, diagonal, full };

/// theta += eps A p; p += -eps A' g - eps F p + N(0, 2 eps (F - D)), g at the new theta. One
/// gradient a step, none at its start; O(d) beyond it and, with a curvature, two products.
///
/// With D^ = eps/2 A' V^ A estimated from the minibatch of g, the noise of p, given theta, is
/// e = -eps A' (g - grad U) + N(0, 2 eps (F - D^)). The normals are independent of the minibatch,
/// so that E e = 0 and Cov e = eps^2 A' V A + 2 eps (F - E D^) = 2 eps F for every estimate with E
/// V^ = V, although g and V^ share their cases: only the mean of D^ enters. An estimate counts as
/// one more gradient; beyond it "empirical-diagonal" costs O(d), "empirical-full" and either with a
/// curvature d^3/3 and 2 d products with A', in d^2 w numbers of scratch (twice with a curvature).
class EulerMaruyamaFriction final : public Integrator {
 public:
  struct Params {
    double friction = 1.0;
    std::optional<double> alpha{};
    double noise_estimate = 0.0;
    std::optional<double> beta{};
    std::string noise_from = "fixed";

    void declare(Fields& fields) {
      fields.number("friction", friction)
          .unit("1/time")
          .above(0)
          .help("F of dp = -grad U dt - F p dt + noise");
      fields.number("alpha", alpha)
          .above(0)
          .refines(Refines::step_size)
          .instead_of("friction")
          .help("eps F, the share of the momentum that a step loses");
      fields.number("noise_estimate", noise_estimate)
          .unit("1/time")
          .at_least(0)
          .refines(Refines::step_size)
          .help(
              "D, the noise that the gradient brings itself: eps V / 2 for a gradient of variance "
              "V, or 0. At most `friction`");
      fields.number("beta", beta)
          .at_least(0)
          .refines(Refines::step_size_squared)
          .instead_of("noise_estimate")
          .help("eps D, for use with alpha. At most `alpha`");
      fields.text("noise_from", noise_from)
          .one_of({"fixed", "empirical-diagonal", "empirical-full"})
          .help(
              "where D comes from: noise_estimate or beta; or eps V / 2 with V the covariance of "
              "the gradient's noise, its diagonal or all of it, estimated from each minibatch");
    }
  };

  explicit EulerMaruyamaFriction(const Params& params)
      : per_step_(params.alpha.has_value()),
        damping_(params.alpha.value_or(params.friction)),
        fixed_(params.beta.value_or(params.noise_estimate)),
        noise_from_(params.noise_from == "fixed"                ? NoiseFrom::fixed
                    : params.noise_from == "empirical-diagonal" ? NoiseFrom::diagonal
                                                                : NoiseFrom::full) {
    check_notation(params);
    if (estimates() && fixed_ > 0.0) {
      throw ParameterError("noise_from",
                           "estimates D from each minibatch, and noise_estimate or beta gives it; "
                           "leave those out, or set noise_from = \"fixed\"");
    }
    if (fixed_ > damping_) {
      throw ParameterError(params.beta ? "beta" : "noise_estimate",
                           std::string("is above `") + (per_step_ ? "alpha" : "friction") +
                               "`: the noise of the gradient alone would heat the momentum; raise "
                               "it, take larger minibatches or a smaller eps");
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
  bool wants_gradient_noise() const noexcept override { return estimates(); }
  std::int64_t gradients(std::int64_t steps) const noexcept override {
    return estimates() ? 2 * steps : steps;
  }

  void advance(PhasePoint point, std::int64_t steps, const Motion& motion,
               double* u) const override {
    const Workspace::Frame frame(motion.scratch);
    const Index d = point.theta.rows();
    const Index w = point.theta.cols();
    MatrixMap velocity = motion.scratch.matrix(d, w);
    MatrixMap force = motion.scratch.matrix(d, w);
    MatrixMap z = motion.scratch.matrix(d, w);
    MatrixMap loss = motion.scratch.matrix(d, w);  // eps F
    const auto eps = flat(motion.eps);
    set_per_step(loss, motion.eps, damping_);
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto before = motion.steps_before + static_cast<std::uint32_t>(step);
      const bool last = step + 1 == steps;
      motion.flow.velocity(point.p, velocity, motion.scratch);
      flat(point.theta) += eps * flat(velocity);
      motion.law.evaluate(point.theta, {last ? u : nullptr, point.g, motion.scratch, before + 1});
      motion.flow.force(point.g, force, motion.scratch);
      motion.noise->normals(z, before);
      inject({point.theta, loss, motion, before + 1}, z);
      flat(point.p) += flat(z) - eps * flat(force) - flat(loss) * flat(point.p);
    }
  }

 private:
  void check_notation(const Params& params) const {
    if (params.beta && !params.alpha) {
      throw ParameterError("beta", "goes with `alpha`; with `friction` give noise_estimate");
    }
    if (params.alpha && params.noise_estimate > 0.0) {
      throw ParameterError("noise_estimate", "goes with `friction`; with `alpha` give beta");
    }
  }

  bool estimates() const noexcept { return noise_from_ != NoiseFrom::fixed; }

  /// out = eps x for x = F or D; alpha and beta are that already.
  void set_per_step(MatrixMap out, ConstMatrixMap eps, double x) const {
    if (per_step_) {
      out.setConstant(x);
    } else {
      flat(out) = x * flat(eps);
    }
  }

  /// z becomes N(0, 2 eps (F - D)).
  void inject(const friction::StepEnd& step, MatrixMap z) const {
    if (!estimates()) return inject_fixed(step, z);
    const bool whole = noise_from_ == NoiseFrom::full;
    const auto excess = !whole && step.motion.flow.force_is_gradient()
                            ? friction::scale_by_diagonal(step, z)
                            : friction::scale_by_matrix(step, whole, z);
    if (excess) too_little(*excess);
  }

  void inject_fixed(const friction::StepEnd& step, MatrixMap z) const {
    const Workspace::Frame frame(step.motion.scratch);
    MatrixMap spare = step.motion.scratch.matrix(z.rows(), z.cols());
    set_per_step(spare, step.motion.eps, damping_ - fixed_);
    flat(z) *= (2.0 * flat(spare)).sqrt();
  }

  [[noreturn]] void too_little(const friction::Excess& excess) const {
    std::ostringstream text;
    text << "integrator `" << name() << "`: " << (per_step_ ? "alpha" : "friction") << " = "
         << damping_
         << " is too small for the noise that a minibatch's gradient was estimated to bring, "
         << (per_step_ ? "beta = eps^2 V / 2 = " : "D = eps V / 2 = ")
         << (per_step_ ? excess.eps * excess.largest : excess.largest)
         << " in its largest direction at eps = " << excess.eps
         << "; it must be at least that, or the momentum is heated: raise "
         << (per_step_ ? "alpha" : "friction")
         << ", take larger minibatches or a smaller step size";
    throw InputError(text.str());
  }

  bool per_step_;   ///< alpha and beta are given, else F and D
  double damping_;  ///< F or alpha
  double fixed_;    ///< D or beta; 0 where it is estimated
  NoiseFrom noise_from_;
};

}  // namespace
}  // namespace mixwell::friction

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::friction::EulerMaruyamaFriction>(
      {.id = "euler-maruyama-friction",
       .summary = "first-order steps with friction and noise (SGHMC)",
       .details =
           "theta += eps A p; p += -eps A' grad U(theta) - eps F p + N(0, 2 eps (F - D)), for p ~ "
           "N(0, I); (A, M) from the kernel's coupling, which must leave M = I. With v = eps p, "
           "eta = eps^2, alpha = eps F and beta = eps D this is v += -eta grad U - alpha v + N(0, "
           "2 (alpha - beta) eta): give friction and noise_estimate, or alpha and beta (and "
           "learning_rate = eta for the kernel's step size). D may also be estimated in each step, "
           "eps A' V A / 2 with V from the empirical Fisher information of the minibatch that the "
           "gradient is from, which costs about one more gradient; the run ends with an error "
           "where friction is too small for it. For kernels without Metropolis: the error is of "
           "order eps.",
       .sources = {"Chen, Fox & Guestrin 2014, ICML, equations 13 to 15 (their eq. 15 and the text "
                   "before it have the two notations)",
                   "Ahn, Korattikara & Welling 2012, ICML (empirical Fisher information)"}});
}
