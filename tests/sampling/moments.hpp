// Averages over the replicates, slots and sweeps of a composition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "composing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <string>

namespace sampling {

/// A mean and its standard error, from independent replicates.
struct Moment {
  double mean;
  double error;
};

struct Length {
  std::int64_t replicates = 4000;
  std::int64_t before = 100;  ///< sweeps, from exact draws, that do not count
  std::int64_t sweeps = 100;
};

/// E theta_i^2 over all coordinates and slots.
inline Moment second_moment(const std::string& body, const Length& length) {
  const mixwell::Composition c = composing::compose(body);
  mixwell::RunSettings settings = c.run;
  settings.seed = 11;
  settings.replicates = length.replicates;
  settings.init.how = mixwell::Init::How::exact;
  mixwell::Sampler sampler(c.compositor, settings, mixwell::compose(*c.compositor));
  sampler.initialise();
  sampler.advance(mixwell::PhaseKind::sampling, length.before);
  const auto slots = c.compositor->slots();
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(length.replicates);
  for (std::int64_t k = 0; k < length.sweeps; ++k) {
    sampler.advance(mixwell::PhaseKind::sampling, 1);
    for (const std::string& slot : slots) {
      sum += sampler.variable(slot).array().square().colwise().mean().transpose();
    }
  }
  sum /= static_cast<double>(length.sweeps) * static_cast<double>(slots.size());
  const auto n = static_cast<double>(length.replicates);
  return {sum.mean(), std::sqrt((sum - sum.mean()).square().sum() / (n - 1.0) / n)};
}

/// Whether the average is within 4 standard errors, including the error of a wanted figure that was
/// measured. It fails by chance with probability 6e-5.
inline void expect(const Moment& found, const Moment& wanted) {
  INFO("E theta^2 = " << found.mean << " +- " << found.error << ", wanted " << wanted.mean << " +- "
                      << wanted.error);
  CHECK(std::abs(found.mean - wanted.mean) <= 4.0 * std::hypot(found.error, wanted.error));
}

inline std::string label(const std::string& body) {
  return mixwell::compose(*composing::compose(body).compositor).certificate.now.label();
}

}  // namespace sampling
