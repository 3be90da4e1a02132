// Statistics of positions, and means with their standard errors.
// SPDX-License-Identifier: Apache-2.0
#include "verify/statistics.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/random.hpp>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace mixwell {

Eigen::MatrixXd directions(Index dimension, std::string_view role) {
  constexpr Index count = 3;
  Eigen::MatrixXd all(dimension, dimension > 1 ? count : 0);
  if (dimension > 1) Stream(17, role).normals({}, all);
  all.colwise().normalize();
  return all;
}

Eigen::RowVectorXd potentials(const Model& model, ConstBatch theta) {
  Eigen::RowVectorXd u(theta.cols());
  Eigen::MatrixXd g(theta.rows(), theta.cols());
  Workspace scratch;
  model.evaluate(theta, {u.data(), g, scratch});
  return u;
}

double two_sided(double t, double degrees_of_freedom) {
  if (!std::isfinite(t)) return std::isnan(t) ? 1.0 : 0.0;
  const boost::math::students_t student(degrees_of_freedom);
  return 2.0 * boost::math::cdf(boost::math::complement(student, std::abs(t)));
}

double normal_bound(double p) {
  double low = 0.0;
  double high = 40.0;
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (low + high);
    (two_sided(middle) > p ? low : high) = middle;
  }
  return high;
}

Mean::Mean(const Eigen::ArrayXd& numbers)
    : count(static_cast<double>(numbers.size())),
      value(numbers.mean()),
      error(std::sqrt((numbers - value).square().sum() / (count - 1.0) / count)) {}
namespace {

constexpr Index draws = 500000;
constexpr Index draws_at_once = 10000;
constexpr double clipped_share = 0.01;

std::vector<std::string> names_in(Index d, Index projected) {
  std::vector<std::string> names;
  const Index shown = std::min(d, LadderStatistics::most_coordinates);
  for (Index i = 0; i < shown; ++i) names.push_back(fmt::format("E theta_{}", i));
  for (Index i = 0; i < shown; ++i) names.push_back(fmt::format("E theta_{}^2", i));
  for (Index i = 0; i + 1 < shown; ++i) {
    names.push_back(fmt::format("E theta_{} theta_{}", i, i + 1));
  }
  for (Index k = 0; k < projected; ++k) names.push_back(fmt::format("E projection_{}^2", k));
  names.emplace_back("E U");
  return names;
}

/// The value of the row below which this share of its numbers lies.
double quantile(Eigen::ArrayXd row, double share) {
  const auto k = static_cast<Index>(share * static_cast<double>(row.size() - 1));
  std::nth_element(row.data(), row.data() + k, row.data() + row.size());
  return row[k];
}

}  // namespace

LadderStatistics::LadderStatistics(const Model& model, bool bounded)
    : model_(model), directions_(directions(model.dimension(), "verify/ladder/projections")) {
  if (model.offers<ExactSampler>() == nullptr)
    throw InputError("the model offers no exact draws, but the comparison needs exact draws");
  names_ = names_in(model.dimension(), directions_.cols());
  truth_.resize(count(), draws);
  Eigen::MatrixXd theta(model.dimension(), draws_at_once);
  const Stream stream(17, "verify/truth");
  for (Index first = 0; first < draws; first += draws_at_once) {
    model.offers<ExactSampler>()->draw(stream, {0, 0, static_cast<std::uint64_t>(first)}, theta);
    truth_.middleCols(first, draws_at_once) = unbounded(theta);
  }
  if (!bounded) return;
  lower_.resize(count());
  upper_.resize(count());
  for (Index i = 0; i < count(); ++i) {
    lower_[i] = quantile(truth_.row(i).transpose(), clipped_share);
    upper_[i] = quantile(truth_.row(i).transpose(), 1.0 - clipped_share);
    truth_.row(i) = truth_.row(i).max(lower_[i]).min(upper_[i]);
  }
}

Eigen::ArrayXXd LadderStatistics::unbounded(ConstBatch theta) const {
  const Index shown = std::min(model_.dimension(), most_coordinates);
  Eigen::ArrayXXd f(count(), theta.cols());
  Index row = 0;
  for (Index i = 0; i < shown; ++i) f.row(row++) = theta.row(i).array();
  for (Index i = 0; i < shown; ++i) f.row(row++) = theta.row(i).array().square();
  for (Index i = 0; i + 1 < shown; ++i) {
    f.row(row++) = theta.row(i).array() * theta.row(i + 1).array();
  }
  for (Index k = 0; k < directions_.cols(); ++k) {
    f.row(row++) = (directions_.col(k).transpose() * theta).array().square();
  }
  f.row(row) = potentials(model_, theta).array();
  return f;
}

/// Bounded statistics: diverged values count as the upper end, even if they are NaN.
Eigen::ArrayXXd LadderStatistics::of(ConstBatch theta) const {
  Eigen::ArrayXXd f = unbounded(theta);
  if (lower_.size() == 0) return f;
  for (Index j = 0; j < f.cols(); ++j) {
    for (Index i = 0; i < f.rows(); ++i) {
      double& x = f(i, j);
      x = x < upper_[i] ? std::max(x, lower_[i]) : upper_[i];
    }
  }
  return f;
}

}  // namespace mixwell
