// Dual averaging of the step size.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/learner.hpp>

#include <algorithm>
#include <cmath>

namespace mixwell {
namespace {

constexpr double regularisation_scale = 0.05;
constexpr double iteration_offset = 10.0;
constexpr double relaxation_exponent = 0.75;

}  // namespace

Learner::~Learner() = default;

DualAveraging::DualAveraging(double initial_eps, double target)
    : log_eps0_(std::log(initial_eps)), target_(target) {}

Eigen::VectorXd DualAveraging::initial() const {
  Eigen::VectorXd state(static_cast<Index>(rows));
  restart(state, 0, log_eps0_);
  return state;
}

void DualAveraging::restart(Batch state, Index j, double log_eps0) noexcept {
  state(log_eps, j) = log_eps0;
  state(log_eps_bar, j) = log_eps0;
  state(h_bar, j) = 0.0;
  state(count, j) = 0.0;
  state(mu, j) = log_eps0 + std::log(10.0);
}

void DualAveraging::update(Batch state, ConstBatch inputs) const {
  for (Index j = 0; j < state.cols(); ++j) {
    const double a = std::isnan(inputs(0, j)) ? 0.0 : std::min(inputs(0, j), 1.0);
    const double m = state(count, j) += 1.0;
    const double share = 1.0 / (m + iteration_offset);
    state(h_bar, j) = (1.0 - share) * state(h_bar, j) + share * (target_ - a);
    state(log_eps, j) = state(mu, j) - std::sqrt(m) / regularisation_scale * state(h_bar, j);
    const double weight = std::pow(m, -relaxation_exponent);
    state(log_eps_bar, j) = weight * state(log_eps, j) + (1.0 - weight) * state(log_eps_bar, j);
  }
}

}  // namespace mixwell
