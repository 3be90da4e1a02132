// Estimator `rms-diagonal`: a diagonal RMSprop preconditioner from the slot's past gradients.
// SPDX-License-Identifier: Apache-2.0
#include "covariance/diagonal.hpp"
#include "own/estimator.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>

namespace {

using namespace mixwell;

/// Layout of the history for dimension d: the averages v of gbar^2 and w of its derivative
/// d(gbar_i^2)/dtheta_i (d each), and the number of gradients so far.
struct Layout {
  explicit Layout(Index dimension) : d(dimension) {}
  Index d;
  Index square() const { return 0; }
  Index derivative() const { return d; }
  Index seen() const { return 2 * d; }
  Index rows() const { return 2 * d + 1; }
};

enum class Gamma { none, one_step, stationary };

class RmsDiagonal final : public own::FollowingEstimator, public RowByRow {
 public:
  struct Params {
    double alpha = 0.99;
    double lambda = 1e-5;
    std::string gamma = "stationary";

    void declare(Fields& fields) {
      fields.number("alpha", alpha)
          .at_least(0)
          .below(1)
          .help(
              "decay rate alpha: each step replaces the average v by alpha v + (1 - alpha) gbar^2");
      fields.number("lambda", lambda)
          .above(0)
          .help(
              "lambda in H = 1 / (lambda + sqrt v), in the units of gbar (H is always below 1 / "
              "lambda)");
      fields.text("gamma", gamma)
          .one_of({"none", "one-step", "stationary"})
          .help(
              "drift correction Gamma: `none` (as published), `one-step` or `stationary`. "
              "`one-step` differentiates v only through the current gradient, whose weight in v is "
              "1 - alpha. With `none` or `one-step`, the sampled distribution differs from the "
              "target at every step size. `stationary` differentiates v through all gradients in "
              "v. H then uses only gradients from earlier steps");
    }
  };

  /// H < 1 / lambda.
  static Traits declared() { return continuous(Bound::global); }

  explicit RmsDiagonal(const Params& params)
      : FollowingEstimator(std::make_shared<covariance::DiagonalRepresentation>(), declared()),
        alpha_(params.alpha),
        lambda_(params.lambda),
        gamma_(params.gamma == "none"       ? Gamma::none
               : params.gamma == "one-step" ? Gamma::one_step
                                            : Gamma::stationary) {}

  /// Gamma uses differences in random directions of the whole position.
  bool is_row_by_row() const noexcept override { return gamma_ == Gamma::none; }

  Index rows(Index dimension) const override {
    return covariance::DiagonalNumbers(dimension).rows();
  }

  Index state_rows(Index dimension) const noexcept override { return Layout(dimension).rows(); }
  bool sees_present() const noexcept override { return gamma_ != Gamma::stationary; }
  bool has_drift_correction() const noexcept override { return gamma_ != Gamma::none; }
  Traits drift_correction_traits() const override {
    Traits traits;
    traits.total = gamma_ == Gamma::stationary;
    return traits;
  }

  std::int64_t gradients() const noexcept override { return gamma_ == Gamma::none ? 0 : 2; }

  /// Updates the averages. The first gradients have equal weights, as in a plain mean. O(d); with
  /// Gamma also two gradients of the target density of the steps.
  void observe(const Here& here, Batch state) const override {
    const Workspace::Frame frame(here.scratch);
    const Index d = here.theta.rows();
    const Layout at(d);
    const MatrixMap mean = mean_gradient(here, here.theta, here.g);
    const bool wants_derivative = gamma_ != Gamma::none;
    const MatrixMap slope = here.scratch.matrix(d, wants_derivative ? here.theta.cols() : 0);
    if (wants_derivative) own_derivatives(here, slope);
    for (Index j = 0; j < state.cols(); ++j) {
      const double seen = state(at.seen(), j);
      const double keep = std::min(alpha_, seen / (seen + 1.0));
      auto square = state.col(j).segment(at.square(), d);
      square = keep * square + (1.0 - keep) * mean.col(j).cwiseAbs2();
      state(at.seen(), j) = seen + 1.0;
      if (!wants_derivative) continue;
      const double kept = gamma_ == Gamma::stationary ? keep : 0.0;
      const double share = gamma_ == Gamma::stationary ? 1.0 - keep : 1.0 - alpha_;
      auto derivative = state.col(j).segment(at.derivative(), d);
      derivative = kept * derivative + (2.0 * share) * mean.col(j).cwiseProduct(slope.col(j));
    }
  }

  /// With gamma = "stationary", H = 0 until the average has 1 / (1 - alpha) gradients. An average
  /// of few gradients may be close to 0, and Gamma is then as large as 1 / lambda^2.
  void fit(const Potential&, ConstBatch, ConstBatch state, Batch numbers,
           Workspace&) const override {
    const Index d = numbers.rows() / 2;
    const Layout at(d);
    const covariance::DiagonalNumbers to(d);
    for (Index j = 0; j < numbers.cols(); ++j) {
      const auto v = state.col(j).segment(at.square(), d).array();
      auto H = numbers.col(j).segment(to.variance(), d);
      H = (lambda_ + v.sqrt()).inverse();
      if (gamma_ == Gamma::stationary && state(at.seen(), j) < fewest()) H.setZero();
      numbers.col(j).segment(to.deviation(), d) = H.cwiseSqrt();
    }
  }

  /// Gamma_i = dH_ii/dtheta_i = -H_ii^2 w_i / (2 sqrt v_i).
  void drift_correction(const Potential&, ConstBatch, ConstBatch state, ConstBatch numbers,
                        Batch out, Workspace&) const override {
    const Layout at(out.rows());
    for (Index j = 0; j < out.cols(); ++j) {
      for (Index i = 0; i < at.d; ++i) {
        const double root = std::sqrt(state(at.square() + i, j));
        const double H = numbers(i, j);
        const double slope = state(at.derivative() + i, j);
        out(i, j) = root > 0.0 ? -H * H * slope / (2.0 * root) : 0.0;
      }
    }
  }

 private:
  double fewest() const noexcept { return 1.0 / (1.0 - alpha_); }

  /// gbar = mean over the cases of the batch of grad u_n, without the prior. A target that is not a
  /// sum counts as one case without a prior.
  static MatrixMap mean_gradient(const Here& here, ConstBatch theta, ConstBatch g) {
    MatrixMap mean = here.scratch.matrix(theta.rows(), theta.cols());
    if (const SumOfTerms* sum = here.target.offers<SumOfTerms>()) {
      sum->evaluate_rest(theta, {nullptr, mean, here.scratch});
      flat(mean) = (flat(g) - flat(mean)) / static_cast<double>(sum->terms());
    } else {
      flat(mean) = flat(g);
    }
    return mean;
  }

  /// An unbiased estimate of d gbar_i / d theta_i from two gradients, on the batch of `here.g`: E
  /// z_i (J z)_i = J_ii for random signs z. Uses central differences and the signs of normals.
  static void own_derivatives(const Here& here, MatrixMap out) {
    const Workspace::Frame frame(here.scratch);
    const Index d = here.theta.rows();
    const Index w = here.theta.cols();
    MatrixMap z = here.scratch.matrix(d, w);
    MatrixMap moved = here.scratch.matrix(d, w);
    MatrixMap g = here.scratch.matrix(d, w);
    here.noise.normals(z, 0);
    z = z.unaryExpr([](double x) { return x < 0.0 ? -1.0 : 1.0; });
    out.setZero();
    for (const double side : {1.0, -1.0}) {
      for (Index j = 0; j < w; ++j) {
        moved.col(j) = here.theta.col(j) + side * step(here.theta.col(j)) * z.col(j);
      }
      here.law.evaluate(moved, {nullptr, g, here.scratch});
      out += side * mean_gradient(here, moved, g);
    }
    for (Index j = 0; j < w; ++j) {
      out.col(j) = out.col(j).cwiseProduct(z.col(j)) / (2.0 * step(here.theta.col(j)));
    }
  }

  /// Step of the differences. Balances rounding errors against the curvature of the gradient:
  /// eps^(1/3) times the size of the position.
  template <class Column>
  static double step(const Column& theta) {
    return 6e-6 * std::max(1.0, theta.cwiseAbs().maxCoeff());
  }

  double alpha_;
  double lambda_;
  Gamma gamma_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<RmsDiagonal>(
      {.id = "rms-diagonal",
       .summary = "H = 1 / (lambda + sqrt v), where v is an average of squared gradients (PSGLD)",
       .details = "gbar is the mean of grad log p(x_n | theta) over the batch, without the "
                  "prior. Each step of the chain replaces v by alpha v + (1 - alpha) gbar^2. As "
                  "the step size shrinks, v follows E gbar^2(theta), so H depends on theta. The "
                  "drift then needs Gamma_i = dH_ii / dtheta_i, differentiated through all "
                  "gradients in v. Only gamma = \"stationary\" uses this Gamma. With this "
                  "setting, the chain does not move during its first 1 / (1 - alpha) steps, "
                  "because they fill the average. Unless gamma = \"none\", each step costs two "
                  "more gradients on the same batch. Their difference is a random combination of "
                  "the columns of the Hessian. It gives an unbiased estimate of the diagonal of "
                  "the Hessian. The published sampler leaves Gamma out and is therefore biased: on "
                  "N(0, 1) with alpha = 0.9 and lambda = 0.1, it gives E theta^2 = 1.9 instead of "
                  "1. Use this estimator with kernel `langevin`.",
       .sources = {
           "Li, Chen, Carlson & Carin 2016, AAAI (PSGLD, which leaves Gamma out in practice)",
           "Ma, Chen & Fox 2015, NIPS (why Gamma is needed)",
           "Bekas, Kokiopoulou & Saad 2007, Applied Numerical Mathematics 57 (estimates of a "
           "diagonal from random signs)"}});
}
