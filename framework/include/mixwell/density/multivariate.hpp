// Log densities of simplexes, vectors and Cholesky factors, with Stan's names and parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/density/distributions.hpp>

#include <cmath>
#include <numbers>

namespace mixwell {

/// The density of the first K - 1 elements of a simplex. `alpha` is one number or K numbers.
template <class S>
S dirichlet_lpdf(const VectorView<S>& theta, const Number auto& alpha) {
  const auto a = detail::number(alpha);
  const auto K = static_cast<double>(theta.size());
  const S logs = sum_of(theta, [](const S& one) { return S(log(one)); });
  return (a - 1.0) * logs + log_gamma(K * a) - K * log_gamma(a);
}
template <class S, class List>
S dirichlet_lpdf(const VectorView<S>& theta, const List& alpha) {
  S density = 0.0;
  std::decay_t<decltype(alpha[0] + 0.0)> all = 0.0;
  for (Index k = 0; k < theta.size(); ++k) {
    density += (alpha[k] - 1.0) * log(theta[k]) - log_gamma(alpha[k]);
    all += alpha[k];
  }
  return density + log_gamma(all);
}

/// The density of the K (K - 1) / 2 entries of L below the diagonal, where R = L L^T is a
/// correlation matrix with a density proportional to |R|^(eta - 1) (Lewandowski, Kurowicka & Joe
/// 2009, J. Multivariate Anal. 100, 1989-2001).
template <class S>
S lkj_corr_cholesky_lpdf(const MatrixView<S>& L, const Number auto& eta) {
  const auto e = detail::number(eta);
  const auto K = static_cast<double>(L.rows());
  S density = (K - 1.0) * log_gamma(e + 0.5 * (K - 1.0));
  for (Index i = 1; i < L.rows(); ++i) {
    const auto k = static_cast<double>(i);
    density += (K - 1.0 - k + 2.0 * (e - 1.0)) * log(L(i, i)) -
               0.5 * k * std::log(std::numbers::pi) - log_gamma(e + 0.5 * (K - 1.0 - k));
  }
  return density;
}

/// The density of y ~ N(mu, L L^T). y and mu have one element for each row of L. O(K^2).
template <class S, class List, class Means>
S multi_normal_cholesky_lpdf(const List& y, const Means& mu, const MatrixView<S>& L) {
  const Workspace::Frame frame(L.scratch());
  S* const z = L.scratch().template objects<S>(L.rows());
  S density = -static_cast<double>(L.rows()) * detail::half_log_two_pi;
  for (Index i = 0; i < L.rows(); ++i) {
    S rest = y[i] - mu[i];
    for (Index j = 0; j < i; ++j) rest -= L(i, j) * z[j];
    z[i] = rest / L(i, i);
    density -= 0.5 * square(z[i]) + log(L(i, i));
  }
  return density;
}

/// The density of the factor L of W = L L^T ~ Wishart(nu, F F^T), including the Jacobian of W(L).
/// The mean of W is nu F F^T, and nu must be above K - 1. F is lower triangular. Its elements F(i,
/// j) are constants or parameters. O(K^3).
template <class S, class Factor>
S wishart_cholesky_lpdf(const MatrixView<S>& L, const Number auto& nu, const Factor& F) {
  const auto n = detail::number(nu);
  const Index K = L.rows();
  const Workspace::Frame frame(L.scratch());
  S* const z = L.scratch().template objects<S>(K);
  const auto k = static_cast<double>(K);
  S density =
      k * std::log(2.0) * (1.0 - 0.5 * n) - 0.25 * k * (k - 1.0) * std::log(std::numbers::pi);
  for (Index i = 0; i < K; ++i) {
    const auto above = static_cast<double>(i);
    density += (n - 1.0 - above) * log(L(i, i)) - n * log(F(i, i)) - log_gamma(0.5 * (n - above));
  }
  for (Index column = 0; column < K; ++column)
    for (Index i = column; i < K; ++i) {
      S rest = L(i, column);
      for (Index j = column; j < i; ++j) rest -= F(i, j) * z[j];
      z[i] = rest / F(i, i);
      density -= 0.5 * square(z[i]);
    }
  return density;
}

}  // namespace mixwell
