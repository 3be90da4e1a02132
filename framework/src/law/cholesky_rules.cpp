// Cholesky factors of correlation and covariance matrices: lower triangles, recorded row by row.
// SPDX-License-Identifier: Apache-2.0
#include "law/constraint_rule.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace mixwell {
namespace {

/// The rule for lower triangles (M x N) that L breaks, or "" if it breaks none.
std::string broken_triangle(const Eigen::VectorXd& L, Index M, Index N) {
  if (!L.allFinite()) return "all elements must be finite";
  for (Index i = 0; i < M; ++i) {
    if (i < N && !(L[i * N + i] > 0.0))
      return fmt::format("each diagonal element must be positive (got {})", L[i * N + i]);
    for (Index j = i + 1; j < N; ++j)
      if (L[i * N + j] != 0.0)
        return fmt::format("each element above the diagonal must be 0 (got {})", L[i * N + j]);
  }
  return {};
}

/// Row i is made from its i partial correlations z_ij = tanh(y_ij), with
/// r_ij = prod_(k < j) (1 - z_ik^2): L_ij = z_ij sqrt(r_ij), L_ii = sqrt(r_ii). For the elements
/// below the diagonal, log |J| = sum_ij log(1 - z_ij^2) + 1/2 log r_ij.
/// (Lewandowski, Kurowicka & Joe, Journal of Multivariate Analysis 100, 2009, 1989-2001)
class CholeskyCorrelation final : public RuleOfColumns<CholeskyCorrelation> {
 public:
  explicit CholeskyCorrelation(Index K) : K_(K) {}

  void column(const double* y, double* L) const {
    for (Index i = 0; i < K_; ++i) {
      double root = 1.0;
      for (Index j = 0; j < i; ++j, ++y) {
        L[j] = std::tanh(*y) * root;
        root /= std::cosh(*y);
      }
      L[i] = root;
      for (Index j = i + 1; j < K_; ++j) L[j] = 0.0;
      L += K_;
    }
  }

  /// dL_ij / dy_ij = sqrt(r_ij) (1 - z_ij^2). All later elements of the row are multiples of
  /// sqrt(1 - z_ij^2), whose logarithm has the derivative -z_ij.
  void pull_back_column(const double* y, const double* L, const double* gradient, double* g) const {
    for (Index i = 0; i < K_; ++i) {
      const Index before = i * (i - 1) / 2;
      double after = gradient[i * K_ + i] * L[i * K_ + i];
      double root = L[i * K_ + i];  // sqrt(r_(i, j + 1))
      for (Index j = i; j-- > 0;) {
        const double z = std::tanh(y[before + j]);
        g[before + j] = gradient[i * K_ + j] * root / std::cosh(y[before + j]) - z * after;
        after += gradient[i * K_ + j] * L[i * K_ + j];
        root *= std::cosh(y[before + j]);
      }
    }
  }

  /// log(1 - z_ij^2) is also a term of log r_ik for the i - 1 - j later elements below the
  /// diagonal.
  double log_jacobian_of_column(const double* y) const {
    double sum = 0.0;
    for (Index i = 0; i < K_; ++i)
      for (Index j = 0; j < i; ++j, ++y)
        sum += (1.0 + 0.5 * static_cast<double>(i - 1 - j)) * log_rest(*y);
    return sum;
  }

  void subtract_gradient_of_column(const double* y, double* g) const {
    for (Index i = 0; i < K_; ++i)
      for (Index j = 0; j < i; ++j, ++y, ++g)
        *g += (2.0 + static_cast<double>(i - 1 - j)) * std::tanh(*y);
  }

  void unconstrain_column(const double* L, double* y) const {
    for (Index i = 0; i < K_; ++i) {
      double rest = 1.0;
      for (Index j = 0; j < i; ++j, ++y) {
        const double entry = L[i * K_ + j];
        *y = std::atanh(entry / std::sqrt(rest));
        rest -= entry * entry;
      }
    }
  }

  std::string broken_rule(const Eigen::VectorXd& L) const override {
    std::string broken = broken_triangle(L, K_, K_);
    for (Index i = 0; broken.empty() && i < K_; ++i) {
      const double length = L.segment(i * K_, K_).norm();
      if (!(std::abs(length - 1.0) <= rounding_of_sums))
        broken = fmt::format("the Euclidean norm of each row must be 1, but row {} has the norm {}",
                             i, length);
    }
    return broken;
  }

  bool is_fixed(Index value) const noexcept override {
    return value == 0 || value % K_ > value / K_;
  }

 private:
  /// log(1 - tanh(y)^2) = -2 log cosh y, without overflow.
  static double log_rest(double y) {
    return 2.0 * (std::numbers::ln2 - std::abs(y) - std::log1p(std::exp(-2.0 * std::abs(y))));
  }

  Index K_;
};

/// Coordinates are the free elements, row by row, with e^y on the diagonal. log |J| is the sum of
/// the y on the diagonal.
class CholeskyCovariance final : public RuleOfColumns<CholeskyCovariance> {
 public:
  CholeskyCovariance(Index M, Index N) : M_(M), N_(N) {}

  void column(const double* y, double* L) const {
    for (Index i = 0; i < M_; ++i)
      for (Index j = 0; j < N_; ++j, ++L) *L = j > i ? 0.0 : value(i == j, *y++);
  }

  void pull_back_column(const double* y, const double*, const double* gradient, double* g) const {
    for_each([&](Index i, Index j, Index k) {
      g[k] = gradient[i * N_ + j] * (i == j ? std::exp(y[k]) : 1.0);
    });
  }

  double log_jacobian_of_column(const double* y) const {
    double sum = 0.0;
    for_each([&](Index i, Index j, Index k) { sum += i == j ? y[k] : 0.0; });
    return sum;
  }

  void subtract_gradient_of_column(const double*, double* g) const {
    for_each([&](Index i, Index j, Index k) { g[k] -= i == j ? 1.0 : 0.0; });
  }

  void unconstrain_column(const double* L, double* y) const {
    for_each([&](Index i, Index j, Index k) {
      y[k] = i == j ? std::log(L[i * N_ + j]) : L[i * N_ + j];
    });
  }

  std::string broken_rule(const Eigen::VectorXd& L) const override {
    return broken_triangle(L, M_, N_);
  }

  bool is_fixed(Index value) const noexcept override { return value % N_ > value / N_; }

 private:
  static double value(bool on_diagonal, double y) { return on_diagonal ? std::exp(y) : y; }

  /// Calls visit(row, column, coordinate) for each free element.
  template <class Visit>
  void for_each(const Visit& visit) const {
    Index k = 0;
    for (Index i = 0; i < M_; ++i)
      for (Index j = 0; j <= i && j < N_; ++j) visit(i, j, k++);
  }

  Index M_;
  Index N_;
};

}  // namespace

std::shared_ptr<const ConstraintRule> cholesky_correlation_rule(Index K) {
  return std::make_shared<CholeskyCorrelation>(K);
}

std::shared_ptr<const ConstraintRule> cholesky_covariance_rule(Index M, Index N) {
  return std::make_shared<CholeskyCovariance>(M, N);
}

}  // namespace mixwell
