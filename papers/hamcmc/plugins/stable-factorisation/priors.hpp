// Priors of model `stable-factorisation`: for the factors (generalised gamma) and for the scales.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.hpp"
#include "stable_scale.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <utility>

namespace mixwell::stable_factorisation {

/// |x| has the generalised gamma density of shape a, scale b and power c = -2 / alpha: (|x| / b)^c
/// ~ Gamma(a, 1). Both signs of x are equally likely.
struct FactorPrior {
  double shape = 1.0;
  double scale = 1.0;

  double potential(double x, double alpha) const {
    const double log_ratio = std::log(std::abs(x) / scale);
    return (2.0 * shape / alpha + 1.0) * log_ratio + std::exp(-2.0 / alpha * log_ratio);
  }
  double slope(double x, double alpha) const {
    const double power = std::exp(-2.0 / alpha * std::log(std::abs(x) / scale));
    return (2.0 / alpha * (shape - power) + 1.0) / x;
  }
  double draw(RandomNumbers& random, double alpha) const {
    const double size = scale * std::exp(-0.5 * alpha * draw_log_gamma(random, shape, 1.0));
    return random.uniform() < 0.5 ? -size : size;
  }
};

/// The priors of row factors, column factors and all scales.
class Priors {
 public:
  Priors(Layout layout, FactorPrior rows, FactorPrior columns)
      : layout_(std::move(layout)), rows_(rows), columns_(columns) {}

  /// -log density of the whole position, up to a constant.
  double potential(const double* theta) const {
    double u = 0.0;
    each_factor([&](Index at, const FactorPrior& prior, double alpha) {
      u += prior.potential(theta[at], alpha);
    });
    for (Index n = 0; n < layout_.scales(); ++n)
      u += StableScale::potential(theta[layout_.angle(0, n)], theta[layout_.energy(0, n)]);
    return u;
  }
  /// Like potential(), but also adds the gradient to g.
  double add(const double* theta, double* g) const {
    each_factor([&](Index at, const FactorPrior& prior, double alpha) {
      g[at] += prior.slope(theta[at], alpha);
    });
    for (Index n = 0; n < layout_.scales(); ++n) {
      g[layout_.angle(0, n)] += StableScale::potential_slope(theta[layout_.angle(0, n)]);
      g[layout_.energy(0, n)] +=
          StableScale::potential_slope_of_energy(theta[layout_.energy(0, n)]);
    }
    return potential(theta);
  }
  void draw(RandomNumbers& random, double* theta) const {
    each_factor([&](Index at, const FactorPrior& prior, double alpha) {
      theta[at] = prior.draw(random, alpha);
    });
    for (Index n = 0; n < layout_.scales(); ++n) {
      theta[layout_.angle(0, n)] = StableScale::drawn_angle(random.uniform());
      theta[layout_.energy(0, n)] = StableScale::drawn_energy(random.uniform());
    }
  }
  /// Maps numbers on (-2, 2) to factors between 0.5 and 1.5 times the scale of their prior.
  void scale(double* theta) const {
    each_factor([&](Index at, const FactorPrior& prior, double) {
      const double size = prior.scale * (0.5 + 0.5 * std::abs(theta[at]));
      theta[at] = std::copysign(size, theta[at]);
    });
  }

 private:
  /// Calls visit(index, prior, alpha of the source) for each factor.
  template <class Visit>
  void each_factor(const Visit& visit) const {
    for (Index i = 0; i < layout_.rows + layout_.columns; ++i) {
      const FactorPrior& prior = i < layout_.rows ? rows_ : columns_;
      for (const Source& source : layout_.sources)
        for (Index k = 0; k < source.rank; ++k)
          visit(i * layout_.rank + source.first + k, prior, source.alpha);
    }
  }

  Layout layout_;
  FactorPrior rows_;
  FactorPrior columns_;
};

}  // namespace mixwell::stable_factorisation
