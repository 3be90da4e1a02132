// Random nodes, scaled to the Laplace approximation of the target.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <cstdint>
#include <string>

namespace mixwell::random_network {

enum class Activation { softplus, tanh, rbf };

inline Activation activation_from(const std::string& word) {
  if (word == "tanh") return Activation::tanh;
  return word == "rbf" ? Activation::rbf : Activation::softplus;
}

/// In x = L'(theta - mode), with hessian = L L', the Laplace approximation is N(0, I). A node of
/// softplus or tanh is sigma(w'x + b) with w ~ N(0, scale^2 / d I) and b ~ N(0, scale^2). A node of
/// rbf is exp(-|x - c|^2 / (2 width^2)) with c ~ N(0, scale^2 I) and width^2 = scale^2 d. The
/// object stores L w, or L c, so a node only needs theta - mode.
class Nodes {
 public:
  Nodes(const Laplace& at, Activation how, Index count, double scale, std::uint64_t seed)
      : activation_(how),
        mode_(at.mode),
        L_(at.hessian.llt().matrixL()),
        w_(at.mode.size(), count),
        b_(count, 1),
        width2_(scale * scale * static_cast<double>(at.mode.size())) {
    const Stream stream(seed, "random-network/nodes");
    stream.normals({0, 0, 0}, w_);
    stream.normals({0, 1, 0}, b_);
    const bool rbf = how == Activation::rbf;
    w_ *= rbf ? scale : scale / std::sqrt(static_cast<double>(w_.rows()));
    b_ *= scale;
    if (rbf) b_ = w_.colwise().squaredNorm().transpose();
    w_ = (L_.triangularView<Eigen::Lower>() * w_).eval();
  }

  Index count() const noexcept { return w_.cols(); }
  Index dimension() const noexcept { return w_.rows(); }

  /// centred = theta - mode, and for rbf sizes = |x|^2. O(d^2) for each column with rbf, otherwise
  /// O(d).
  void centre(ConstBatch theta, MatrixMap centred, RowMap sizes) const {
    centred = theta.colwise() - mode_;
    if (activation_ != Activation::rbf) return;
    for (Index j = 0; j < theta.cols(); ++j) {
      sizes(j) = 0.0;
      for (Index i = 0; i < L_.rows(); ++i) {
        const Index below = L_.rows() - i;
        const double x = L_.col(i).tail(below).dot(centred.col(j).tail(below));
        sizes(j) += x * x;
      }
    }
  }

  /// Values (n x w, if not null) and slopes of the nodes first, ..., first + n - 1: d sigma = slope
  /// (L w)' d theta; for rbf slope (L c - L x)' d theta. O(n d) for each column.
  void activate(Index first, ConstBatch centred, ConstRowMap sizes, MatrixMap slope,
                MatrixMap* value) const {
    slope.noalias() = w_.middleCols(first, slope.rows()).transpose() * centred;
    const auto b = b_.col(0).segment(first, slope.rows()).array();
    auto a = slope.array();
    switch (activation_) {
      case Activation::softplus:
        softplus(b, slope, value);
        break;
      case Activation::tanh:
        a = (a.colwise() + b).tanh();
        if (value != nullptr) value->array() = a;
        a = 1.0 - a.square();
        break;
      case Activation::rbf:
        for (Index j = 0; j < slope.cols(); ++j) {
          a.col(j) = ((2.0 * a.col(j) - b - sizes(j)) * (0.5 / width2_)).min(0.0).exp();
        }
        if (value != nullptr) value->array() = a;
        a /= width2_;
        break;
    }
  }

  /// g += sum over the nodes of weighted slopes. `weighted` n x w.
  void add_gradient(Index first, ConstBatch weighted, MatrixMap g) const {
    g.noalias() += w_.middleCols(first, weighted.rows()) * weighted;
  }
  /// For rbf: g -= L x times the sum of weighted slopes. O(d^2) for each column.
  void add_pull(ConstBatch centred, ConstRowMap total, MatrixMap g, Workspace& scratch) const {
    if (activation_ != Activation::rbf) return;
    const Workspace::Frame frame(scratch);
    MatrixMap x = scratch.matrix(centred.rows(), 1);
    for (Index j = 0; j < centred.cols(); ++j) {
      for (Index i = 0; i < L_.rows(); ++i) {
        const Index below = L_.rows() - i;
        x(i) = L_.col(i).tail(below).dot(centred.col(j).tail(below));
      }
      for (Index i = 0; i < L_.rows(); ++i) {
        g(i, j) -= total(j) * L_.row(i).head(i + 1).dot(x.col(0).head(i + 1));
      }
    }
  }

  /// grad_theta sigma_i at one point: d x s, from all slopes (s x 1). O(s d).
  void gradients(ConstBatch centred, ConstBatch slopes, MatrixMap out) const {
    out = w_;
    if (activation_ == Activation::rbf) {
      const Eigen::Index d = L_.rows();
      for (Index i = 0; i < d; ++i) {
        double pull = 0.0;
        for (Index k = 0; k <= i; ++k) {
          pull += L_(i, k) * L_.col(k).tail(d - k).dot(centred.col(0).tail(d - k));
        }
        out.row(i).array() -= pull;
      }
    }
    for (Index i = 0; i < count(); ++i) out.col(i) *= slopes(i, 0);
  }

 private:
  /// log(1 + exp a) and its slope 1 / (1 + exp -a), without overflow.
  template <class Bias>
  static void softplus(const Bias& b, MatrixMap slope, MatrixMap* value) {
    auto a = slope.array();
    a = a.colwise() + b;
    if (value != nullptr) value->array() = a.max(0.0) + (1.0 + (-a.abs()).exp()).log();
    a = 1.0 / (1.0 + (-a).min(700.0).exp());
  }

  Activation activation_;
  Eigen::VectorXd mode_;
  Eigen::MatrixXd L_;
  Eigen::MatrixXd w_;  ///< d x s
  Eigen::MatrixXd b_;  ///< s x 1: biases, or the |c|^2 of rbf
  double width2_;
};

}  // namespace mixwell::random_network
