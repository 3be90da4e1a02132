// Barker's proposals with a Metropolis test, and one mistake of choice; all declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"
#include "wrong/step.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// Inputs: theta, law, u, g, noise. Outputs: theta, u, g. theta* = theta + b z, each b_i = 1 with
/// probability 1 / (1 + exp(z_i g_i)) and -1 else (Livingstone & Zanella 2022).
class StepBody final : public Body {
 public:
  enum In : std::size_t { theta, law, u, g, noise };

  StepBody(double size, wrong::Mistake mistake) : size_(size), mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    const ConstMatrixMap x = block.in(theta);
    const Index w = x.cols();
    Workspace& scratch = block.scratch();
    MatrixMap step = scratch.matrix(x.rows(), w);
    MatrixMap turn = scratch.matrix(x.rows(), w);
    MatrixMap end = scratch.matrix(x.rows(), w);
    MatrixMap g_end = scratch.matrix(x.rows(), w);
    RowMap u_end = scratch.row(w);
    RowMap uniform = scratch.row(w);
    block.normals(noise, step, 0);
    block.uniforms(noise, turn, 1);
    block.uniforms(noise, uniform, 2);
    const double way = mistake_.is("uphill") ? -size_ : size_;
    flat(turn) *= 1.0 + (way * flat(step) * flat(block.in(g))).exp();
    for (Index k = 0; k < step.size(); ++k) step(k) *= turn(k) < 1.0 ? size_ : -size_;
    flat(end) = flat(x) + flat(step);
    block.law(law).evaluate(end, {u_end.data(), g_end, scratch});
    for (Index j = 0; j < w; ++j) {
      double log_ratio = block.in_row(u)(j) - u_end(j);
      if (!mistake_.is("metropolis-ratio")) {
        log_ratio +=
            log_weight(step.col(j), block.in(g).col(j)) - log_weight(-step.col(j), g_end.col(j));
      }
      const bool accepted = std::log(uniform(j)) < log_ratio;
      if (accepted) block.out(0).col(j) = end.col(j);
      if (!accepted) u_end(j) = block.in_row(u)(j);
      if (!accepted) g_end.col(j) = block.in(g).col(j);
    }
    block.out_row(1) = u_end;
    block.out(2) = g_end;
  }

 private:
  /// sum of log(1 + exp(s_i g_i)): minus the log probability of the signs that make s.
  static double log_weight(const Eigen::Ref<const Eigen::VectorXd>& s,
                           const Eigen::Ref<const Eigen::VectorXd>& g) {
    return (s.array() * g.array()).exp().log1p().sum();
  }

  double size_;
  wrong::Mistake mistake_;
};

class WrongBarker final : public Kernel {
 public:
  struct Params {
    double step_size = 0.5;
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      fields.number("step_size", step_size)
          .above(0)
          .refines(Refines::step_size)
          .help("standard deviation of a step");
      mistake.declare(fields, {"metropolis-ratio", "uphill"});
    }
  };
  explicit WrongBarker(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    wrong::add_evaluated_step(graph, site,
                              std::make_shared<StepBody>(params_.step_size, params_.mistake));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongBarker>(
      {.id = "wrong-barker", .summary = "Barker's proposals, with a mistake of choice"});
}
