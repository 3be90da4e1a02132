// Random walks by an estimate of the density, with a mistake of choice.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace mixwell;

struct Normals : edge::Numbers<Role::state> {
  using Numbers::Numbers;
};

struct Estimate : edge::Numbers<Role::state> {
  using Numbers::Numbers;
};

/// The estimate of a model, in the place of its law.
class Estimates final : public Potential {
 public:
  explicit Estimates(std::shared_ptr<const Function> law) : law_(std::move(law)) {}
  void evaluate(const Numbers&, ConstBatch, const Evaluation&) const override {}
  const EstimatedDensity& of() const {
    return *static_cast<const Potential&>(*law_).offers<EstimatedDensity>();
  }

 private:
  std::shared_ptr<const Function> law_;
};

/// N(0, sd^2) as the prior of a parameter, whose part of U the ratio of a Crank-Nicolson step
/// lacks.
struct Prior {
  bool is_used = false;
  double sd = 10.0;
};

/// theta and the normals of its estimate in one move: theta + step z, or with the prior rho theta +
/// b sd z, b = step / sqrt(1 + step^2). By mistake the normals of the state are drawn anew in every
/// sweep, or become those of a proposal that is rejected, or the prior is left in the ratio.
class Walk {
 public:
  Walk(double step, Prior prior, wrong::Mistake mistake)
      : step_(step), prior_(prior), mistake_(std::move(mistake)) {}

  void operator()(Columns& block, edge::Position theta, Normals z, edge::LawOf<Estimates> law,
                  edge::Noise noise, edge::Out<edge::Position> next, edge::Out<Normals> next_z,
                  edge::Out<Estimate> kept) const {
    edge::begin(theta, next);
    edge::begin(z, next_z);
    Workspace& scratch = block.scratch();
    const EstimatedDensity& of = law.function.of();
    const Index w = next.cols();
    first(of, noise, next, next_z, scratch);
    MatrixMap end = scratch.matrix(next.rows(), w);
    MatrixMap z_end = scratch.matrix(next_z.rows(), w);
    RowMap u = scratch.row(w);
    RowMap u_end = scratch.row(w);
    RowMap uniform = scratch.row(w);
    noise.normals(end, 1);
    noise.normals(z_end, 2);
    noise.uniforms(uniform, 3);
    propose(next, end);
    of.estimate(next, next_z, u, scratch);
    of.estimate(end, z_end, u_end, scratch);
    for (Index j = 0; j < w; ++j) {
      const bool accepted = std::log(uniform(j)) <
                            u(j) - u_end(j) + prior_energy(end(0, j)) - prior_energy(next(0, j));
      kept.col(j).setConstant(accepted ? u_end(j) : u(j));
      if (accepted) next.col(j) = end.col(j);
      if (accepted || mistake_.is("rejected-normals")) next_z.col(j) = z_end.col(j);
    }
  }

 private:
  void propose(const edge::Out<edge::Position>& from, MatrixMap& end) const {
    const double root = std::hypot(1.0, step_);
    if (prior_.is_used) {
      end = from / root + step_ / root * prior_.sd * end;
    } else {
      end = from + step_ * end;
    }
  }

  double prior_energy(double theta) const {
    if (!prior_.is_used || mistake_.is("prior-in-ratio")) return 0.0;
    return 0.5 * theta * theta / (prior_.sd * prior_.sd);
  }

  void first(const EstimatedDensity& of, const edge::Noise& noise, ConstBatch theta,
             edge::Out<Normals>& z, Workspace& scratch) const {
    if (mistake_.is("anew")) return noise.normals(z, 4);
    if ((z.row(0).array() != 0.0).all()) return;
    MatrixMap drawn = scratch.matrix(z.rows(), z.cols());
    of.draw_weighted(theta, noise.stream(), noise.address(), drawn, scratch);
    for (Index j = 0; j < z.cols(); ++j) {
      if (z(0, j) == 0.0) z.col(j) = drawn.col(j);
    }
  }

  double step_;
  Prior prior_;
  wrong::Mistake mistake_;
};

class WrongPseudoMarginal final : public TransitionKernel {
 public:
  struct Params {
    double step = 1.0;
    double prior_sd = 10.0;
    bool crank_nicolson = false;
    EstimateSettings estimate;
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      fields.number("step", step).above(0).help("standard deviation of a step");
      fields.flag("crank_nicolson", crank_nicolson)
          .help("steps that keep the prior N(0, prior_sd^2)");
      fields.number("prior_sd", prior_sd).above(0).help("standard deviation of the prior");
      mistake.declare(fields, {"anew", "rejected-normals", "declared-anew", "prior-in-ratio"});
    }
  };
  explicit WrongPseudoMarginal(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    t.take_estimates(params_.estimate);
    KernelGraph& graph = t.graph();
    const auto function = graph[t.target().value].function;
    const auto& law = static_cast<const Potential&>(*function);
    if (law.offers<EstimatedDensity>() == nullptr) throw InputError("wants an estimated density");
    const Index m = law.offers<EstimatedDensity>()->normals();
    const std::string slot = graph[t.site().slot].name;
    const Variable z = graph.estimate(slot + "/normals", t.site().slot, m);
    const Variable kept = graph.estimate(slot + "/estimate", t.site().slot, 2);
    if (params_.mistake.is("declared-anew")) {
      t.add(
          "anew", OperationKind::refresh, {},
          [](Normals, edge::Noise noise, edge::Out<Normals> next) { noise.normals(next); },
          Edge<Normals>{graph.current(z)}, t.noise("anew"), Write<Normals>{Output::next(z)});
    }
    Traits unbiased;
    unbiased.unbiased = true;
    const Value estimates = graph.view(t.path("estimates"), std::make_shared<Estimates>(function),
                                       t.target().value, unbiased, t.target().value);
    t.add("walk", OperationKind::move, wrong::claims_exact(),
          Walk(params_.step, {params_.crank_nicolson, params_.prior_sd}, params_.mistake),
          t.position(), Edge<Normals>{graph.current(z)}, Edge<edge::LawOf<Estimates>>{estimates},
          t.noise("walk"), t.next(), Write<Normals>{Output::next(z)},
          Write<Estimate>{Output::next(kept)});
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongPseudoMarginal>(
      {.id = "wrong-pseudo-marginal",
       .summary = "a random walk by an estimate of the density, with a mistake of choice"});
}
