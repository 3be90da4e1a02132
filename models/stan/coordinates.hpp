// Whether two engines have the same coordinates for the parameters of one program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "instance.hpp"
#include "names.hpp"

#include <Eigen/Core>

#include <cmath>
#include <string>
#include <vector>

namespace mixwell::stan {

/// The parameters at theta, on the program's scale; empty where the engine fails.
inline Eigen::VectorXd parameters_at(const Instance& instance, const Eigen::VectorXd& theta) {
  Eigen::VectorXd x(instance.size({}));
  if (instance.constrain({}, theta.data(), 0, x.data())) return {};
  return x;
}

/// "" where both map a coordinate vector to the same parameters; else which differs. Maps of Stan
/// change with its versions (simplexes did in 2.37), and a density of other coordinates is another.
inline std::string other_coordinates(const Instance& here, const Instance& there) {
  constexpr double limit = 1e-8;  // of 1 + |x|
  if (here.dimension() != there.dimension())
    return "it has " + std::to_string(there.dimension()) + " coordinates, and this engine " +
           std::to_string(here.dimension());
  Eigen::VectorXd theta(here.dimension());
  for (Eigen::Index i = 0; i < theta.size(); ++i)
    theta[i] = 0.7 * std::sin(1.0 + static_cast<double>(i));
  const Eigen::VectorXd x = parameters_at(here, theta);
  const Eigen::VectorXd y = parameters_at(there, theta);
  if (x.size() != y.size()) return "its parameters are other ones";
  const std::vector<std::string> names = split(here.names({}), ',');
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (!(std::abs(x[i] - y[i]) <= limit * (1.0 + std::abs(x[i]))))
      return "its coordinates are other ones: where `" + names[static_cast<std::size_t>(i)] +
             "` is " + std::to_string(x[i]) + " by this engine's, it is " + std::to_string(y[i]) +
             " by its own, as versions of Stan have other maps (of simplexes since 2.37)";
  return {};
}

}  // namespace mixwell::stan
