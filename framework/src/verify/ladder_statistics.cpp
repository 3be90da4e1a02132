// What the error of a scheme without Metropolis is told by.
// SPDX-License-Identifier: Apache-2.0
#include "verify/ladder_statistics.hpp"

#include "verify/features.hpp"

#include <mixwell/error.hpp>
#include <mixwell/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mixwell {
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

/// The value that a share of the row lies below.
double quantile(Eigen::ArrayXd row, double share) {
  const auto k = static_cast<Index>(share * static_cast<double>(row.size() - 1));
  std::nth_element(row.data(), row.data() + k, row.data() + row.size());
  return row[k];
}

}  // namespace

LadderStatistics::LadderStatistics(const Model& model, bool bounded)
    : model_(model), directions_(directions(model.dimension(), "verify/ladder/projections")) {
  if (model.offers<ExactSampler>() == nullptr)
    throw InputError("the model has no exact draws to compare with");
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

/// What ran away, to a NaN or not, is at the upper end.
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
