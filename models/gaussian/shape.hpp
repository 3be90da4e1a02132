// Products with Sigma^-1, and draws from N(mean, Sigma), for five structures of Sigma.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell::gaussian {

using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Copies of the mean and the precisions that are stored side by side, so small d vectorises too.
constexpr Index tile = 8;

inline ArrayXd tiled(const ArrayXd& column) { return column.replicate(tile, 1); }

/// The operations on N(mean, Sigma) that the models need.
class Shape {
 public:
  explicit Shape(VectorXd mean) : mean_(std::move(mean)) {}
  virtual ~Shape() = default;
  const VectorXd& mean() const noexcept { return mean_; }
  /// out.gradient = Sigma^-1 (theta - mean).
  virtual void gradient(ConstBatch theta, const Evaluation& out) const = 0;
  /// out = Sigma^-1, d x d.
  virtual void precision(Batch out) const = 0;
  /// theta ~ N(mean, Sigma).
  virtual void draw(const Stream& stream, Address at, Batch theta) const = 0;
  /// out.u = (theta - mean)' out.gradient / 2.
  virtual void potential(ConstBatch theta, const Evaluation& out) const {
    out.u() = 0.5 * out.gradient.cwiseProduct(theta.colwise() - mean_).colwise().sum();
  }

 protected:
  const VectorXd mean_;
};

/// Sigma = v I around m 1: one multiplication for each coordinate, for any dimension.
class Round final : public Shape {
 public:
  Round(const VectorXd& mean, double variance)
      : Shape(mean), variance_(variance), precision_(1.0 / variance) {}

  void gradient(ConstBatch theta, const Evaluation& out) const override {
    flat(out.gradient) = precision_ * (flat(theta) - mean_(0));
  }

  /// v g'g / 2.
  void potential(ConstBatch, const Evaluation& out) const override {
    column_dots(out.gradient, out.gradient, out.u());
    out.u() *= 0.5 * variance_;
  }

  void precision(Batch out) const override {
    out.setIdentity();
    out *= precision_;
  }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    flat(theta) = mean_(0) + std::sqrt(variance_) * flat(theta);
  }

 private:
  double variance_;
  double precision_;
};

/// Sigma = diag(variances).
class Axes final : public Shape {
 public:
  Axes(const VectorXd& mean, const VectorXd& variances)
      : Shape(mean),
        means_(tiled(mean)),
        precisions_(tiled(variances.cwiseInverse())),
        sd_(variances.cwiseSqrt()) {}

  void gradient(ConstBatch theta, const Evaluation& out) const override {
    const auto x = flat(theta);
    auto g = flat(out.gradient);
    for (Index first = 0; first < x.size(); first += means_.size()) {
      const Index n = std::min(means_.size(), x.size() - first);
      g.segment(first, n) = precisions_.head(n) * (x.segment(first, n) - means_.head(n));
    }
  }

  void precision(Batch out) const override {
    out.setZero();
    out.diagonal() = precisions_.head(out.rows());
  }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
    theta.array().colwise() *= sd_.array();
    theta.colwise() += mean_;
  }

 private:
  ArrayXd means_;
  ArrayXd precisions_;
  VectorXd sd_;
};

/// Sigma = 1 1' + c I. By Sherman-Morrison, Sigma^-1 v = (v - 1 m) / c + 1 m / (c + d) with m the
/// mean of v. This takes O(d), and avoids the cancellation of v - 1 (1'v) / (c + d) at small c.
class OnesPlus final : public Shape {
 public:
  OnesPlus(const VectorXd& mean, double c) : Shape(mean), c_(c) {}

  void gradient(ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    for (Index j = 0; j < g.cols(); ++j) {
      auto v = g.col(j).array();
      v = theta.col(j).array() - mean_.array();
      const double m = v.mean();
      v = (v - m) / c_ + m / (c_ + static_cast<double>(v.size()));
    }
  }

  void precision(Batch out) const override {
    out.setConstant(-1.0 / (c_ * (c_ + static_cast<double>(out.rows()))));
    out.diagonal().array() += 1.0 / c_;
  }

  /// sqrt(c) z + 1 w, where w is the normal of row d.
  void draw(const Stream& stream, Address at, Batch theta) const override {
    MatrixXd z(theta.rows() + 1, theta.cols());
    stream.normals(at, z);
    theta = std::sqrt(c_) * z.topRows(theta.rows());
    theta.rowwise() += z.bottomRows<1>();
    theta.colwise() += mean_;
  }

 private:
  double c_;
};

/// A general Sigma = L L'.
class Dense final : public Shape {
 public:
  Dense(const VectorXd& mean, const Eigen::LLT<MatrixXd>& factor)
      : Shape(mean),
        lower_(factor.matrixL()),
        precision_(factor.solve(MatrixXd::Identity(factor.rows(), factor.cols()))) {}

  void gradient(ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    MatrixMap centred = out.scratch.matrix(theta.rows(), theta.cols());
    centred = theta.colwise() - mean_;
    Batch g = out.gradient;
    g.noalias() = precision_ * centred;
  }

  void precision(Batch out) const override { out = precision_; }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    MatrixXd z(theta.rows(), theta.cols());
    stream.normals(at, z);
    theta.noalias() = lower_.triangularView<Eigen::Lower>() * z;
    theta.colwise() += mean_;
  }

 private:
  MatrixXd lower_;
  MatrixXd precision_;
};

}  // namespace mixwell::gaussian
