// Priors of the factors and biases of users or items.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.hpp"
#include "row_prior.hpp"

#include <Eigen/Cholesky>

#include <cmath>

namespace mixwell::factorisation {

/// Every number of X is N(0, 1 / precision).
class FixedPrior final : public hyper_prior::RowPrior {
 public:
  explicit FixedPrior(double precision) : precision_(precision) {}

  std::vector<Parameter> parameters(const std::string&) const override { return {}; }
  Index coordinates() const noexcept override { return 0; }

  void add(ConstBatch X, const double* h, double& u, Batch gX, double*,
           Workspace& scratch) const override {
    gX += precision_ * X;
    u += potential(X, h, scratch);
  }
  double potential(ConstBatch X, const double*, Workspace&) const override {
    return 0.5 * precision_ * X.squaredNorm();
  }
  void add_precision(const double*, Batch precision, Batch, Workspace&) const override {
    precision.diagonal().array() += precision_;
  }
  void draw(RandomNumbers&, ConstBatch, double*, Workspace&) const override {}
  void draw_rows(RandomNumbers& random, const double*, Batch X, Workspace&) const override {
    hyper_prior::draw_normals(random, 1.0 / std::sqrt(precision_), X);
  }

 private:
  double precision_;
};

/// x_i ~ N(m, (C C')^-1), C C' ~ Wishart(degrees, I), m ~ N(0, (strength C C')^-1): Salakhutdinov &
/// Mnih 2008, eqs. 5 to 8. h holds m, then the lower triangle C row by row, with logarithms on its
/// diagonal. In these coordinates the Wishart density is
///   prod_j C_jj^(degrees - j) exp(-|C|^2 / 2), j from 0.
/// This is Bartlett's C_jj^(degrees - j - 1), times C_jj because its logarithm is the coordinate.
class NormalWishartPrior final : public hyper_prior::RowPrior {
 public:
  NormalWishartPrior(Index k, double strength, double degrees)
      : k_(k), strength_(strength), degrees_(degrees) {}

  std::vector<Parameter> parameters(const std::string& what) const override {
    return {{.name = what + "_mean", .shape = {k_}, .dims = {"factor"}},
            {.name = what + "_precision_factor",
             .shape = {k_, k_},
             .constraint = Constraint::cholesky_covariance()}};
  }
  Index coordinates() const noexcept override { return k_ + k_ * (k_ + 1) / 2; }

  /// 4 n k^2 multiplications and additions.
  void add(ConstBatch X, const double* h, double& u, Batch gX, double* gh,
           Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const Off off(*this, X, h, scratch);
    u += off.potential(*this, h);
    MatrixMap pull = scratch.matrix(k_, X.cols());  // C C' (x_i - m)
    pull.noalias() = off.C * off.scaled;
    gX += pull;
    Eigen::Map<Eigen::VectorXd> g_mean(gh, k_);
    g_mean -= pull.rowwise().sum();
    g_mean.noalias() += strength_ * (off.C * off.scaled_mean);
    MatrixMap g_factor = scratch.matrix(k_, k_);
    g_factor.noalias() = off.centred * off.scaled.transpose();
    g_factor.noalias() += strength_ * mean(h) * off.scaled_mean.transpose();
    g_factor += off.C;
    add_to_triangle(off.C, g_factor, static_cast<double>(X.cols()), gh + k_);
  }
  double potential(ConstBatch X, const double* h, Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    return Off(*this, X, h, scratch).potential(*this, h);
  }

  void add_precision(const double* h, Batch precision, Batch shift,
                     Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const MatrixMap C = triangle(h, scratch);
    MatrixMap Q = scratch.matrix(k_, k_);
    Q.noalias() = C * C.transpose();
    precision += Q;
    shift.noalias() += Q * mean(h);
  }

  /// Strength and degrees grow by n. The inverse scale grows by the scatter about the mean, and by
  /// a term for the distance of the mean from 0. O(n k^2 + k^3).
  void draw(RandomNumbers& random, ConstBatch X, double* h, Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const auto n = static_cast<double>(X.cols());
    const double strength = strength_ + n;
    MatrixMap centre = scratch.matrix(k_, 1);
    centre = X.rowwise().sum() / strength;
    MatrixMap inverse_scale = scratch.matrix(k_, k_);
    inverse_scale.setIdentity();
    inverse_scale.noalias() += X * X.transpose();
    inverse_scale.noalias() -= strength * centre * centre.transpose();
    const MatrixMap L = factor_of_inverse(inverse_scale, scratch);
    MatrixMap C = scratch.matrix(k_, k_);
    MatrixMap mean = scratch.matrix(k_, 1);
    draw_normal_wishart(random, centre, strength, degrees_ + n, L, mean, C);
    Eigen::Map<Eigen::VectorXd>(h, k_) = mean;
    pack(C, h + k_);
  }

  /// m + C'^-1 z.
  void draw_rows(RandomNumbers& random, const double* h, Batch X,
                 Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const MatrixMap C = triangle(h, scratch);
    hyper_prior::draw_normals(random, 1.0, X);
    C.transpose().triangularView<Eigen::Upper>().solveInPlace(X);
    X.colwise() += mean(h);
  }

 private:
  static Eigen::Map<const Eigen::VectorXd> mean(const double* h, Index k) { return {h, k}; }
  Eigen::Map<const Eigen::VectorXd> mean(const double* h) const { return mean(h, k_); }

  /// C from its coordinates.
  MatrixMap triangle(const double* h, Workspace& scratch) const {
    MatrixMap C = scratch.matrix(k_, k_);
    C.setZero();
    const double* next = h + k_;
    for (Index i = 0; i < k_; ++i) {
      for (Index j = 0; j < i; ++j) C(i, j) = *next++;
      C(i, i) = std::exp(*next++);
    }
    return C;
  }

  static void pack(ConstBatch C, double* out) {
    for (Index i = 0; i < C.rows(); ++i) {
      for (Index j = 0; j < i; ++j) *out++ = C(i, j);
      *out++ = std::log(C(i, i));
    }
  }

  /// The exponent of C_jj in the density of n rows, their mean and C. One part comes from the
  /// Wishart distribution, and each of the n + 1 normals contributes a factor |C|.
  double exponent(Index j, double n) const { return degrees_ - static_cast<double>(j) + n + 1.0; }

  void add_to_triangle(ConstBatch C, ConstBatch g, double n, double* out) const {
    for (Index i = 0; i < k_; ++i) {
      for (Index j = 0; j < i; ++j) *out++ += g(i, j);
      *out++ += C(i, i) * g(i, i) - exponent(i, n);
    }
  }

  /// The lower L of L L' = A^-1. Overwrites A.
  MatrixMap factor_of_inverse(MatrixMap A, Workspace& scratch) const {
    Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(A);
    MatrixMap inverse = scratch.matrix(k_, k_);
    inverse.setIdentity();
    factor.solveInPlace(inverse);
    Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> of_inverse(inverse);
    inverse.triangularView<Eigen::StrictlyUpper>().setZero();
    return inverse;
  }

  /// Rows minus their mean, in the original units and in units of standard deviations.
  struct Off {
    MatrixMap C;
    MatrixMap centred;      ///< x_i - m, k x n
    MatrixMap scaled;       ///< C' (x_i - m)
    MatrixMap scaled_mean;  ///< C' m, k x 1

    Off(const NormalWishartPrior& prior, ConstBatch X, const double* h, Workspace& scratch)
        : C(prior.triangle(h, scratch)),
          centred(scratch.matrix(X.rows(), X.cols())),
          scaled(scratch.matrix(X.rows(), X.cols())),
          scaled_mean(scratch.matrix(X.rows(), 1)) {
      centred = X.colwise() - prior.mean(h);
      scaled.noalias() = C.transpose() * centred;
      scaled_mean.noalias() = C.transpose() * prior.mean(h);
    }

    double potential(const NormalWishartPrior& prior, const double* h) const {
      double u = 0.5 * (scaled.squaredNorm() + prior.strength_ * scaled_mean.squaredNorm() +
                        C.squaredNorm());
      const double* log_diagonal = h + prior.k_;
      for (Index j = 0; j < prior.k_; log_diagonal += j + 2, ++j)
        u -= prior.exponent(j, static_cast<double>(scaled.cols())) * *log_diagonal;
      return u;
    }
  };

  Index k_;
  double strength_;
  double degrees_;
};

/// The priors of factors and of biases.
struct Priors {
  const hyper_prior::RowPrior& factors;
  const hyper_prior::RowPrior& bias;
};

/// The first `count` rows of a side, with `width` numbers each, that share one prior.
struct PriorPart {
  const hyper_prior::RowPrior& prior;
  Index first;
  Index width;
  Index count;
  Index hyper;  ///< index of the first hyper-parameter

  ConstMatrixMap rows(const double* theta) const { return {theta + first, width, count}; }
  MatrixMap rows(double* theta) const { return {theta + first, width, count}; }
  double potential(const double* theta, Workspace& scratch) const {
    return prior.potential(rows(theta), theta + hyper, scratch);
  }
  /// Adds -log p to u, and its gradient to g unless that is null.
  void add(const double* theta, double& u, double* g, Workspace& scratch) const {
    if (g == nullptr)
      u += potential(theta, scratch);
    else
      prior.add(rows(theta), theta + hyper, u, rows(g), g + hyper, scratch);
  }
};

/// Applies `use` to the first `count` factors of a side, and to as many biases if there are any.
template <class Use>
void each_part(const Priors& priors, const Layout& layout, Side side, Index count, const Use& use) {
  use(PriorPart{priors.factors, layout.factors(side), layout.rank, count,
                layout.factor_hyper(side)});
  if (layout.biases)
    use(PriorPart{priors.bias, layout.bias(side), 1, count, layout.bias_hyper(side)});
}

/// Applies `use` to all rows of both sides.
template <class Use>
void each_part(const Priors& priors, const Layout& layout, const Use& use) {
  for (const Side side : both_sides) each_part(priors, layout, side, layout.count(side), use);
}

}  // namespace mixwell::factorisation
