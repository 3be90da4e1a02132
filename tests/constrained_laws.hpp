// A model with every constraint, whose values have known distributions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/component/fields.hpp>
#include <mixwell/law/constrained_model.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mixwell::testing {

/// Independent parameters:
///   rate ~ Exponential(1); above = 2 + Exponential(1); below = -1 - Exponential(1); share and
///   piece: uniform; parts ~ Dirichlet(1, ..., 1), two of them; ranks: sorted normals; times:
/// sorted
///   exponentials; way: uniform on the sphere; R: factor of LKJ(1); W: factor of Wishart(5, I)
///   (Bartlett 1933); T: the first two columns of such a factor, with two rows of normals below.
class ConstrainedLaws final : public ConstrainedModel, public ExactSampler {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  ConstrainedLaws() : ConstrainedLaws(Params{}) {}
  explicit ConstrainedLaws(const Params&) {
    declare({.name = "rate", .shape = {}, .constraint = Constraint::positive()});
    declare({.name = "above", .shape = {2}, .constraint = Constraint::lower(2)});
    declare({.name = "below", .shape = {}, .constraint = Constraint::upper(-1)});
    declare({.name = "share", .shape = {}, .constraint = Constraint::interval(0, 1)});
    declare({.name = "free", .shape = {2}});
    declare({.name = "piece", .shape = {}, .constraint = Constraint::interval(-1, 3)});
    declare({.name = "parts", .shape = {2, 4}, .constraint = Constraint::simplex()});
    declare({.name = "ranks", .shape = {3}, .constraint = Constraint::ordered()});
    declare({.name = "times", .shape = {3}, .constraint = Constraint::positive_ordered()});
    declare({.name = "way", .shape = {3}, .constraint = Constraint::unit_vector()});
    declare({.name = "R", .shape = {4, 4}, .constraint = Constraint::cholesky_correlation()});
    declare({.name = "W", .shape = {3, 3}, .constraint = Constraint::cholesky_covariance()});
    declare({.name = "T", .shape = {4, 2}, .constraint = Constraint::cholesky_covariance()});
  }

  void draw(const Stream& stream, Address at, Batch theta) const override {
    Eigen::MatrixXd z(normals, theta.cols());
    Eigen::MatrixXd v(uniforms, theta.cols());
    stream.normals(at, z);
    stream.uniforms({at.sweep, at.draw + 1, at.replicate}, v);
    for (Index j = 0; j < theta.cols(); ++j)
      draw_column(z.col(j).data(), v.col(j).data(), theta.col(j));
  }

  static constexpr double degrees = 5;

 protected:
  void evaluate_values(ConstBatch x, const Evaluation& out) const override {
    for (Index j = 0; j < x.cols(); ++j) {
      Eigen::VectorXd g = Eigen::VectorXd::Zero(x.rows());
      const double u = evaluate_column(x.col(j), g);
      if (out.wants_potential()) out.u()[j] = u;
      if (out.wants_gradient()) Batch(out.gradient).col(j) = g;
    }
  }

 private:
  static constexpr Index normals = 80;
  static constexpr Index uniforms = 20;

  /// U of one column, and its gradient.
  double evaluate_column(const Eigen::VectorXd& x, Eigen::VectorXd& g) const {
    double u = 0;
    Index at = 0;
    const auto linear = [&](double slope) { u += slope * x[at], g[at++] = slope; };
    const auto normal = [&] { u += 0.5 * x[at] * x[at], g[at] = x[at], ++at; };
    linear(1), linear(1), linear(1), linear(-1);
    ++at, normal(), normal(), ++at, at += 8;
    normal(), normal(), normal();
    linear(1), linear(1), linear(1), at += 3;
    for (Index i = 0; i < 4; ++i) u += add_power(x, g, at + 5 * i, static_cast<double>(3 - i));
    at += 16;
    u += add_wishart(x, g, at, 3, 3), at += 9;
    u += add_wishart(x, g, at, 4, 2);
    return u;
  }

  /// -power log x.
  static double add_power(const Eigen::VectorXd& x, Eigen::VectorXd& g, Index at, double power) {
    g[at] -= power / x[at];
    return -power * std::log(x[at]);
  }

  static double add_wishart(const Eigen::VectorXd& x, Eigen::VectorXd& g, Index first, Index rows,
                            Index columns) {
    double u = 0;
    for (Index i = 0; i < rows; ++i)
      for (Index k = 0; k <= i && k < columns; ++k) {
        const Index at = first + i * columns + k;
        u += 0.5 * x[at] * x[at];
        g[at] += x[at];
        if (k == i) u += add_power(x, g, at, degrees - 1 - static_cast<double>(i));
      }
    return u;
  }

  void draw_column(const double* z, const double* v, Eigen::Ref<Eigen::VectorXd> theta) const {
    std::vector<double> x;
    const auto exponential = [&] { return -std::log(*v++); };
    x.push_back(exponential());
    x.push_back(2 + exponential()), x.push_back(2 + exponential());
    x.push_back(-1 - exponential()), x.push_back(*v++);
    x.push_back(*z++), x.push_back(*z++), x.push_back(-1 + 4 * *v++);
    for (int k = 0; k < 2; ++k) {
      Eigen::Vector4d parts(exponential(), exponential(), exponential(), exponential());
      parts /= parts.sum();
      x.insert(x.end(), parts.begin(), parts.end());
    }
    for (int k = 0; k < 3; ++k) x.push_back(*z++);
    std::sort(x.end() - 3, x.end());
    for (int k = 0; k < 3; ++k) x.push_back(exponential());
    std::sort(x.end() - 3, x.end());
    for (int k = 0; k < 3; ++k) x.push_back(*z++);  // the length stays that of normals
    add_correlation(z, 4, x);
    add_triangle(z, 3, 3, x);
    add_triangle(z, 4, 2, x);
    map().unconstrain(Eigen::Map<Eigen::VectorXd>(x.data(), static_cast<Index>(x.size())), theta);
  }

  /// Row i: the first i coordinates of a uniform point of the sphere in K + 1 dimensions.
  static void add_correlation(const double*& z, Index K, std::vector<double>& x) {
    for (Index i = 0; i < K; ++i) {
      const Eigen::VectorXd point = Eigen::Map<const Eigen::VectorXd>(z, K + 1).normalized();
      z += K + 1;
      for (Index k = 0; k < K; ++k)
        x.push_back(k < i ? point[k] : k > i ? 0.0 : point.tail(K + 1 - i).norm());
    }
  }

  static void add_triangle(const double*& z, Index rows, Index columns, std::vector<double>& x) {
    for (Index i = 0; i < rows; ++i)
      for (Index k = 0; k < columns; ++k) {
        const Index freedom = static_cast<Index>(degrees) - i;
        if (k == i) x.push_back(Eigen::Map<const Eigen::VectorXd>(z, freedom).norm()), z += freedom;
        if (k < i) x.push_back(*z++);
        if (k > i) x.push_back(0);
      }
  }
};

}  // namespace mixwell::testing
