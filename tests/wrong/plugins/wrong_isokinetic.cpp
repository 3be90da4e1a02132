// Metropolis-adjusted microcanonical trajectories (Robnik, Cohen-Addad & Seljak 2025), and one
// mistake of choice.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/isokinetic_kick.hpp"
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// -log density d log |p|: the same on all scales, without a finite integral. It is drawn with the
/// length 1, and a flow that stretches p by f^((d-1)/d) keeps volume, so that the ratio has the
/// flow's Jacobian f^(d-1).
class ScaleFreeLaw final : public Potential {
 public:
  void evaluate(const Numbers&, ConstBatch p, const Evaluation& out) const override {
    const auto d = static_cast<double>(p.rows());
    Batch gradient = out.gradient;
    for (Index j = 0; j < p.cols(); ++j) {
      if (out.wants_gradient()) gradient.col(j) = d / p.col(j).squaredNorm() * p.col(j);
      if (out.wants_potential()) out.u()(j) = 0.5 * d * std::log(p.col(j).squaredNorm());
    }
  }
  bool evaluates_potential_alone() const noexcept override { return true; }
  double gradient_cost() const noexcept override { return 0.0; }
  void draw(const Numbers&, const edge::Noise& noise, Batch p, Workspace&) const {
    noise.normals(p);
    p.colwise().normalize();
  }
};

class WrongIsokinetic final : public TransitionKernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    double step_size = 1.0;
    bool direction_first = false;
    void declare(Fields& fields) {
      mistake.declare(fields, {"no-jacobian", "kick-lost"});
      fields.number("step_size", step_size).above(0).refines(Refines::step_size).help("eps");
      fields.flag("direction_first", direction_first).help("write p before theta");
    }
  };
  explicit WrongIsokinetic(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    const auto target = t.target();
    const Variable v =
        t.graph().auxiliary(t.path("direction"), t.dimension(), {.space = Space::improper});
    const Edge<edge::LawOf<ScaleFreeLaw>> free{
        t.graph().constant(t.path("scale-free"), std::make_shared<ScaleFreeLaw>())};
    const auto direction = t.redraw<edge::Auxiliary>("refresh", v, free);
    const auto at = t.evaluation(target);
    const auto theta_to = t.derived<edge::Proposed<edge::Position>>("theta*", t.dimension());
    const auto p_to = t.derived<edge::Proposed<edge::Auxiliary>>("direction*", t.dimension());
    const Follow follow{params_.step_size, params_.mistake};
    Edge<edge::Proposed<edge::Position>> theta_end;
    Edge<edge::Proposed<edge::Auxiliary>> direction_end;
    if (params_.direction_first) {
      std::tie(direction_end, theta_end) = t.add(
          "trajectory", OperationKind::move, reversible(),
          [follow](Columns& block, edge::Position theta, edge::Auxiliary p, edge::Law law,
                   edge::Gradient<edge::Here> g, edge::Out<edge::Proposed<edge::Auxiliary>> p_end,
                   edge::ProposedPosition end) {
            end = theta, p_end = p;
            follow(block, law, g, end, p_end);
          },
          t.position(), direction, target, at.g, p_to, theta_to);
    } else {
      std::tie(theta_end, direction_end) = t.add(
          "trajectory", OperationKind::move, reversible(),
          [follow](Columns& block, edge::Position theta, edge::Auxiliary p, edge::Law law,
                   edge::Gradient<edge::Here> g, edge::ProposedPosition end,
                   edge::Out<edge::Proposed<edge::Auxiliary>> p_end) {
            end = theta, p_end = p;
            follow(block, law, g, end, p_end);
          },
          t.position(), direction, target, at.g, theta_to, p_to);
    }
    t.metropolis(target,
                 {.theta = theta_end,
                  .auxiliaries = {{.variable = v, .end = direction_end, .law = {free.value}}},
                  .has_energy = true});
  }

 private:
  static Traits reversible() {
    Traits traits;
    traits.involution = true;
    traits.volume = true;
    return traits;
  }

  /// Three steps of the isokinetic leapfrog, in place.
  struct Follow {
    double eps;
    wrong::Mistake mistake;

    void operator()(Columns& block, const edge::Law& law, ConstBatch g, Batch theta,
                    Batch p) const {
      const double n = static_cast<double>(theta.rows() - 1);
      MatrixMap gradient = block.scratch().matrix(theta.rows(), theta.cols());
      MatrixMap v = block.scratch().matrix(theta.rows(), theta.cols());
      RowMap u = block.scratch().row(theta.cols());
      RowMap log_f = block.scratch().row(theta.cols());
      gradient = g, v = p, log_f.setZero();
      v.colwise().normalize();
      for (int k = 0; k < 3; ++k) {
        kick(n, gradient, v, log_f);
        theta += eps * v;
        law.evaluate(theta, {u.data(), gradient, block.scratch()});
        if (!(mistake.is("kick-lost") && k == 2)) kick(n, gradient, v, log_f);
      }
      if (mistake.is("no-jacobian")) log_f.setZero();
      for (Index j = 0; j < p.cols(); ++j) {
        p.col(j) = p.col(j).norm() * std::exp(n / (n + 1.0) * log_f(j)) * v.col(j);
      }
    }

    void kick(double n, ConstBatch g, Batch v, Row log_f) const {
      for (Index j = 0; j < v.cols(); ++j) {
        log_f(j) += wrong::isokinetic_kick(0.5 * eps, n, g.col(j), v.col(j));
      }
    }
  };

  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongIsokinetic>(
      {.id = "wrong-isokinetic", .summary = "isokinetic trajectories, right or wrong"});
}
