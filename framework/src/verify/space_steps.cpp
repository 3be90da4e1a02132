// Reversible steps on a sphere or between vectors of integers.
// SPDX-License-Identifier: Apache-2.0
#include "verify/space_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mixwell {
namespace {

constexpr std::size_t most_values = 4096;

std::vector<double> numbers_of(const Eigen::VectorXd& column) {
  return {column.data(), column.data() + column.size()};
}

/// Whether three points are on one line and are not all the same point.
bool are_on_line(const Eigen::VectorXd& a, const Eigen::VectorXd& b, const Eigen::VectorXd& c) {
  const Eigen::VectorXd first = b - a;
  const Eigen::VectorXd second = c - a;
  const double product = first.norm() * second.norm();
  return product > 0.0 && std::abs(std::abs(first.dot(second)) - product) < same_space * product;
}

bool is_line(const std::vector<Eigen::MatrixXd>& rounds) {
  if (rounds.size() < 3 || rounds.front().rows() < 2) return false;
  for (Index j = 0; j < rounds.front().cols(); ++j) {
    if (!are_on_line(rounds[0].col(j), rounds[1].col(j), rounds[2].col(j))) return false;
  }
  return true;
}

bool are_all_in(Space space, const std::vector<Eigen::MatrixXd>& rounds, double off) {
  return std::ranges::all_of(rounds,
                             [&](const auto& x) { return (distance_from(space, x) <= off).all(); });
}

}  // namespace

SpaceSteps::SpaceSteps(Space space)
    : space_(space), steps_(1, on_sphere() ? "verify/sphere-steps" : "verify/whole-number-steps") {}

const char* SpaceSteps::name() const { return on_sphere() ? "the unit sphere" : "whole numbers"; }

void SpaceSteps::see(ConstBatch x) {
  farthest_ = std::max(farthest_, distance_from(space_, x).maxCoeff());
  if (on_sphere()) return;
  for (Index j = 0; j < x.cols() && seen_.size() <= most_values; ++j) {
    auto numbers = numbers_of(x.col(j));
    const auto number = static_cast<Index>(seen_.size());
    if (number_of_.emplace(numbers, number).second) seen_.push_back(std::move(numbers));
  }
}

std::string SpaceSteps::why_none() const {
  if (on_sphere()) return {};
  if (seen_.size() < 2)
    return "this refresh always draws the same value, but the test needs at least two different "
           "values";
  if (seen_.size() <= most_values) return {};
  return fmt::format(
      "this refresh draws more than {} different values, which are too many for the test",
      most_values);
}

Eigen::MatrixXd SpaceSteps::proposed(ConstBatch x, std::uint64_t round) const {
  return on_sphere() ? turned(x, round) : exchanged(x, round);
}

Eigen::MatrixXd SpaceSteps::turned(ConstBatch x, std::uint64_t round) const {
  Eigen::MatrixXd y(x.rows(), x.cols());
  steps_.normals({round, 0, 0}, y);
  y = x + y / std::sqrt(static_cast<double>(x.rows()));
  y.colwise().normalize();
  return y;
}

Eigen::MatrixXd SpaceSteps::exchanged(ConstBatch x, std::uint64_t round) const {
  Eigen::MatrixXd uniforms(1, x.cols());
  steps_.uniforms({round, 0, 0}, uniforms);
  Eigen::MatrixXd y = x;
  const auto others = static_cast<double>(seen_.size() - 1);
  for (Index j = 0; j < x.cols(); ++j) {
    const auto at = number_of_.find(numbers_of(x.col(j)));
    if (at == number_of_.end()) continue;
    const auto skip = static_cast<Index>(uniforms(0, j) * others) + 1;
    const Index to = (at->second + skip) % static_cast<Index>(seen_.size());
    y.col(j) =
        Eigen::Map<const Eigen::VectorXd>(seen_[static_cast<std::size_t>(to)].data(), x.rows());
  }
  return y;
}

Space seen_space(const std::vector<Eigen::MatrixXd>& rounds) {
  if (are_all_in(Space::whole_numbers, rounds, 0.0)) return Space::whole_numbers;
  const bool wide = rounds.front().rows() > 1;
  if (wide && are_all_in(Space::sphere, rounds, same_space)) return Space::sphere;
  return is_line(rounds) ? Space::line : Space::real;
}

}  // namespace mixwell
