// Hamiltonian kernels and an integrator with one deliberate mistake each; all declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/kernel/momentum.hpp>
#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

Traits claimed() {
  Traits traits;
  traits.involution = true;
  traits.volume = true;
  traits.order = 2;
  return traits;
}

/// Leapfrog with a mistake of choice.
class WrongLeapfrog final : public Integrator {
 public:
  struct Params {
    wrong::Mistake mistake{"half-step-forgotten"};
    void declare(Fields& fields) {
      mistake.declare(fields, {"half-step-forgotten", "half-step-doubled", "gradient-of-before",
                               "energy-too-early", "volume-lost"});
    }
  };
  explicit WrongLeapfrog(const Params& params) : mistake_(params.mistake) {}
  static Traits declared() { return claimed(); }
  Traits traits() const override { return claimed(); }
  std::int64_t gradients(std::int64_t steps) const noexcept override { return steps; }
  void advance(PhasePoint point, std::int64_t steps, const Motion& motion,
               double* u) const override {
    const auto eps = flat(motion.eps);
    flat(point.p) -= (mistake_.is("half-step-forgotten") ? 1.0 : 0.5) * eps * flat(point.g);
    for (std::int64_t step = 1; step <= steps; ++step) {
      const bool last = step == steps;
      const bool tells = step == (mistake_.is("energy-too-early") ? steps - 1 : steps);
      if (!mistake_.is("gradient-of-before")) flat(point.theta) += eps * flat(point.p);
      motion.law.evaluate(point.theta, {tells ? u : nullptr, point.g, motion.scratch});
      if (mistake_.is("gradient-of-before")) flat(point.theta) += eps * flat(point.p);
      flat(point.p) -=
          (last && !mistake_.is("half-step-doubled") ? 0.5 : 1.0) * eps * flat(point.g);
      if (mistake_.is("volume-lost")) flat(point.p) *= 0.95;
    }
  }

 private:
  wrong::Mistake mistake_;
};

/// Draws the momentum in the first sweep alone.
class RefreshOnce final : public Body {
 public:
  void run(ColumnBlock& block) const override {
    if (block.sweep() == 0) block.normals(2, block.out(0));
  }
};

/// N(0, 1.02 I), two hundredths too wide.
class WideRefresh final : public Body {
 public:
  void run(ColumnBlock& block) const override {
    block.normals(1, block.out(0));
    flat(block.out(0)) *= std::sqrt(1.02);
  }
};

/// Inputs: theta, p, law, momentum law, noise. Five leapfrog steps and a decision in one operation.
class WrongStep final : public Body {
 public:
  WrongStep(std::shared_ptr<const Integrator> integrator, double eps, std::string mistake)
      : integrator_(std::move(integrator)),
        eps_(eps),
        sign_(mistake == "acceptance-sign" ? -1.0 : 1.0),
        stale_(mistake == "kinetic-energy-of-start"),
        late_(mistake == "late-switch") {}

  void run(ColumnBlock& block) const override {
    const Index d = block.in(0).rows();
    const Index w = block.columns();
    Workspace& scratch = block.scratch();
    MatrixMap theta = scratch.matrix(d, w);
    MatrixMap p = scratch.matrix(d, w);
    MatrixMap g = scratch.matrix(d, w);
    MatrixMap eps = scratch.matrix(d, w);
    RowMap start = scratch.row(w);
    RowMap end = scratch.row(w);
    RowMap uniform = scratch.row(w);
    flat(theta) = flat(block.in(0));
    flat(p) = flat(block.in(1));
    flat(eps).setConstant(eps_);
    const Law law = block.law(2);
    law.evaluate(theta, {start.data(), g, scratch});
    start += 0.5 * p.colwise().squaredNorm();
    integrator_->advance({theta, p, g}, 5,
                         {law, Flow(Coupling::none, {}), {eps.data(), d, w}, scratch}, end.data());
    if (stale_ || (late_ && block.sweep() >= 150)) flat(p) = flat(block.in(1));
    end += 0.5 * p.colwise().squaredNorm();
    block.uniforms(4, uniform);
    for (Index j = 0; j < w; ++j) {
      if (std::log(uniform(j)) < sign_ * (start(j) - end(j))) block.out(0).col(j) = theta.col(j);
    }
  }

 private:
  std::shared_ptr<const Integrator> integrator_;
  double eps_;
  double sign_;
  bool stale_;
  bool late_;
};

class WrongHamiltonian final : public Kernel {
 public:
  struct Params {
    std::shared_ptr<const Integrator> integrator;
    double step_size = 0.1;
    std::string mistake = "none";
    void declare(Fields& fields) {
      fields.component("integrator", integrator).or_default("leapfrog").help("scheme");
      fields.number("step_size", step_size).above(0).refines(Refines::step_size).help("eps");
      fields.text("mistake", mistake)
          .one_of({"none", "acceptance-sign", "momentum-never-redrawn", "kinetic-energy-of-start",
                   "wide-momentum", "late-switch"})
          .help("what is wrong; none is the right version");
    }
  };
  explicit WrongHamiltonian(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    const std::string& path = site.path;
    const Variable p = graph.auxiliary(path + "/momentum", graph[site.slot].rows);
    const Value law = graph.constant(path + "/momentum-law",
                                     std::make_shared<MomentumLaw>(Coupling::none, nullptr));
    if (params_.mistake == "momentum-never-redrawn") {
      Traits traits;
      traits.keeps_law = true;
      graph.add(
          path + "/refresh", OperationKind::refresh, traits,
          {{graph.current(p), Role::state}, {law, Role::law}, {graph.noise(path), Role::noise}},
          {Output::next(p)}, std::make_shared<RefreshOnce>());
    } else if (params_.mistake == "wide-momentum") {
      Traits traits;
      traits.keeps_law = true;
      traits.full = true;
      graph.add(path + "/refresh", OperationKind::refresh, traits,
                {{law, Role::law}, {graph.noise(path), Role::noise}}, {Output::next(p)},
                std::make_shared<WideRefresh>());
    } else {
      add_momentum_refresh(graph, path + "/refresh", p, {law});
    }
    Traits traits = claimed();
    traits.invariant = true;
    graph.add(path + "/step", OperationKind::move, traits,
              {{graph.current(site.slot), Role::state},
               {graph.current(p), Role::state},
               {site.target, Role::law},
               {law, Role::law},
               {graph.noise(path + "/accept"), Role::noise}},
              {Output::next(site.slot)},
              std::make_shared<WrongStep>(params_.integrator, params_.step_size, params_.mistake));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongLeapfrog>({.id = "wrong-leapfrog",
                                .summary = "leapfrog with a mistake of choice",
                                .details = "",
                                .sources = {}});
  registrar.add<WrongHamiltonian>({.id = "wrong-hamiltonian",
                                   .summary = "Hamiltonian Monte Carlo with a mistake of choice",
                                   .details = "",
                                   .sources = {}});
}
