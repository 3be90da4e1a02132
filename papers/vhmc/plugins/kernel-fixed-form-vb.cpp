// Kernel `fixed-form-vb`: fits a Gaussian to the target by stochastic approximation.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace mixwell;

/// Layout of the history for dimension d: running means of -grad U (a), of the Hessian of U (P) and
/// of the points at which they were computed (z); then the same means over the second half of the
/// iterations, and t.
struct Layout {
  explicit Layout(Index dimension) : d(dimension) {}
  Index d;
  Index a() const { return 0; }
  Index P() const { return d; }
  Index z() const { return d + d * d; }
  Index half() const { return 2 * d + d * d; }  ///< first row of the means over the second half
  Index t() const { return 2 * half(); }
  Index rows() const { return t() + 1; }
};

struct Covariance : edge::Numbers<Role::parameter> {};

enum class Fit { diverging };

constexpr StatisticTable<Fit, 1> fit_statistics{
    {{Fit::diverging,
      {"diverging", RecordType::boolean, "",
       "whether a gradient or a Hessian was left out because it was not finite"}}}};

/// Costs 2 d + 1 gradients and O(d^3) operations for each column.
class FitGaussian {
 public:
  explicit FitGaussian(std::int64_t iterations) : iterations_(iterations) {}

  void operator()(Columns& block, edge::Law law, edge::Noise noise, edge::History before,
                  edge::Position theta, edge::Out<edge::History> state,
                  edge::Out<edge::Position> mean, edge::Out<Covariance> covariance,
                  edge::Statistics<Fit> statistics) const {
    const Index d = theta.rows();
    const Index w = block.columns();
    edge::begin(before, state);
    edge::begin(theta, mean);
    MatrixMap at = block.scratch().matrix(d, w);
    MatrixMap g = block.scratch().matrix(d, w);
    MatrixMap hessian = block.scratch().matrix(d * d, w);
    noise.per_step().normals(at, 0);
    for (Index j = 0; j < w; ++j) draw(state.col(j), mean.col(j), at.col(j), block.scratch());
    differentiate(block, law, at, g, hessian);
    for (Index j = 0; j < w; ++j) {
      const bool fine = g.col(j).allFinite() && hessian.col(j).allFinite();
      statistics[Fit::diverging](j) = fine ? 0.0 : 1.0;
      if (fine) learn(state.col(j), at.col(j), g.col(j), hessian.col(j));
      solve(state.col(j), mean.col(j), covariance.col(j), block.scratch());
    }
  }

 private:
  /// The approximation starts with P = I and mean 0.
  template <class Column, class Mean, class At>
  static void draw(Column state, Mean mean, At at, Workspace& scratch) {
    const Workspace::Frame frame(scratch);
    const Layout l(mean.size());
    if (state(l.t()) == 0.0) {
      MatrixMap(state.data() + l.P(), l.d, l.d).setIdentity();
      state.segment(l.z(), l.d) = mean;
    }
    MatrixMap factor = scratch.matrix(l.d, l.d);
    factor = ConstMatrixMap(state.data() + l.P(), l.d, l.d);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(factor);
    if (in_place.info() != Eigen::Success) factor.setIdentity();
    factor.triangularView<Eigen::Lower>().transpose().solveInPlace(at);
    at += mean;
  }

  /// Gradient and Hessian of the law on one minibatch, by central differences of the gradient.
  static void differentiate(Columns& block, const Law& law, MatrixMap at, MatrixMap g,
                            MatrixMap hessian) {
    const Workspace::Frame frame(block.scratch());
    const Index d = at.rows();
    const Index w = at.cols();
    MatrixMap up = block.scratch().matrix(d, w);
    MatrixMap down = block.scratch().matrix(d, w);
    law.evaluate(at, {nullptr, g, block.scratch()});
    for (Index i = 0; i < d; ++i) {
      for (const double side : {1.0, -1.0}) {
        at.row(i).array() += side * difference;
        law.evaluate(at, {nullptr, side > 0 ? up : down, block.scratch()});
        at.row(i).array() -= side * difference;
      }
      hessian.middleRows(i * d, d) = (up - down) / (2.0 * difference);
    }
  }

  template <class Column, class At, class G, class H>
  void learn(Column state, At at, G g, H hessian) const {
    const Layout l(at.size());
    const double t = state(l.t());
    const double weight = 1.0 / std::sqrt(static_cast<double>(iterations_));
    move(state.segment(l.a(), l.half()), l, weight, at, g, hessian);
    const double half = std::floor(0.5 * static_cast<double>(iterations_));
    if (t >= half) {
      move(state.segment(l.half(), l.half()), l, 1.0 / (t - half + 1.0), at, g, hessian);
    }
    state(l.t()) = t + 1.0;
  }

  template <class Means, class At, class G, class H>
  static void move(Means means, const Layout& l, double weight, At at, G g, H hessian) {
    means.segment(l.a(), l.d) += weight * (-g - means.segment(l.a(), l.d));
    means.segment(l.z(), l.d) += weight * (at - means.segment(l.z(), l.d));
    MatrixMap P(means.data() + l.P(), l.d, l.d);
    const ConstMatrixMap U(hessian.data(), l.d, l.d);
    P += weight * (0.5 * (U + U.transpose()) - P);
  }

  /// mean = P^-1 a + z. Uses only the second half of the iterations once this half has at least d
  /// and at least 10 iterations.
  template <class Column, class Mean, class Out>
  void solve(Column state, Mean mean, Out covariance, Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const Layout l(mean.size());
    const double half = std::floor(0.5 * static_cast<double>(iterations_));
    const bool late = state(l.t()) - half >= static_cast<double>(std::max<Index>(l.d, 10));
    const auto means = state.segment(late ? l.half() : 0, l.half());
    MatrixMap factor = scratch.matrix(l.d, l.d);
    factor = ConstMatrixMap(means.data() + l.P(), l.d, l.d);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(factor);
    MatrixMap inverse(covariance.data(), l.d, l.d);
    if (in_place.info() != Eigen::Success) {
      inverse.setIdentity();
      return;  // the mean does not change until P is positive definite
    }
    inverse.setIdentity();
    factor.triangularView<Eigen::Lower>().solveInPlace(inverse);
    factor.transpose().triangularView<Eigen::Upper>().solveInPlace(inverse);
    mean.noalias() = inverse.lazyProduct(means.segment(l.a(), l.d));
    mean += means.segment(l.z(), l.d);
  }

  static constexpr double difference = 1e-4;
  std::int64_t iterations_;
};

class FixedFormVb final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    std::int64_t iterations = 1000;

    void declare(Fields& fields) {
      fields.component("oracle", oracle)
          .or_default("exact")
          .help("oracle that computes U and grad U");
      fields.integer("iterations", iterations)
          .at_least(2)
          .at_most(1e12)
          .help("number T of iterations; set T to the number of sweeps of the run");
    }
  };
  explicit FixedFormVb(const Params& params) : params_(params) {}

 protected:
  void transition(Transition& t) const override {
    const Index d = t.dimension();
    const auto law = t.law(params_.oracle);
    const Variable means = t.graph().history(
        t.path("means"), Eigen::VectorXd::Zero(Layout(d).rows()), Forgets::persistent);
    Traits traits;
    traits.optimises = true;
    const auto [state, mean, covariance, statistics] = add_operation(
        t.graph(), t.path("fit"), OperationKind::move, traits, FitGaussian(params_.iterations), law,
        t.noise("fit"), Edge<edge::History>{t.graph().current(means)}, t.position(),
        Write<edge::History>{Output::next(means)}, t.next(),
        t.derived<Covariance>("covariance", d * d), t.statistics(fit_statistics));
    t.graph().record({.group = RecordGroup::sample_stats,
                      .name = recorded_name(t.site(), "covariance"),
                      .shape = {d, d},
                      .unit = "theta^2",
                      .help = "covariance of the Gaussian, whose mean is the draw",
                      .slot = t.site().number,
                      .value = covariance.value});
    t.record(fit_statistics.rows().front().what, statistics[Fit::diverging]);
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<FixedFormVb>(
      {.id = "fixed-form-vb",
       .summary =
           "Fit of the closest Gaussian to the target, by stochastic approximation (not a sampler)",
       .details =
           "Each sweep draws theta from the current Gaussian N(m, P^-1). The kernel computes the "
           "gradient of the oracle's U at theta, and the Hessian by central differences. This "
           "costs 2 d + 1 gradients, which share one minibatch. The kernel then updates three "
           "running means with weight 1 / sqrt T: `a` is the mean of -grad U, `P` is the mean of "
           "the Hessian, and `z` is the mean of theta. The new mean is m = P^-1 a + z. The final m "
           "and P are computed from the plain means of the last T / 2 iterations. Mixwell records "
           "m as the draw, and P^-1 as the statistic `covariance`. This matrix has d^2 entries for "
           "each draw. Set `thin` so that only the last draw is recorded. The certificate of this "
           "kernel has the class \"none\", so set allow = [\"none\"] in [run]. To get the result "
           "of variational EM for probit regression, use kernel `map`: EM ends at the mode of the "
           "target, because grad U = 0 at the fixed point of EM.",
       .sources = {"Salimans & Knowles 2013, Bayesian Analysis 8, algorithm 2 (with Hessians)"}});
}
