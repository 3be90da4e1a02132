// Delayed acceptance in one body, and one mistake of choice; all declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"
#include "wrong/step.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <vector>

namespace {

using namespace mixwell;

/// The law of the stages: V(x) = U(x) / 2 + a / 2 |x - c|^2, where a is drawn in every sweep.
struct Rough {
  double weight = 0.5;
  double pull = 0.0;
  Eigen::VectorXd centre;

  double at(double u, const Eigen::VectorXd& x) const {
    return weight * u + 0.5 * pull * (x - centre).squaredNorm();
  }
};

/// Inputs: theta, law, noise; output: theta. Two walks by exp(-V), each of them in all coordinates,
/// then min(1, exp(U(x) - U(y) - V(x) + V(y))).
class DelayedBody final : public Body {
 public:
  enum In : std::size_t { theta, law, noise };

  DelayedBody(double step, wrong::Mistake mistake) : step_(step), mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    block.out(0) = block.in(theta);
    for (Index j = 0; j < block.columns(); ++j) column(block, j);
  }

 private:
  void column(ColumnBlock& block, Index j) const {
    const Eigen::VectorXd x = block.in(theta).col(j);
    Rough rough{.weight = 0.5, .pull = 0.0, .centre = Eigen::VectorXd::Zero(x.size())};
    if (mistake_.is("own-fit")) {
      rough = {.weight = 0.0, .pull = 4.0, .centre = 0.5 * x};
    } else {
      rough.pull = 2.0 * uniform(block, j, 0);
    }
    Eigen::VectorXd y = x;
    for (std::uint32_t stage = 1; stage <= 2; ++stage) walk(block, j, stage, rough, y);
    Rough second = rough;
    if (mistake_.is("noise-anew")) second.pull = 2.0 * uniform(block, j, 30);
    const double u = potential(block, j, x);
    const double u_end = potential(block, j, y);
    double log_ratio = u - u_end;
    if (!mistake_.is("ratio-without-stages")) log_ratio += second.at(u_end, y) - second.at(u, x);
    if (std::log(uniform(block, j, 31)) < log_ratio) block.out(0).col(j) = y;
  }

  /// One Metropolis step by exp(-V). By mistake the two stages move another half of the coordinates
  /// each.
  void walk(ColumnBlock& block, Index j, std::uint32_t stage, const Rough& rough,
            Eigen::VectorXd& x) const {
    Workspace& scratch = block.scratch();
    MatrixMap z = scratch.matrix(x.size(), block.columns());
    block.normals(noise, z, 10 * stage);
    Eigen::VectorXd y = x;
    for (Index i = 0; i < x.size(); ++i) {
      const bool skipped = mistake_.is("cycle") && i % 2 != static_cast<Index>(stage) % 2;
      if (!skipped) y(i) += step_ * z(i, j);
    }
    const double log_ratio =
        rough.at(potential(block, j, x), x) - rough.at(potential(block, j, y), y);
    if (std::log(uniform(block, j, 10 * stage + 1)) < log_ratio) x = y;
  }

  double uniform(ColumnBlock& block, Index j, std::uint32_t draw) const {
    const Workspace::Frame frame(block.scratch());
    RowMap all = block.scratch().row(block.columns());
    block.uniforms(noise, all, draw);
    return all(j);
  }

  static double potential(ColumnBlock& block, Index j, const Eigen::VectorXd& x) {
    const Workspace::Frame frame(block.scratch());
    double u = 0.0;
    const std::vector<Index> column{j};
    MatrixMap at = block.scratch().matrix(x.size(), 1);
    at.col(0) = x;
    block.law(law)
        .regrouped(column.data())
        .evaluate(at, Evaluation::of_potential(&u, at, block.scratch()));
    return u;
  }

  double step_;
  wrong::Mistake mistake_;
};

class WrongDelayed final : public Kernel {
 public:
  struct Params {
    double step = 1.0;
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      fields.number("step", step).above(0).help("standard deviation of a step of the stages");
      mistake.declare(fields, {"cycle", "noise-anew", "own-fit", "ratio-without-stages"});
    }
  };
  explicit WrongDelayed(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    wrong::add_step(graph, site, std::make_shared<DelayedBody>(params_.step, params_.mistake));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongDelayed>(
      {.id = "wrong-delayed",
       .summary = "delayed acceptance in one body, with a mistake of choice"});
}
