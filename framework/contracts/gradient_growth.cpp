// Checks a model's declaration of how its gradient grows.
// SPDX-License-Identifier: Apache-2.0
#include "capabilities.hpp"
#include "measured.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace mixwell::contracts {
namespace {

constexpr std::uint64_t seed = 20261123;
/// A slope counts as bounded if it grows by at most this factor between the two compared distances,
/// whose ratio is 3125. A bounded slope grows only a little. A slope that is proportional to the
/// square root of the distance from 0, or of its inverse, grows by a factor of 56.
constexpr double most_growth = 10.0;
/// A slope below this value counts as bounded, because it may be only rounding error.
constexpr double least_slope = 1e-6;

/// The largest slope between columns of a and b; NaN if a gradient is not finite.
double largest_slope(const Model& model, const MatrixXd& a, const MatrixXd& b) {
  const MatrixXd difference =
      evaluated(model, a, Asked::gradient).g - evaluated(model, b, Asked::gradient).g;
  if (!difference.allFinite()) return nan;
  return (difference.colwise().norm().array() / (a - b).colwise().norm().array()).maxCoeff();
}

/// The largest slope between `distance` and twice `distance` from theta, along random directions
/// with standard normal coordinates.
double slope_far_out(const Model& model, const MatrixXd& theta, double distance) {
  MatrixXd direction(theta.rows(), theta.cols());
  Stream(seed, "contracts/gradient growth").normals({}, direction);
  return largest_slope(model, theta + distance * direction, theta + 2.0 * distance * direction);
}

/// The largest slope as one coordinate moves from `distance` to twice `distance`. Uses every
/// coordinate, or 8 to 15 coordinates if there are more, so it costs only a few evaluations.
double slope_near_zero(const Model& model, const MatrixXd& theta, double distance) {
  double worst = 0.0;
  for (Index i = 0; i < theta.rows(); i += std::max<Index>(1, theta.rows() / 8)) {
    MatrixXd near = theta, nearer = theta;
    near.row(i).setConstant(2.0 * distance);
    nearer.row(i).setConstant(distance);
    worst = worse(worst, largest_slope(model, near, nearer));
  }
  return worst;
}

/// "" if a bounded slope can grow from `first` to `last`; otherwise what is wrong.
std::string growth(const std::string& where, double first, double last) {
  if (std::isnan(first) || std::isnan(last)) return "the gradient is not finite " + where;
  if (last <= std::max(most_growth * first, least_slope)) return {};
  return "the largest slope of the gradient grows from " + text(first) + " to " + text(last) + " " +
         where + ", but gradient_growth() declares that the slope stays bounded";
}

}  // namespace

Finding check_gradient_growth(const Model& model, const MatrixXd& theta) {
  const std::string clause = "gradient growth";
  const GradientGrowth declared = model.gradient_growth();
  if (declared == GradientGrowth::singular || declared == GradientGrowth::undeclared)
    return {clause, true, "gradient_growth() declares no bound, so there is nothing to check"};
  std::string fault = growth("as a coordinate approaches 0", slope_near_zero(model, theta, 1e-3),
                             slope_near_zero(model, theta, 1e-3 / 3125.0));
  if (fault.empty() && declared == GradientGrowth::lipschitz) {
    fault = growth("far from the starting points", slope_far_out(model, theta, 32.0),
                   slope_far_out(model, theta, 32.0 * 3125.0));
  }
  return {clause, fault.empty(), fault.empty() ? "the slopes of the gradient stay bounded" : fault};
}

}  // namespace mixwell::contracts
