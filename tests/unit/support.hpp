// Shared by several unit tests: models from manifest text, temporary files, and refusals as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include "temporary_folder.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

namespace support {

using mixwell::testing::TemporaryFolder;

inline const mixwell::Registry& registry() {
  static const mixwell::Registry all =
      mixwell::Registry::load(mixwell::Registry::default_folders());
  return all;
}

/// The model of `[model.target]` with the given lines: `use = "quartic"`, ...
inline std::shared_ptr<const mixwell::Model> make_model(const std::string& body) {
  const std::string text = "mixwell = 1\n[model.target]\n" + body +
                           "\n[integrator.verlet]\nuse = \"leapfrog\"\n"
                           "[estimator.identity]\nuse = \"identity\"\n[kernel.hmc]\nuse = "
                           "\"hamiltonian\"\nstep_size = 0.1\nsteps = 1\n"
                           "[compositor.main]\nuse = \"chain\"\n";
  return mixwell::parse_manifest(text, "test.toml", registry()).model();
}

/// The message with which the model is refused, or "accepted".
inline std::string refusal(const std::string& body) {
  try {
    make_model(body);
    return "accepted";
  } catch (const mixwell::InputError& error) {
    return error.what();
  }
}

/// U and gradient of one model at some columns.
struct Evaluated {
  Eigen::RowVectorXd u;
  Eigen::MatrixXd g;
};

inline Evaluated evaluate(const mixwell::Model& model, const Eigen::MatrixXd& theta) {
  Evaluated out{Eigen::RowVectorXd(theta.cols()), Eigen::MatrixXd(theta.rows(), theta.cols())};
  mixwell::Workspace scratch;
  model.evaluate(theta, {out.u.data(), out.g, scratch});
  return out;
}

/// d x n exact draws at a fixed seed.
inline Eigen::MatrixXd exact_draws(const mixwell::Model& model, Eigen::Index n) {
  Eigen::MatrixXd theta(model.dimension(), n);
  model.offers<mixwell::ExactSampler>()->draw(mixwell::Stream(7, "test/exact"), {}, theta);
  return theta;
}

/// z-score of the mean of `values` about `mean`; the standard error is the sample's own.
inline double z_score(const Eigen::ArrayXd& values, double mean) {
  const auto n = static_cast<double>(values.size());
  const double sd = std::sqrt((values - values.mean()).square().sum() / (n - 1));
  return (values.mean() - mean) * std::sqrt(n) / sd;
}

/// sqrt(n) times the largest difference between the distribution function F and that of the values.
/// This is Kolmogorov and Smirnov's statistic, which exceeds 2.7 with probability 1e-6 if the
/// values are draws from F.
template <class F>
double ks_statistic(Eigen::ArrayXd values, const F& distribution) {
  std::sort(values.data(), values.data() + values.size());
  const auto n = static_cast<double>(values.size());
  double worst = 0;
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    const double f = distribution(values[k]);
    worst = std::max({worst, f - static_cast<double>(k) / n, static_cast<double>(k + 1) / n - f});
  }
  return std::sqrt(n) * worst;
}

/// The distribution function of N(0, 1).
inline double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace support
