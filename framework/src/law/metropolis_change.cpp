// Tests whether draws come from a density exp(-U). Needs no gradients, and allows any support.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab/metropolis_change.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mixwell {
namespace {

constexpr Index most_shown = 8;
/// Length of a step in one coordinate, in standard deviations: long enough to show the shape of a
/// density.
constexpr double step_length = 2.0;

}  // namespace

MetropolisChange::MetropolisChange(Index dimension, Index columns, Sum sum)
    : shown_(std::min(dimension, most_shown)),
      sum_(sum),
      steps_(1, "lab/metropolis-change"),
      seen_(Eigen::ArrayXXd::Zero(dimension, columns)),
      seen_squared_(seen_),
      whole_(Eigen::Array<bool, Eigen::Dynamic, 1>::Constant(dimension, true)),
      sums_(Eigen::ArrayXXd::Zero(2 * shown_ + 2, columns)) {}

void MetropolisChange::see(ConstBatch x) {
  seen_ += x.array();
  seen_squared_ += x.array().square();
  whole_ = whole_ && (x.array() == x.array().round()).rowwise().all();
  times_ += 1.0;
}

void MetropolisChange::propose(ConstBatch x, std::uint64_t round, Batch y) const {
  steps_.normals({round, 0, 0}, y);
  const Eigen::ArrayXXd mean = seen_ / times_;
  const Eigen::ArrayXXd spread = (seen_squared_ / times_ - mean.square()).max(0.0).sqrt();
  y.array() *= step_length / std::sqrt(static_cast<double>(x.rows())) * spread;
  for (Index i = 0; i < y.rows(); ++i) {
    if (whole_(i)) y.row(i) = y.row(i).array().round();
  }
  y += x;
}

void MetropolisChange::add(ConstBatch x, ConstRow u_x, ConstBatch y, ConstRow u_y) {
  for (Index j = 0; j < x.cols(); ++j) {
    auto sum = sums_.col(j);
    if (!std::isfinite(u_x(j))) sum.setConstant(std::numeric_limits<double>::quiet_NaN());
    if (!std::isfinite(u_y(j))) continue;
    const double a = std::exp(std::min(0.0, u_x(j) - u_y(j)));
    const auto here = x.col(j).array();
    const auto there = y.col(j).array();
    sum.segment(0, shown_) += a * (there - here).head(shown_);
    sum.segment(shown_, shown_) += a * (there.square() - here.square()).head(shown_);
    sum(2 * shown_) += sum_ == Sum::of_coordinates
                           ? a * (there - here).sum()
                           : a * (there.square().square() - here.square().square()).sum();
    sum(2 * shown_ + 1) += a * (u_y(j) - u_x(j));
  }
}

std::vector<std::string> MetropolisChange::names() const {
  std::vector<std::string> all;
  for (const char* const ending : {"]", "]^2"}) {
    for (Index i = 0; i < shown_; ++i) all.push_back("x[" + std::to_string(i) + ending);
  }
  all.emplace_back(sum_ == Sum::of_coordinates ? "the sum of x" : "the sum of x^4");
  all.emplace_back("U");
  return all;
}

}  // namespace mixwell
