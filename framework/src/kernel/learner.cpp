// Warmup: dual averaging of the step size, and windows of draws for a preconditioner.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/warmup_windows.hpp"

#include <mixwell/kernel/learner.hpp>

#include <algorithm>
#include <cmath>

namespace mixwell {
namespace {

constexpr double regularisation_scale = 0.05;
constexpr double iteration_offset = 10.0;
constexpr double relaxation_exponent = 0.75;

constexpr std::int64_t start_buffer = 75;
constexpr std::int64_t first_window = 25;
constexpr std::int64_t end_buffer = 50;
constexpr std::int64_t shortest = 20;

}  // namespace

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

WarmupWindows::WarmupWindows(std::int64_t sweeps) noexcept {
  if (sweeps < shortest) return;
  if (sweeps < start_buffer + first_window + end_buffer) {
    first_ = sweeps * 15 / 100;
    end_ = sweeps - sweeps / 10;
    size_ = end_ - first_;
    return;
  }
  first_ = start_buffer;
  size_ = first_window;
  end_ = sweeps - end_buffer;
}

bool WarmupWindows::collects(std::uint64_t sweep) const noexcept {
  const auto s = static_cast<std::int64_t>(sweep);
  return s >= first_ && s < end_;
}

bool WarmupWindows::closes(std::uint64_t sweep) const noexcept {
  if (!collects(sweep)) return false;
  const auto next = static_cast<std::int64_t>(sweep) + 1;
  std::int64_t close = first_;
  for (std::int64_t size = size_; close < next; size *= 2) {
    // The next window is twice as long. If it does not fit, the current window extends to the end.
    close = close + 3 * size > end_ ? end_ : close + size;
  }
  return close == next;
}

}  // namespace mixwell
