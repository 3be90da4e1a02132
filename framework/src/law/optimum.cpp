// Modes of a density, and the Hessian at a mode.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/law/optimum.hpp>

#include <Eigen/Cholesky>
#include <lbfgs.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace mixwell {
namespace {

constexpr int pair_count = 10;
/// Points whose gradients are evaluated together.
constexpr Index batch_size = 32;

struct FreeVector {
  void operator()(lbfgsfloatval_t* x) const { lbfgs_free(x); }
};

bool is_small(const Optimum& at, double tolerance) {
  return at.gradient.allFinite() && at.gradient.norm() <= tolerance;
}

/// The data and functions that liblbfgs calls.
struct Search {
  const ColumnLaw& law;
  double tolerance;
  Optimum best;

  /// A result other than 0 stops the search.
  static int progress(void* self, const lbfgsfloatval_t*, const lbfgsfloatval_t*, lbfgsfloatval_t,
                      lbfgsfloatval_t, lbfgsfloatval_t gradient_norm, lbfgsfloatval_t, int, int,
                      int) {
    return gradient_norm <= static_cast<const Search*>(self)->tolerance ? 1 : 0;
  }

  static lbfgsfloatval_t evaluate(void* self, const lbfgsfloatval_t* x, lbfgsfloatval_t* g, int n,
                                  lbfgsfloatval_t) {
    auto& search = *static_cast<Search*>(self);
    const ConstMatrixMap theta(x, n, 1);
    MatrixMap gradient(g, n, 1);
    double u = 0.0;
    search.law.evaluate(theta, &u, gradient);
    if (!std::isfinite(u) || !gradient.allFinite()) {
      gradient.setZero();
      return std::numeric_limits<double>::max();  // step too long: the line search goes back
    }
    if (u <= search.best.u) search.best = {theta, gradient, u, false};
    return u;
  }
};

/// Newton steps with the Hessian at the first point, as long as the steps reduce the gradient.
void polish_mode(const ColumnLaw& law, std::int64_t steps, Optimum& at) {
  const Eigen::LLT<Eigen::MatrixXd> cholesky(hessian(law, at.theta));
  if (cholesky.info() != Eigen::Success) return;
  for (std::int64_t k = 0; k < steps; ++k) {
    Optimum next = at;
    next.theta -= cholesky.solve(at.gradient);
    law.evaluate(next.theta, &next.u, next.gradient);
    if (!(next.gradient.norm() < 0.5 * at.gradient.norm()) || !std::isfinite(next.u)) return;
    at = next;
  }
}

/// Columns [first, first + count) of the Hessian.
Eigen::MatrixXd products(const ColumnLaw& law, const Eigen::VectorXd& theta, Index first,
                         Index count) {
  const Eigen::MatrixXd at = theta.replicate(1, count);
  Eigen::MatrixXd v = Eigen::MatrixXd::Zero(theta.size(), count);
  v.middleRows(first, count).setIdentity();
  Eigen::MatrixXd out(theta.size(), count);
  law.multiply_hessian(at, v, out);
  return out;
}

/// Columns [first, first + count) of the Hessian, by central differences of the gradient.
Eigen::MatrixXd differences(const ColumnLaw& law, const Eigen::VectorXd& theta, Index first,
                            Index count) {
  const Index d = theta.size();
  Eigen::MatrixXd up = theta.replicate(1, count);
  Eigen::MatrixXd down = up;
  Eigen::VectorXd width(count);
  for (Index k = 0; k < count; ++k) {
    const double step = std::cbrt(std::numeric_limits<double>::epsilon()) *
                        std::max(1.0, std::abs(theta(first + k)));
    up(first + k, k) += step;
    down(first + k, k) -= step;
    width(k) = up(first + k, k) - down(first + k, k);  // as rounded
  }
  Eigen::RowVectorXd u(count);
  Eigen::MatrixXd g_up(d, count);
  Eigen::MatrixXd g_down(d, count);
  law.evaluate(up, u.data(), g_up);
  law.evaluate(down, u.data(), g_down);
  return (g_up - g_down) * width.cwiseInverse().asDiagonal();
}

}  // namespace

void ColumnLaw::evaluate(ConstBatch theta, double* u, Batch gradient) const {
  const Workspace::Frame frame(scratch_);
  Index* const columns = scratch_.objects<Index>(theta.cols());
  std::fill_n(columns, theta.cols(), k_);
  law_.regrouped(columns).evaluate(theta, {u, gradient, scratch_});
  gradients_ += theta.cols();
}

void ColumnLaw::multiply_hessian(ConstBatch theta, ConstBatch v, Batch out) const {
  law_.multiply_hessian(theta, v, out, scratch_);
  gradients_ += 2 * theta.cols();
}

Optimum find_mode(const ColumnLaw& law, const Eigen::VectorXd& start, double tolerance,
                  std::int64_t max_iterations, std::int64_t polish) {
  Search search{law, tolerance, {start, Eigen::VectorXd::Zero(start.size()), 0.0, false}};
  law.evaluate(start, &search.best.u, search.best.gradient);
  if (std::isfinite(search.best.u) && !is_small(search.best, tolerance)) {
    const int n = static_cast<int>(start.size());
    // liblbfgs needs memory with its own alignment and length.
    const std::unique_ptr<lbfgsfloatval_t, FreeVector> x(lbfgs_malloc(n));
    std::copy_n(start.data(), n, x.get());
    lbfgs_parameter_t settings;
    lbfgs_parameter_init(&settings);
    settings.m = pair_count;
    settings.epsilon = 0.0;  // unused, because it is relative to |theta|
    settings.max_iterations = static_cast<int>(max_iterations);
    settings.linesearch = LBFGS_LINESEARCH_BACKTRACKING_STRONG_WOLFE;
    settings.max_linesearch = 60;
    lbfgs(n, x.get(), nullptr, &Search::evaluate, &Search::progress, &search, &settings);
  }
  Optimum found = search.best;
  if (polish > 0 && found.gradient.allFinite() && found.gradient.norm() > 0.0) {
    polish_mode(law, polish, found);
  }
  found.converged = std::isfinite(found.u) && is_small(found, tolerance);
  return found;
}

Eigen::MatrixXd hessian(const ColumnLaw& law, const Eigen::VectorXd& theta) {
  const Index d = theta.size();
  Eigen::MatrixXd h(d, d);
  for (Index first = 0; first < d; first += batch_size) {
    const Index count = std::min(batch_size, d - first);
    h.middleCols(first, count) = law.multiplies_hessians() ? products(law, theta, first, count)
                                                           : differences(law, theta, first, count);
  }
  return 0.5 * (h + h.transpose());
}

}  // namespace mixwell
