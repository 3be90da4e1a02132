// Independent draws from any density in one or two dimensions.
// SPDX-License-Identifier: Apache-2.0
#include "verify/law_draws.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace mixwell {
namespace {

constexpr double farthest = 1e7;
/// Cells with a larger U, relative to the best cell, are cut off. For a Gaussian in two dimensions,
/// the cells that are cut off have 1e-7 of the mass.
constexpr double most_nats = 16.0;
constexpr int most_zooms = 20;
constexpr double settled = 0.8;  ///< zooming ends if no side shrinks to less than this share
constexpr double coarse = 0.1;   ///< nats; a Gaussian in two dimensions has 0.03 with 300 cells

}  // namespace

LawDraws::LawDraws(Index dimension, Index cells, const PotentialAt& potential)
    : dimension_(dimension),
      cells_(cells),
      box_{Eigen::ArrayXd::Constant(dimension, -farthest),
           Eigen::ArrayXd::Constant(dimension, farthest)} {
  assert(dimension <= most_dimensions);
  Eigen::RowVectorXd u = excess(potential);
  for (int zoom = 0; zoom < most_zooms; ++zoom) {
    const Box next = narrowed(u);
    if (((next.upper - next.lower) / (box_.upper - box_.lower)).minCoeff() > settled) break;
    box_ = next;
    u = excess(potential);
  }
  if ((box_.lower <= -farthest).any() || (box_.upper >= farthest).any()) {
    throw InputError(
        "the density extends beyond [-1e7, 1e7], so Mixwell cannot draw from it on a grid");
  }
  if (const double rough = roughness(u); rough > coarse) {
    throw InputError(fmt::format(
        "the log density changes by {:.2g} nats between neighbouring cells of the finest grid that "
        "contains the density. Mixwell draws on a grid only if this change is at most {} nats",
        rough, coarse));
  }
  cumulative_.reserve(static_cast<std::size_t>(u.size()));
  double sum = 0.0;
  for (const double nats : u) cumulative_.push_back(sum += std::exp(-nats));
}

Eigen::MatrixXd LawDraws::centres() const {
  Eigen::MatrixXd theta(dimension_, dimension_ == 1 ? cells_ : cells_ * cells_);
  const Eigen::ArrayXd width = cell();
  for (Index k = 0; k < theta.cols(); ++k) {
    for (Index i = 0, rest = k; i < dimension_; ++i, rest /= cells_) {
      theta(i, k) = box_.lower(i) + (static_cast<double>(rest % cells_) + 0.5) * width(i);
    }
  }
  return theta;
}

Eigen::RowVectorXd LawDraws::excess(const PotentialAt& potential) const {
  const Eigen::MatrixXd theta = centres();
  Eigen::RowVectorXd u(theta.cols());
  potential(theta, u);
  for (double& nats : u) nats = std::isfinite(nats) ? nats : INFINITY;
  const double least = u.minCoeff();
  if (!std::isfinite(least)) {
    throw InputError(
        "the density is 0, or not finite, everywhere in [-1e7, 1e7], so Mixwell cannot draw from "
        "it on a grid");
  }
  return u.array() - least;
}

double LawDraws::roughness(const Eigen::RowVectorXd& excess) const {
  double sum = 0.0;
  double mass = 0.0;
  for (Index stride = 1, i = 0; i < dimension_; ++i, stride *= cells_) {
    for (Index k = 0; k + stride < excess.size(); ++k) {
      const bool last = k / stride % cells_ == cells_ - 1;
      const double weight = std::exp(-excess(k));
      if (last || weight == 0.0) continue;
      sum += weight * std::min(std::abs(excess(k + stride) - excess(k)), most_nats);
      mass += weight;
    }
  }
  return sum / mass;
}

LawDraws::Box LawDraws::narrowed(const Eigen::RowVectorXd& excess) const {
  const Eigen::MatrixXd theta = centres();
  const Eigen::ArrayXd width = cell();
  Box next{box_.upper, box_.lower};
  for (Index k = 0; k < excess.size(); ++k) {
    if (excess(k) > most_nats) continue;
    for (Index i = 0; i < dimension_; ++i) {
      next.lower(i) = std::min(next.lower(i), theta(i, k) - 1.5 * width(i));
      next.upper(i) = std::max(next.upper(i), theta(i, k) + 1.5 * width(i));
    }
  }
  next.lower = next.lower.max(box_.lower);
  next.upper = next.upper.min(box_.upper);
  return next;
}

void LawDraws::draw(ConstBatch uniforms, Batch theta) const {
  const Eigen::ArrayXd width = cell();
  for (Index j = 0; j < theta.cols(); ++j) {
    const double wanted = uniforms(0, j) * cumulative_.back();
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, wanted);
    Index rest = found - cumulative_.begin();
    for (Index i = 0; i < dimension_; ++i, rest /= cells_) {
      theta(i, j) =
          box_.lower(i) + (static_cast<double>(rest % cells_) + uniforms(1 + i, j)) * width(i);
    }
  }
}

}  // namespace mixwell
