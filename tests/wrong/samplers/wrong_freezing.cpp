// A random walk whose step size is learnt in warm-up and declared to be frozen after it; a wrong
// mutant writes it in secret. All declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// Inputs: theta, log eps, law, noise. Outputs: theta, and in warm-up log eps.
class WalkBody final : public Body {
 public:
  WalkBody(bool learns, wrong::Mistake mistake) : learns_(learns), mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    const ConstMatrixMap x = block.in(0);
    const Index w = x.cols();
    Workspace& scratch = block.scratch();
    MatrixMap end = scratch.matrix(x.rows(), w);
    MatrixMap g = scratch.matrix(x.rows(), w);
    RowMap u = scratch.row(w);
    RowMap u_end = scratch.row(w);
    RowMap uniform = scratch.row(w);
    block.law(2).evaluate(x, {u.data(), g, scratch});
    block.normals(3, end, 0);
    for (Index j = 0; j < w; ++j) end.col(j) = x.col(j) + std::exp(block.in(1)(0, j)) * end.col(j);
    block.law(2).evaluate(end, {u_end.data(), g, scratch});
    block.uniforms(3, uniform, 1);
    const bool secretly = mistake_.is("never-frozen") || mistake_.is("own-position");
    for (Index j = 0; j < w; ++j) {
      const double probability = std::min(1.0, std::exp(u(j) - u_end(j)));
      if (uniform(j) < probability) block.out(0).col(j) = end.col(j);
      if (!learns_ && !secretly) continue;
      double* const log_eps =
          learns_ ? block.out(1).data() : const_cast<double*>(block.in(1).data());
      log_eps[j] = mistake_.is("own-position")
                       ? 0.5 * std::log(0.1 + block.out(0).col(j).squaredNorm())
                       : block.in(1)(0, j) + 0.05 * (probability - 0.4);
    }
  }

 private:
  bool learns_;
  wrong::Mistake mistake_;
};

class WrongFreezing final : public Kernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) { mistake.declare(fields, {"never-frozen", "own-position"}); }
  };
  explicit WrongFreezing(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    const Variable log_eps =
        graph.history(site.path + "/log-eps", Eigen::VectorXd::Zero(1), Forgets::diminishing);
    const bool learns = site.phase == PhaseKind::warmup;
    std::vector<Output> outputs{Output::next(site.slot)};
    if (learns) outputs.push_back(Output::next(log_eps));
    graph.add(site.path + "/move", OperationKind::move, wrong::claims_exact(),
              {{graph.current(site.slot), Role::state},
               {graph.current(log_eps), learns ? Role::state : Role::parameter},
               {site.target, Role::law},
               {graph.noise(site.path + "/move"), Role::noise}},
              std::move(outputs), std::make_shared<WalkBody>(learns, params_.mistake));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongFreezing>(
      {.id = "wrong-freezing", .summary = "a learnt random walk, with a mistake of choice"});
}
