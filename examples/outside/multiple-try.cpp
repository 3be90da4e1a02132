// A kernel from outside Mixwell: multiple-try Metropolis.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>
#include <limits>

namespace {

using namespace mixwell;

/// Chooses one of k trials around theta with probability proportional to exp(-U), and accepts it
/// with min(1, W / W*). W is the sum of exp(-U) over the trials. W* is the sum over theta and k - 1
/// trials around the chosen one. 2 k evaluations.
class TrySeveral {
 public:
  TrySeveral(double scale, std::int64_t tries) : scale_(scale), tries_(tries) {}

  void operator()(Columns& block, edge::Position theta, edge::Law law, edge::Noise noise,
                  edge::Out<edge::Position> next) const {
    constexpr double none = -std::numeric_limits<double>::infinity();
    Workspace& scratch = block.scratch();
    const Index w = theta.cols();
    MatrixMap y = scratch.matrix(theta.rows(), w);
    MatrixMap taken = scratch.matrix(theta.rows(), w);
    RowMap u = scratch.row(w), best = scratch.row(w), uniform = scratch.row(w);
    RowMap there = scratch.row(w), back = scratch.row(w);  // log W and log W*
    taken = theta;
    best.setConstant(none), there.setConstant(none), back.setConstant(none);
    std::uint32_t draw = 0;
    for (std::int64_t k = 0; k < tries_; ++k) {
      noise.normals(y, draw++);
      y = theta + scale_ * y;
      law.evaluate(y, Evaluation::of_potential(u.data(), y, scratch));
      noise.uniforms(uniform, draw++);
      for (Index j = 0; j < w; ++j) {
        add(there(j), -u(j));
        const double key =
            -u(j) - std::log(-std::log(uniform(j)));  // the largest key wins: Gumbel's trick
        if (key > best(j)) best(j) = key, taken.col(j) = y.col(j);
      }
    }
    for (std::int64_t k = 1; k <= tries_; ++k) {
      noise.normals(y, draw++);
      y = taken + scale_ * y;
      if (k == tries_) y = theta;
      law.evaluate(y, Evaluation::of_potential(u.data(), y, scratch));
      for (Index j = 0; j < w; ++j) add(back(j), -u(j));
    }
    noise.uniforms(uniform, draw);
    edge::begin(theta, next);
    for (Index j = 0; j < w; ++j) {
      if (uniform(j) < std::exp(there(j) - back(j))) next.col(j) = taken.col(j);
    }
  }

 private:
  /// sum = log(exp(sum) + exp(x)). A trial with density 0 adds nothing.
  static void add(double& sum, double x) {
    if (!(x > -std::numeric_limits<double>::infinity())) return;
    const double high = std::max(sum, x);
    sum = high + std::log(std::exp(sum - high) + std::exp(x - high));
  }

  double scale_;
  std::int64_t tries_;
};

class MultipleTry final : public TransitionKernel {
 public:
  struct Params {
    double scale = 1.0;
    std::int64_t tries = 5;

    void declare(Fields& fields) {
      fields.number("scale", scale).above(0).help("standard deviation of a trial");
      fields.integer("tries", tries)
          .at_least(1)
          .at_most(1000)
          .help("k, number of trials in each transition");
    }
  };
  explicit MultipleTry(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    Traits traits;
    traits.invariant = true;
    t.add("try", OperationKind::move, traits, TrySeveral(params_.scale, params_.tries),
          t.position(), t.target(), t.noise("try"), t.next());
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<MultipleTry>({.id = "multiple-try",
                              .summary = "Multiple-try Metropolis with normal trials",
                              .sources = {"Liu, Liang & Wong 2000, JASA 95"}});
}
