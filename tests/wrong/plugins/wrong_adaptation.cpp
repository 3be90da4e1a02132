// A random walk that scales its steps to the spread of its recent draws, and never stops doing so.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// Inputs: theta, log eps, law, noise. Outputs: theta, log eps.
class WalkBody final : public Body {
 public:
  explicit WalkBody(double gain) : gain_(gain) {}

  void run(ColumnBlock& block) const override {
    const Index d = block.in(0).rows();
    const Index w = block.columns();
    Workspace& scratch = block.scratch();
    MatrixMap end = scratch.matrix(d, w);
    MatrixMap g = scratch.matrix(d, w);
    RowMap u = scratch.row(w);
    RowMap u_end = scratch.row(w);
    RowMap uniform = scratch.row(w);
    block.law(2).evaluate(block.in(0), {u.data(), g, scratch});
    block.normals(3, end, 0);
    for (Index j = 0; j < w; ++j) {
      end.col(j) = block.in(0).col(j) + std::exp(block.in(1)(0, j)) * end.col(j);
    }
    block.law(2).evaluate(end, {u_end.data(), g, scratch});
    block.uniforms(3, uniform, 1);
    for (Index j = 0; j < w; ++j) {
      const double probability = std::min(1.0, std::exp(u(j) - u_end(j)));
      if (uniform(j) >= probability) end.col(j) = block.in(0).col(j);
      block.out(0).col(j) = end.col(j);
      const double spread = std::sqrt(end.col(j).squaredNorm() / static_cast<double>(d) + 1e-6);
      block.out(1)(0, j) = block.in(1)(0, j) + gain_ * (std::log(spread) - block.in(1)(0, j));
    }
  }

 private:
  double gain_;
};

class RestlessWalk final : public Kernel {
 public:
  struct Params {
    double gain = 0.5;
    bool confess = false;
    void declare(Fields& fields) {
      fields.number("gain", gain).at_least(0).help("weight of the newest draw");
      fields.flag("confess", confess).help("declare that the past is never forgotten");
    }
  };
  explicit RestlessWalk(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    const Variable log_eps =
        graph.history(site.path + "/log-eps", Eigen::VectorXd::Zero(1),
                      params_.confess ? Forgets::persistent : Forgets::diminishing);
    Traits traits;
    traits.invariant = true;
    graph.add(site.path + "/move", OperationKind::move, traits,
              {{graph.current(site.slot), Role::state},
               {graph.current(log_eps), Role::parameter},
               {site.target, Role::law},
               {graph.noise(site.path + "/move"), Role::noise}},
              {Output::next(site.slot), Output::next(log_eps)},
              std::make_shared<WalkBody>(params_.gain));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<RestlessWalk>(
      {.id = "restless-walk", .summary = "a random walk whose step size never settles"});
}
