// Stochastic-gradient Hamiltonian Monte Carlo: a first-order step with friction and noise.
// SPDX-License-Identifier: Apache-2.0
#include "euler-maruyama-friction/friction.hpp"

#include <mixwell/plugin.hpp>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace mixwell::friction {
namespace {

/// The source of D: a given number, or the estimated noise of the gradient of the same step.
enum class NoiseFrom { fixed, diagonal, full };

/// theta += eps A v; p += -eps A' g - eps F v + N(0, 2 eps (F - D)), where v = M^-1 p is the
/// velocity before the step and g the gradient at the new theta. A step costs one gradient, and
/// needs no gradient at its start. Beyond the gradient it costs O(d) operations, two products if
/// there is a preconditioner, and 2 d^2 operations if F is a matrix.
///
/// If D^ = eps/2 A' V^ A is estimated from the minibatch of g, the noise of p given theta is e =
/// -eps A' (g - grad U) + N(0, 2 eps (F - D^)). The normals are independent of the minibatch, so E
/// e = 0 and Cov e = eps^2 A' V A + 2 eps (F - E D^) = 2 eps F for every estimate with E V^ = V,
/// although g and V^ share their cases: only the mean of D^ matters. An estimate counts as one more
/// gradient. Beyond this gradient, "empirical-diagonal" costs O(d) operations. "empirical-full", or
/// either of the two with a preconditioner, costs d^3/3 operations and 2 d products with A'. It
/// needs d^2 w numbers of scratch (twice as many with a preconditioner).
class EulerMaruyamaFriction final : public Integrator {
 public:
  struct Params {
    double friction = 1.0;
    std::vector<double> friction_matrix{};
    std::optional<double> alpha{};
    double noise_estimate = 0.0;
    std::optional<double> beta{};
    std::string noise_from = "fixed";

    void declare(Fields& fields) {
      fields.number("friction", friction)
          .unit("1/time")
          .above(0)
          .help("friction F in dp = -grad U dt - F M^-1 p dt + noise");
      fields.numbers("friction_matrix", friction_matrix)
          .unit("1/time")
          .instead_of("friction")
          .help(
              "the d diagonal entries of F, or the d^2 entries of a positive definite F, row by "
              "row");
      fields.number("alpha", alpha)
          .above(0)
          .refines(Refines::step_size)
          .instead_of("friction")
          .help("eps F, the fraction of the momentum that friction removes in each step if M = I");
      fields.number("noise_estimate", noise_estimate)
          .unit("1/time")
          .at_least(0)
          .refines(Refines::step_size)
          .help(
              "D = eps V / 2, at most `friction`: the noise that a gradient with variance V adds");
      fields.number("beta", beta)
          .at_least(0)
          .refines(Refines::step_size_squared)
          .instead_of("noise_estimate")
          .only_with("alpha")
          .help("eps D, used with `alpha` and at most as large as `alpha`");
      fields.text("noise_from", noise_from)
          .one_of({"fixed", "empirical-diagonal", "empirical-full"})
          .help(
              "source of D. With \"fixed\", it is noise_estimate or beta; otherwise each minibatch "
              "gives an estimate");
    }
  };

  explicit EulerMaruyamaFriction(const Params& params)
      : friction_(params.friction_matrix.empty()
                      ? Friction(params.alpha.value_or(params.friction), params.alpha.has_value())
                      : Friction(params.friction_matrix)),
        fixed_(params.beta.value_or(params.noise_estimate)),
        noise_from_(params.noise_from == "fixed"                ? NoiseFrom::fixed
                    : params.noise_from == "empirical-diagonal" ? NoiseFrom::diagonal
                                                                : NoiseFrom::full) {
    check_notation(params);
    if (estimates() && fixed_ > 0.0) {
      throw ParameterError(
          "noise_from",
          "estimates the gradient noise D from each minibatch, but noise_estimate or beta already "
          "gives D. Remove noise_estimate and beta, or set noise_from = \"fixed\".");
    }
    if (friction_.is_number() && fixed_ > friction_.least(1)) {
      throw ParameterError(params.beta ? "beta" : "noise_estimate",
                           "must be at most `" + key() + "`, because " + heats);
    }
    root_ = root_of_excess(friction_, fixed_);
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
  void check(Index dimension) const override {
    if (const std::string why = friction_.refusal(dimension); !why.empty()) {
      throw InputError("integrator `" + name() + "`: `friction_matrix` " + why);
    }
    if (fixed_ > friction_.least(dimension)) {
      throw InputError(
          "integrator `" + name() + "`: `noise_estimate` must be at most the least eigenvalue " +
          std::to_string(friction_.least(dimension)) + " of `friction_matrix`, because " + heats);
    }
  }
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
    MatrixMap loss = motion.scratch.matrix(d, w);  // eps F, or F v
    const auto eps = flat(motion.eps);
    const bool by_matrix = friction_.is_matrix(d);
    const ConstMatrixMap v(motion.flow.mass_is_identity() ? point.p.data() : velocity.data(), d, w);
    if (!by_matrix) friction_.loss_beyond(0.0, motion.eps, loss);
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto before = motion.steps_before + static_cast<std::uint32_t>(step);
      const bool last = step + 1 == steps;
      motion.flow.velocity(point.p, velocity, motion.scratch);
      flat(point.theta) += eps * flat(velocity);
      motion.law.evaluate(point.theta, {last ? u : nullptr, point.g, motion.scratch, before + 1});
      motion.flow.force(point.g, force, motion.scratch);
      motion.noise->normals(z, before);
      inject({point.theta, friction_, loss, motion, before + 1}, z);
      if (by_matrix) {
        loss.noalias() = friction_.matrix(d) * v;
        flat(point.p) += flat(z) - eps * flat(force) - eps * flat(loss);
      } else {
        flat(point.p) += flat(z) - eps * flat(force) - flat(loss) * flat(v);
      }
    }
  }

 private:
  void check_notation(const Params& params) const {
    if (params.alpha && !params.friction_matrix.empty()) {
      throw ParameterError("alpha",
                           "gives the friction as a number, but `friction_matrix` gives the "
                           "friction too. Remove one of the two keys.");
    }
    if (params.alpha && params.noise_estimate > 0.0) {
      throw ParameterError("noise_estimate",
                           "must not be given with `alpha`. Use `beta` with `alpha`, or use "
                           "`friction` with `noise_estimate`.");
    }
  }

  bool estimates() const noexcept { return noise_from_ != NoiseFrom::fixed; }

  static constexpr const char* heats =
      "the gradient's noise would otherwise add more energy than the friction removes. Raise the "
      "friction, use larger minibatches, or use a smaller step size.";

  std::string key() const {
    if (friction_.per_step()) return "alpha";
    return friction_.is_number() ? "friction" : "friction_matrix";
  }

  /// z becomes N(0, 2 eps (F - D)).
  void inject(const friction::StepEnd& step, MatrixMap z) const {
    if (!estimates()) return inject_fixed(step, z);
    const bool whole = noise_from_ == NoiseFrom::full;
    const bool elementwise = step.motion.flow.force_is_gradient() && !step.F.is_matrix(z.rows());
    const auto excess = !whole && elementwise ? friction::scale_by_diagonal(step, z)
                                              : friction::scale_by_matrix(step, whole, z);
    if (excess) too_little(*excess);
  }

  void inject_fixed(const friction::StepEnd& step, MatrixMap z) const {
    const Workspace::Frame frame(step.motion.scratch);
    MatrixMap spare = step.motion.scratch.matrix(z.rows(), z.cols());
    if (friction_.is_matrix(z.rows())) {
      spare.noalias() = root_ * z;
      flat(z) = (2.0 * flat(step.motion.eps)).sqrt() * flat(spare);
    } else {
      friction_.loss_beyond(fixed_, step.motion.eps, spare);
      flat(z) *= (2.0 * flat(spare)).sqrt();
    }
  }

  [[noreturn]] void too_little(const friction::Excess& excess) const {
    const bool per_step = friction_.per_step();
    std::ostringstream text;
    text << "integrator `" << name() << "`: " << key();
    if (friction_.is_number()) text << " = " << friction_.least(1);
    text << " is too small for the estimated noise of the minibatch gradient. This noise is "
         << (per_step ? "beta = eps^2 V / 2 = " : "D = eps V / 2 = ")
         << (per_step ? excess.eps * excess.largest : excess.largest)
         << " in the direction of the largest noise, at eps = " << excess.eps
         << ". The friction must be at least as large as this noise. Otherwise the noise adds more "
            "energy than the friction removes. Raise "
         << key() << ", use larger minibatches, or use a smaller step size.";
    throw InputError(text.str());
  }

  Friction friction_;  ///< alpha if beta is used too, else F
  double fixed_;       ///< beta or D; 0 if D is estimated
  NoiseFrom noise_from_;
  Eigen::MatrixXd root_;  ///< symmetric root of F - D, for a matrix F
};

}  // namespace
}  // namespace mixwell::friction

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::friction::EulerMaruyamaFriction>(
      {.id = "euler-maruyama-friction",
       .summary = "First-order steps with friction and noise (SGHMC)",
       .details =
           "theta += eps A M^-1 p; p += -eps A' grad U(theta) - eps F M^-1 p + N(0, 2 eps (F - D)) "
           "for p ~ N(0, M). Both updates use the value of p before the step. The kernel's "
           "coupling gives A and M. F is a number, a diagonal matrix or a full matrix. The step is "
           "v += -eta grad U - alpha v + N(0, 2 (alpha - beta) eta) if M = I, v = eps p, eta = "
           "eps^2, alpha = eps F and beta = eps D. Give friction and noise_estimate, or give alpha "
           "and beta. The kernel's key learning_rate sets eta.\nD is the noise that the gradient "
           "itself adds. It is 0 for an exact gradient. If noise_from is not \"fixed\", each step "
           "estimates D = eps A' V A / 2, with V from the empirical Fisher information of the "
           "minibatch on which the gradient was evaluated. This estimate costs about one "
           "more gradient for each step. The run ends with an error if the friction is smaller "
           "than D. Use this integrator without a Metropolis step. The stationary distribution "
           "then has an error of order eps.",
       .sources = {"Chen, Fox & Guestrin 2014, ICML, equations 13 to 15 (equation 15 and the text "
                   "before it give both forms of the step, with F and with alpha)",
                   "Ahn, Korattikara & Welling 2012, ICML (empirical Fisher information)"}});
}
