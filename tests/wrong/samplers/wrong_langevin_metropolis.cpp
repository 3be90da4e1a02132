// Langevin proposals with a Metropolis test, and one mistake of choice; all declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"
#include "wrong/step.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// Inputs: theta, law, u, g, noise. Outputs: theta, u, g. theta* = theta - eps g + sqrt(2 eps) z
/// with an eps that is drawn for each transition.
class StepBody final : public Body {
 public:
  enum In : std::size_t { theta, law, u, g, noise };

  StepBody(double size, wrong::Mistake mistake) : size_(size), mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    const ConstMatrixMap x = block.in(theta);
    const Index w = x.cols();
    Workspace& scratch = block.scratch();
    MatrixMap end = scratch.matrix(x.rows(), w);
    MatrixMap g_end = scratch.matrix(x.rows(), w);
    RowMap u_end = scratch.row(w);
    RowMap uniform = scratch.row(w);
    RowMap eps = scratch.row(w);
    block.normals(noise, end, 0);
    block.uniforms(noise, uniform, 1);
    block.uniforms(noise, eps, 2);
    for (Index j = 0; j < w; ++j) {
      if (mistake_.is("jitter-by-state")) eps(j) = 1.0 / (1.0 + std::exp(x(0, j)));
      eps(j) = size_ * (0.2 + 1.6 * eps(j));
      const double sd = std::sqrt((mistake_.is("noise-scale") ? 1.0 : 2.0) * eps(j));
      end.col(j) = x.col(j) - eps(j) * block.in(g).col(j) + sd * end.col(j);
    }
    block.law(law).evaluate(end, {u_end.data(), g_end, scratch});
    for (Index j = 0; j < w; ++j) {
      double log_ratio = block.in_row(u)(j) - u_end(j);
      if (!mistake_.is("proposal-asymmetry")) {
        log_ratio += log_q(x.col(j), end.col(j), g_end.col(j), eps(j)) -
                     log_q(end.col(j), x.col(j), block.in(g).col(j), eps(j));
      }
      const bool accepted = std::log(uniform(j)) < log_ratio;
      if (accepted) block.out(0).col(j) = end.col(j);
      if (!accepted && !mistake_.is("stale-energy")) u_end(j) = block.in_row(u)(j);
      if (!accepted && !mistake_.is("stale-gradient")) g_end.col(j) = block.in(g).col(j);
    }
    block.out_row(1) = u_end;
    block.out(2) = g_end;
  }

 private:
  using Column = const Eigen::Ref<const Eigen::VectorXd>&;
  static double log_q(Column to, Column from, Column g, double eps) {
    return -(to - from + eps * g).squaredNorm() / (4.0 * eps);
  }

  double size_;
  wrong::Mistake mistake_;
};

class WrongLangevinMetropolis final : public Kernel {
 public:
  struct Params {
    double step_size = 0.1;
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      fields.number("step_size", step_size)
          .above(0)
          .refines(Refines::step_size)
          .help("mean of eps");
      mistake.declare(fields, {"proposal-asymmetry", "noise-scale", "jitter-by-state",
                               "stale-energy", "stale-gradient"});
    }
  };
  explicit WrongLangevinMetropolis(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    wrong::add_evaluated_step(graph, site,
                              std::make_shared<StepBody>(params_.step_size, params_.mistake));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongLangevinMetropolis>(
      {.id = "wrong-langevin-metropolis",
       .summary = "Langevin proposals and a Metropolis test, with a mistake of choice"});
}
