// Hamiltonian Monte Carlo with a diagonal mass, or with a momentum that persists, and one mistake
// of choice; all declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"
#include "wrong/step.hpp"

#include <mixwell/kernel/momentum.hpp>
#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// d x w each, and U at theta.
struct Point {
  Point(Index d, Index w, Workspace& scratch)
      : theta(scratch.matrix(d, w)),
        p(scratch.matrix(d, w)),
        g(scratch.matrix(d, w)),
        u(scratch.row(w)) {}
  MatrixMap theta, p, g;
  RowMap u;
};

/// A leapfrog step under K = 1/2 p' M^-1 p, M = diag(m), from the gradient at theta.
void advance(const Law& law, const Eigen::VectorXd& m, double eps, Point& at, Workspace& scratch) {
  flat(at.p) -= 0.5 * eps * flat(at.g);
  at.theta += eps * (at.p.array().colwise() / m.array()).matrix();
  law.evaluate(at.theta, {at.u.data(), at.g, scratch});
  flat(at.p) -= 0.5 * eps * flat(at.g);
}

/// 4, 1, 4, 1, ...
Eigen::VectorXd masses(Index d) {
  Eigen::VectorXd m = Eigen::VectorXd::Ones(d);
  for (Index i = 0; i < d; i += 2) m(i) = 4.0;
  return m;
}

/// Inputs: theta, law, noise. Output: theta.
class MassBody final : public Body {
 public:
  MassBody(double eps, wrong::Mistake mistake) : eps_(eps), mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    const Index d = block.in(0).rows();
    const Index w = block.columns();
    Workspace& scratch = block.scratch();
    const Eigen::VectorXd m = masses(d);
    Point at(d, w, scratch);
    RowMap start = scratch.row(w);
    RowMap uniform = scratch.row(w);
    block.normals(2, at.p, 0);
    block.uniforms(2, uniform, 1);
    const double power = mistake_.is("drawn-with-inverse") ? -0.5 : mistake_.is("root") ? 1.0 : 0.5;
    at.p.array().colwise() *= m.array().pow(power);
    at.theta = block.in(0);
    block.law(1).evaluate(at.theta, {at.u.data(), at.g, scratch});
    start = at.u + kinetic(at.p, m);
    for (int step = 0; step < 5; ++step) advance(block.law(1), m, eps_, at, scratch);
    const Eigen::RowVectorXd end = at.u + kinetic(at.p, m);
    for (Index j = 0; j < w; ++j) {
      if (std::log(uniform(j)) < start(j) - end(j)) block.out(0).col(j) = at.theta.col(j);
    }
  }

 private:
  Eigen::RowVectorXd kinetic(ConstBatch p, const Eigen::VectorXd& m) const {
    if (mistake_.is("energy-without-mass")) return 0.5 * p.colwise().squaredNorm();
    return 0.5 * (p.array().square().colwise() / m.array()).colwise().sum();
  }

  double eps_;
  wrong::Mistake mistake_;
};

/// Inputs: theta, p, laws of both, noise. Outputs: theta, p. The momentum keeps a share of what it
/// was, and turns round where a proposal is rejected (Horowitz 1991).
class PersistentBody final : public Body {
 public:
  PersistentBody(double eps, wrong::Mistake mistake) : eps_(eps), mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    const Index d = block.in(0).rows();
    const Index w = block.columns();
    Workspace& scratch = block.scratch();
    const double kept = block.sweep() == 0 ? 0.0 : 0.9;
    const double fresh = mistake_.is("refresh") ? 1.0 - kept : std::sqrt(1.0 - kept * kept);
    Point at(d, w, scratch);
    MatrixMap p = scratch.matrix(d, w);
    RowMap uniform = scratch.row(w);
    block.normals(4, p, 0);
    block.uniforms(4, uniform, 1);
    p = kept * block.in(1) + fresh * p;
    at.theta = block.in(0);
    at.p = p;
    block.law(2).evaluate(at.theta, {at.u.data(), at.g, scratch});
    const Eigen::RowVectorXd start = at.u + 0.5 * p.colwise().squaredNorm();
    advance(block.law(2), Eigen::VectorXd::Ones(d), eps_, at, scratch);
    const Eigen::RowVectorXd end = at.u + 0.5 * at.p.colwise().squaredNorm();
    for (Index j = 0; j < w; ++j) {
      const bool accepted = std::log(uniform(j)) < start(j) - end(j);
      if (accepted) block.out(0).col(j) = at.theta.col(j);
      if (!accepted) at.p.col(j) = (mistake_.is("not-negated") ? 1.0 : -1.0) * p.col(j);
    }
    block.out(1) = at.p;
  }

 private:
  double eps_;
  wrong::Mistake mistake_;
};

class WrongMass final : public Kernel {
 public:
  struct Params {
    double step_size = 0.3;
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      fields.number("step_size", step_size).above(0).refines(Refines::step_size).help("eps");
      mistake.declare(fields, {"drawn-with-inverse", "root", "energy-without-mass"});
    }
  };
  explicit WrongMass(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    wrong::add_step(graph, site, std::make_shared<MassBody>(params_.step_size, params_.mistake));
  }

 private:
  Params params_;
};

class WrongPersistence final : public Kernel {
 public:
  struct Params {
    double step_size = 0.3;
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      fields.number("step_size", step_size).above(0).refines(Refines::step_size).help("eps");
      mistake.declare(fields, {"refresh", "not-negated"});
    }
  };
  explicit WrongPersistence(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    const Variable p = graph.auxiliary(site.path + "/momentum", graph[site.slot].rows);
    const Value law = graph.constant(site.path + "/momentum-law",
                                     std::make_shared<MomentumLaw>(Coupling::none, nullptr));
    graph.add(site.path + "/step", OperationKind::move, wrong::claims_exact(),
              {{graph.current(site.slot), Role::state},
               {graph.current(p), Role::state},
               {site.target, Role::law},
               {law, Role::law},
               {graph.noise(site.path + "/step"), Role::noise}},
              {Output::next(site.slot), Output::next(p)},
              std::make_shared<PersistentBody>(params_.step_size, params_.mistake));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongMass>(
      {.id = "wrong-mass", .summary = "HMC with a diagonal mass and a mistake of choice"});
  registrar.add<WrongPersistence>(
      {.id = "wrong-persistence",
       .summary = "HMC with a persistent momentum and a mistake of choice"});
}
