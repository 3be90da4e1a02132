// Compares the gradient with finite differences of U. These are extrapolated to a step of zero.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab/gradient_check.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace mixwell {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double first_step = 0.02;
constexpr int most_levels = 24;

/// Differences of U between two points that differ in one coordinate.
class Differences {
 public:
  explicit Differences(const Model& model, ConstBatch theta)
      : model_(model), pair_(theta.rows(), 2), gradient_(theta.rows(), 2) {
    pair_.colwise() = theta.col(0);
  }

  /// (U(theta + h e_i) - U(theta - h e_i)) / 2h.
  double central(Index i, double h) {
    const double middle = pair_(i, 0);
    const double up = middle + h;
    const double down = middle - h;
    pair_(i, 0) = up;
    pair_(i, 1) = down;
    model_.evaluate(pair_, {potential_.data(), gradient_, scratch_});
    pair_.row(i).setConstant(middle);
    return (potential_[0] - potential_[1]) / (up - down);
  }

  /// The largest change of the quotient that rounding the two values of U can cause.
  double rounding(double h) const {
    return std::numeric_limits<double>::epsilon() * potential_.cwiseAbs().maxCoeff() / h;
  }

  double at(Index i) const { return pair_(i, 0); }

 private:
  const Model& model_;
  Eigen::MatrixXd pair_;
  Eigen::MatrixXd gradient_;
  Eigen::RowVector2d potential_;
  Workspace scratch_;
};

/// The extrapolated quotient. The tableau starts again after a row with entries that are not
/// finite. Two quotients of small steps may agree by chance, because they are multiples of one ulp
/// of U over the step. So each estimated error is at least one such multiple.
double derivative(Differences& differences, Index i, double scale) {
  std::array<double, most_levels> last{};
  int known = 0;
  double best = std::numeric_limits<double>::quiet_NaN();
  double least = infinity;
  double step = first_step * std::max(1.0, std::abs(differences.at(i)));
  for (int level = 0; level < most_levels && !(least < 1e-9 * scale); ++level, step /= 2) {
    double value = differences.central(i, step);
    if (!std::isfinite(value)) {
      known = 0;
      continue;
    }
    double factor = 1;
    for (int order = 0; order < known; ++order) {
      factor *= 4;
      const double older = std::exchange(last[static_cast<std::size_t>(order)], value);
      const double better = value + (value - older) / (factor - 1);
      const double error = std::max(
          {std::abs(better - value), std::abs(better - older), differences.rounding(step)});
      if (error < least) {
        least = error;
        best = better;
      }
      value = better;
    }
    last[static_cast<std::size_t>(known++)] = value;
  }
  return best;
}

double relative_error(double gradient, double difference, double scale) {
  if (!std::isfinite(gradient) || !std::isfinite(difference)) return infinity;
  return std::abs(gradient - difference) /
         std::max({std::abs(gradient), std::abs(difference), scale});
}

GradientError worst_at(const Model& model, ConstBatch theta) {
  Workspace scratch;
  Eigen::MatrixXd gradient(theta.rows(), 1);
  double u = 0;
  model.evaluate(theta, {&u, gradient, scratch});
  const double scale =
      std::max(1e-3 * gradient.cwiseAbs().maxCoeff<Eigen::PropagateNumbers>(),
               1e9 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(u)));
  Differences differences(model, theta);
  GradientError worst;
  bool is_first = true;
  for (const Index i : real_coordinates(model.parameters())) {
    const double difference =
        std::isfinite(u) && std::isfinite(gradient(i))
            ? derivative(differences, i, std::max(scale, std::abs(gradient(i))))
            : std::numeric_limits<double>::quiet_NaN();
    const double relative = relative_error(gradient(i), difference, scale);
    if (is_first || relative > worst.relative) worst = {relative, i, 0, gradient(i), difference};
    is_first = false;
  }
  return worst;
}

}  // namespace

GradientError gradient_error(const Model& model, ConstBatch points) {
  GradientError worst;
  for (Index j = 0; j < points.cols(); ++j) {
    GradientError here = worst_at(model, points.col(j));
    here.point = j;
    if (j == 0 || here.relative > worst.relative) worst = here;
  }
  return worst;
}

}  // namespace mixwell
