// A random walk whose graph is wired in four ways, three of them wrong although every declared
// trait is true; the same with two edges of a body exchanged; and Langevin steps whose noise is
// correlated.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/walk.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>

namespace {

using namespace mixwell;

/// Input: noise. Output: a uniform.
class UniformBody final : public Body {
 public:
  void run(ColumnBlock& block) const override { block.uniforms(0, block.out_row(0)); }
};

/// Input: a number, or theta. Output: eps, that times the scale.
class StepSizeBody final : public Body {
 public:
  StepSizeBody(double scale, bool of_theta) : scale_(scale), of_theta_(of_theta) {}
  void run(ColumnBlock& block) const override {
    RowMap eps = block.out_row(0);
    if (of_theta_) {
      eps = scale_ * (0.2 + block.in(0).colwise().squaredNorm().array()).matrix();
    } else {
      eps = scale_ * (0.05 + 2.0 * block.in_row(0).array()).matrix();
    }
  }

 private:
  double scale_;
  bool of_theta_;
};

/// Inputs: register, what it keeps. Output: the register's next version.
class KeepBody final : public Body {
 public:
  void run(ColumnBlock& block) const override { block.out(0) = block.in(1); }
};

/// Inputs: theta, law, noise, eps. Outputs: theta*, u*, g*.
class ProposeBody final : public Body {
 public:
  enum In : std::size_t { theta, law, noise, eps };
  explicit ProposeBody(bool exchanged) : exchanged_(exchanged) {}
  void run(ColumnBlock& block) const override {
    MatrixMap end = block.out(0);
    block.normals(noise, end);
    const ConstRowMap size = block.in_row(exchanged_ ? law : eps);
    for (Index j = 0; j < block.columns(); ++j)
      end.col(j) = block.in(theta).col(j) + size(j) * end.col(j);
    block.law(exchanged_ ? eps : law)
        .evaluate(end, {block.out_row(1).data(), block.out(2), block.scratch()});
  }

 private:
  bool exchanged_;
};

/// Inputs: theta, theta*, law, u, g, u*, g*, and a noise or a uniform. Outputs: theta, u, g.
class AcceptBody final : public Body, wrong::Decision {
 public:
  explicit AcceptBody(bool draws) : draws_(draws) {}
  void run(ColumnBlock& block) const override {
    RowMap uniform = block.scratch().row(block.columns());
    if (draws_) {
      block.uniforms(chance, uniform);
    } else {
      uniform = block.in_row(chance);
    }
    for (Index j = 0; j < block.columns(); ++j) {
      const double drop = block.in_row(u)(j) - block.in_row(u_end)(j);
      const bool taken = uniform(j) < (std::isfinite(drop) ? std::exp(std::min(0.0, drop)) : 0.0);
      block.out(next_theta).col(j) = block.in(taken ? theta_end : theta).col(j);
      block.out_row(next_u)(j) = block.in_row(taken ? u_end : u)(j);
      block.out(next_g).col(j) = block.in(taken ? g_end : g).col(j);
    }
  }

 private:
  bool draws_;
};

class WiredWalk final : public Kernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    double step_size = 1.0;
    std::string wiring = "none";
    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("where U comes from");
      fields.number("step_size", step_size)
          .above(0)
          .refines(Refines::step_size)
          .help("scale of the steps");
      fields.text("wiring", wiring)
          .one_of({"none", "shared", "register", "evaluation-role", "exchanged"})
          .help("the mistake, or none");
    }
  };
  explicit WiredWalk(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    const std::string& path = site.path;
    const Index d = graph[site.slot].rows;
    const Value law = params_.oracle->law(graph, path + "/oracle", site.target);
    const Value uniform =
        graph
            .add(path + "/uniform", OperationKind::pure, {},
                 {{graph.noise(path + "/uniform"), Role::noise}},
                 {Output::derived(path + "/u01", 1)}, std::make_shared<UniformBody>())
            .front();
    const bool by_place = is("evaluation-role");
    Variable kept{};
    Value from = by_place ? graph.current(site.slot) : uniform;
    if (is("register")) {
      kept = graph.history(path + "/kept", Eigen::VectorXd::Constant(1, 0.5), Forgets::window);
      from = graph.current(kept);
    }
    const Value eps = graph
                          .add(path + "/step-size", OperationKind::pure, {},
                               {{from, Role::parameter}}, {Output::derived(path + "/eps", 1)},
                               std::make_shared<StepSizeBody>(params_.step_size, by_place))
                          .front();
    Traits traits;
    traits.involution = true;
    traits.flips = Flips::noise;
    traits.volume = true;
    const auto end = graph.add(path + "/propose", OperationKind::move, traits,
                               {{graph.current(site.slot), Role::state},
                                {law, Role::law},
                                {graph.noise(path + "/propose"), Role::noise},
                                {eps, by_place ? Role::evaluation : Role::parameter}},
                               {Output::derived(path + "/theta*", d),
                                Output::derived(path + "/u*", 1), Output::derived(path + "/g*", d)},
                               std::make_shared<ProposeBody>(is("exchanged")));
    const bool draws = !is("shared") && !is("register");
    const Input chance =
        draws ? Input{graph.noise(path + "/accept"), Role::noise} : Input{uniform, Role::parameter};
    wrong::add_decision(graph, site, law, end, chance, std::make_shared<AcceptBody>(draws));
    if (!is("register")) return;
    graph.add(path + "/keep", OperationKind::observe, {},
              {{graph.current(kept), Role::state}, {uniform, Role::parameter}},
              {Output::next(kept)}, std::make_shared<KeepBody>());
  }

 private:
  bool is(const char* wiring) const { return params_.wiring == wiring; }
  Params params_;
};

/// Inputs: theta, law, noise. Output: theta. All coordinates have a share of the first one's noise.
class CorrelatedStepBody final : public Body {
 public:
  CorrelatedStepBody(double eps, double correlation) : eps_(eps), correlation_(correlation) {}
  void run(ColumnBlock& block) const override {
    const ConstMatrixMap theta = block.in(0);
    MatrixMap z = block.scratch().matrix(theta.rows(), theta.cols());
    MatrixMap g = block.scratch().matrix(theta.rows(), theta.cols());
    block.normals(2, z);
    block.law(1).evaluate(theta, {nullptr, g, block.scratch()});
    const double rest = std::sqrt(1.0 - correlation_ * correlation_);
    for (Index i = 1; i < z.rows(); ++i) z.row(i) = rest * z.row(i) + correlation_ * z.row(0);
    block.out(0) = theta - eps_ * g + std::sqrt(2.0 * eps_) * z;
  }

 private:
  double eps_;
  double correlation_;
};

class CorrelatedLangevin final : public Kernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    double step_size = 0.01;
    double correlation = 0.0;
    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("where grad U comes from");
      fields.number("step_size", step_size).above(0).refines(Refines::step_size).help("eps");
      fields.number("correlation", correlation).at_least(0).below(1).help("0 is right");
    }
  };
  explicit CorrelatedLangevin(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    Traits traits;
    traits.order = 1;
    traits.local = true;
    graph.add(site.path + "/step", OperationKind::move, traits,
              {{graph.current(site.slot), Role::state},
               {params_.oracle->law(graph, site.path + "/oracle", site.target), Role::law},
               {graph.noise(site.path + "/step"), Role::noise}},
              {Output::next(site.slot)},
              std::make_shared<CorrelatedStepBody>(params_.step_size, params_.correlation));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WiredWalk>({.id = "wired-walk", .summary = "a random walk, wired in several ways"});
  registrar.add<CorrelatedLangevin>(
      {.id = "correlated-langevin", .summary = "Langevin steps with correlated noise"});
}
