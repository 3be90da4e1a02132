// Steps within a space that are as likely back as there.
// SPDX-License-Identifier: Apache-2.0
#include "verify/space_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mixwell {
namespace {

constexpr std::size_t most_values = 4096;

double distance_from_sphere(ConstBatch x) {
  return (x.colwise().norm().array() - 1.0).abs().maxCoeff();
}

double distance_from_whole(ConstBatch x) {
  return (x.array() - x.array().round()).abs().maxCoeff();
}

/// Whether column j of three draws is on one line, and they are not one point.
bool are_on_line(const Eigen::VectorXd& a, const Eigen::VectorXd& b, const Eigen::VectorXd& c) {
  const Eigen::VectorXd first = b - a;
  const Eigen::VectorXd second = c - a;
  const double product = first.norm() * second.norm();
  return product > 0.0 && std::abs(std::abs(first.dot(second)) - product) < same_space * product;
}

template <class Holds>
bool all_hold(const std::vector<Eigen::MatrixXd>& rounds, Holds holds) {
  return std::all_of(rounds.begin(), rounds.end(), holds);
}

bool is_line(const std::vector<Eigen::MatrixXd>& rounds) {
  if (rounds.size() < 3 || rounds.front().rows() < 2) return false;
  for (Index j = 0; j < rounds.front().cols(); ++j) {
    if (!are_on_line(rounds[0].col(j), rounds[1].col(j), rounds[2].col(j))) return false;
  }
  return true;
}

}  // namespace

SphereSteps::SphereSteps() : steps_(1, "verify/sphere-steps") {}

void SphereSteps::see(ConstBatch x) { farthest_ = std::max(farthest_, distance_from_sphere(x)); }

Eigen::MatrixXd SphereSteps::proposed(ConstBatch x, std::uint64_t round) const {
  Eigen::MatrixXd y(x.rows(), x.cols());
  steps_.normals({round, 0, 0}, y);
  y = x + y / std::sqrt(static_cast<double>(x.rows()));
  y.colwise().normalize();
  return y;
}

WholeNumberSteps::WholeNumberSteps() : steps_(1, "verify/whole-number-steps") {}

void WholeNumberSteps::see(ConstBatch x) {
  farthest_ = std::max(farthest_, distance_from_whole(x));
  for (Index j = 0; j < x.cols() && seen_.size() <= most_values; ++j) {
    const Eigen::VectorXd column = x.col(j);
    Tuple numbers(column.data(), column.data() + column.size());
    const auto number = static_cast<Index>(seen_.size());
    if (number_of_.emplace(numbers, number).second) seen_.push_back(std::move(numbers));
  }
}

std::string WholeNumberSteps::why_none() const {
  if (seen_.size() < 2) return "it draws one number only";
  if (seen_.size() <= most_values) return {};
  return fmt::format("it draws more than {} different numbers", most_values);
}

Eigen::MatrixXd WholeNumberSteps::proposed(ConstBatch x, std::uint64_t round) const {
  Eigen::MatrixXd uniforms(1, x.cols());
  steps_.uniforms({round, 0, 0}, uniforms);
  Eigen::MatrixXd y = x;
  const auto others = static_cast<double>(seen_.size() - 1);
  for (Index j = 0; j < x.cols(); ++j) {
    const Eigen::VectorXd column = x.col(j);
    const auto at = number_of_.find(Tuple(column.data(), column.data() + column.size()));
    if (at == number_of_.end()) continue;
    const auto skip = static_cast<Index>(uniforms(0, j) * others) + 1;
    const Index to = (at->second + skip) % static_cast<Index>(seen_.size());
    y.col(j) =
        Eigen::Map<const Eigen::VectorXd>(seen_[static_cast<std::size_t>(to)].data(), x.rows());
  }
  return y;
}

Space seen_space(const std::vector<Eigen::MatrixXd>& rounds) {
  if (all_hold(rounds, [](const auto& x) { return distance_from_whole(x) == 0.0; })) {
    return Space::whole_numbers;
  }
  const bool wide = rounds.front().rows() > 1;
  if (wide &&
      all_hold(rounds, [](const auto& x) { return distance_from_sphere(x) < same_space; })) {
    return Space::sphere;
  }
  return is_line(rounds) ? Space::line : Space::real;
}

}  // namespace mixwell
