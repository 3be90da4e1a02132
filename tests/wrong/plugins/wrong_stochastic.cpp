// Schemes without Metropolis and a minibatch, each with one mistake of choice in a noise; all
// declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "../../../plugins/oracles/noise/batch.hpp"
#include "../../../plugins/oracles/noise/oracle.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/plugin.hpp>

#include <cmath>
#include <string>

namespace {

using namespace mixwell;

/// What both schemes have in common: a mistake, and the claim to be of order 1.
class WrongScheme : public Integrator {
 public:
  static Traits declared() {
    Traits traits;
    traits.order = 1;
    return traits;
  }
  Traits traits() const override { return declared(); }
  bool has_noise() const noexcept override { return true; }
  std::int64_t gradients(std::int64_t steps) const noexcept override { return steps; }

 protected:
  explicit WrongScheme(std::string mistake) : mistake_(std::move(mistake)) {}
  bool has(const char* mistake) const { return mistake_ == mistake; }

 private:
  std::string mistake_;
};

class WrongLangevin final : public WrongScheme {
 public:
  struct Params {
    std::string mistake = "none";
    void declare(Fields& fields) {
      fields.text("mistake", mistake)
          .one_of({"none", "factor-2", "root", "preconditioner"})
          .help("what the noise lacks; none is the right version");
    }
  };
  explicit WrongLangevin(const Params& params) : WrongScheme(params.mistake) {}

  void advance(PhasePoint point, std::int64_t steps, const Motion& motion,
               double* u) const override {
    const Workspace::Frame frame(motion.scratch);
    MatrixMap z = motion.scratch.matrix(point.theta.rows(), point.theta.cols());
    MatrixMap drift = motion.scratch.matrix(z.rows(), z.cols());
    MatrixMap moved = motion.scratch.matrix(z.rows(), z.cols());
    const auto eps = flat(motion.eps);
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto before = static_cast<std::uint32_t>(step);
      motion.noise->normals(z, before);
      flat(moved) = (has("factor-2") ? 1.0 : 2.0) * eps;
      if (!has("root")) flat(moved) = flat(moved).sqrt();
      flat(z) *= flat(moved);
      motion.flow.force(point.g, drift, motion.scratch);
      flat(drift) *= -eps;
      if (!has("preconditioner")) drift += z;
      motion.flow.velocity(drift, moved, motion.scratch);
      point.theta += moved;
      if (has("preconditioner")) point.theta += z;
      motion.law.evaluate(point.theta, {u, point.g, motion.scratch, before + 1});
    }
  }
};

class WrongFriction final : public WrongScheme {
 public:
  struct Params {
    double friction = 1.0;
    std::string mistake = "none";
    void declare(Fields& fields) {
      fields.number("friction", friction).above(0).help("F");
      fields.text("mistake", mistake)
          .one_of({"none", "factor-2", "root", "half-of-D", "sign-of-D"})
          .help("what the noise lacks; none is the right version");
    }
  };
  explicit WrongFriction(const Params& params)
      : WrongScheme(params.mistake), friction_(params.friction) {}
  bool has_friction() const noexcept override { return true; }
  bool wants_gradient_noise() const noexcept override { return true; }

  void advance(PhasePoint point, std::int64_t steps, const Motion& motion,
               double* u) const override {
    const Workspace::Frame frame(motion.scratch);
    MatrixMap z = motion.scratch.matrix(point.theta.rows(), point.theta.cols());
    MatrixMap V = motion.scratch.matrix(z.rows(), z.cols());
    const auto eps = flat(motion.eps);
    const double half = (has("half-of-D") ? 1.0 : 0.5) * (has("sign-of-D") ? -1.0 : 1.0);
    for (std::int64_t step = 0; step < steps; ++step) {
      const auto before = static_cast<std::uint32_t>(step);
      flat(point.theta) += eps * flat(point.p);
      motion.law.evaluate(point.theta, {u, point.g, motion.scratch, before + 1});
      motion.law.noise_diagonal(point.theta, before + 1, V, motion.scratch);
      motion.noise->normals(z, before);
      const double two = has("factor-2") ? 1.0 : 2.0;
      flat(V) = two * eps * (friction_ - half * eps * flat(V));
      if (!has("root")) flat(V) = flat(V).sqrt();
      flat(point.p) += flat(V) * flat(z) - eps * flat(point.g) - friction_ * eps * flat(point.p);
    }
  }

 private:
  double friction_;
};

/// The sum over the batch, times N/n in the right version.
class WrongPotential final : public noise::BatchPotential {
 public:
  WrongPotential(std::shared_ptr<const Potential> base, noise::BatchDraw batch, bool scales)
      : BatchPotential(std::move(base), batch), scale_(scales ? batch.scale() : 1.0) {}

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    const MatrixMap indices = draw_indices(numbers, theta.cols(), out.draw, out.scratch);
    MatrixMap g = out.scratch.matrix(theta.rows(), theta.cols());
    RowMap u = out.scratch.row(theta.cols());
    sum().evaluate_terms(theta, indices, {u.data(), g, out.scratch});
    sum().evaluate_rest(theta, out);
    flat(out.gradient) += scale_ * flat(g);
    if (out.wants_potential()) out.u() += scale_ * u;
  }

 private:
  void noisy_terms(ConstBatch theta, ConstBatch indices, Batch out,
                   Workspace& scratch) const override {
    sum().gradients_of_terms(theta, indices, out, scratch);
  }
  double scale_;
};

class WrongMinibatch final : public noise::ChangingOracle {
 public:
  struct Params {
    std::int64_t size = 5;
    bool replacement = false;
    std::string mistake = "none";
    void declare(Fields& fields) {
      fields.integer("size", size).at_least(1).help("n");
      fields.flag("replacement", replacement).help("how a batch is drawn");
      fields.text("mistake", mistake)
          .one_of({"none", "N-over-n"})
          .help("what is left out; none is the right version");
    }
  };
  explicit WrongMinibatch(const Params& params) : ChangingOracle(false), params_(params) {}

 private:
  Value add(KernelGraph& graph, const std::string& path, Value factor,
            std::shared_ptr<const Potential> base) const override {
    if (base->offers<SumOfTerms>() == nullptr) throw InputError("the model is no sum over cases");
    const noise::BatchDraw batch(base->offers<SumOfTerms>()->terms(), params_.size,
                                 params_.replacement);
    const bool right = params_.mistake == "none";
    return noise::add_noisy_law(graph, path, factor,
                                std::make_shared<WrongPotential>(std::move(base), batch, right),
                                {.unbiased = true});
  }

  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongLangevin>({.id = "wrong-langevin",
                                .summary = "Langevin steps with a mistake of choice in the noise",
                                .details = "",
                                .sources = {}});
  registrar.add<WrongFriction>({.id = "wrong-friction",
                                .summary = "friction and estimated noise with a mistake of choice",
                                .details = "",
                                .sources = {}});
  registrar.add<WrongMinibatch>({.id = "wrong-minibatch",
                                 .summary = "a minibatch with a mistake of choice in its scale",
                                 .details = "",
                                 .sources = {}});
}
