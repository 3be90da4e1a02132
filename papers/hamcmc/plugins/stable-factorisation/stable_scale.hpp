// Scales that turn a Gaussian into a symmetric alpha-stable distribution.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mixwell::stable_factorisation {

/// Phi = 2 S with S positive (alpha/2)-stable, E exp(-t S) = exp(-t^(alpha/2)), as a function of
/// two independent numbers (Kanter 1975, Ann. Prob. 3, theorem 4.1): an angle, uniform on (0, pi),
/// and an energy, exponential of rate 1,
///   S = sin(a v) / sin(v)^(1/a) (sin((1 - a) v) / e)^((1 - a)/a),  a = alpha / 2.
/// With z ~ N(0, I_2), E exp(i t'sqrt(Phi) z) = exp(-|t|^alpha). Coordinates: y with
/// v = pi / (1 + exp(-y)), and w = log e.
class StableScale {
 public:
  /// 0 < alpha < 2.
  explicit StableScale(double alpha) : a_(alpha / 2.0), power_((1.0 - a_) / a_) {}

  /// log Phi.
  double log_scale(double y, double w) const { return angle_part(angle(y)) - power_ * w; }
  /// d log Phi / dy.
  double slope(double y) const {
    const Angle at = angle(y);
    const auto cotangent = [](double x) { return std::cos(x) / std::sin(x); };
    return std::numbers::pi * at.share * at.other *
           (a_ * cotangent(a_ * at.v) - std::cos(at.v) / at.sine / a_ +
            power_ * (1.0 - a_) * cotangent((1.0 - a_) * at.v));
  }
  /// d log Phi / dw.
  double slope_of_energy() const noexcept { return -power_; }

  /// -log of the density of the coordinates, with its Jacobian:
  ///   log(1 + e^y) + log(1 + e^-y) + e^w - w.
  static double potential(double y, double w) {
    return std::abs(y) + 2.0 * std::log1p(std::exp(-std::abs(y))) + std::exp(w) - w;
  }
  static double potential_slope(double y) { return std::tanh(0.5 * y); }
  static double potential_slope_of_energy(double w) { return std::expm1(w); }

  /// Coordinates from uniform numbers on (0, 1).
  static double drawn_angle(double uniform) { return std::log(uniform) - std::log1p(-uniform); }
  static double drawn_energy(double uniform) { return std::log(-std::log(uniform)); }

 private:
  struct Angle {
    double share;  ///< v / pi
    double other;  ///< 1 - v / pi
    double v;
    double sine;  ///< sin v, accurate also close to pi
  };

  static Angle angle(double y) {
    const double share = 1.0 / (1.0 + std::exp(-y));
    const double other = 1.0 / (1.0 + std::exp(y));
    return {share, other, std::numbers::pi * share,
            std::sin(std::numbers::pi * std::min(share, other))};
  }
  double angle_part(const Angle& at) const {
    return std::numbers::ln2 + std::log(std::sin(a_ * at.v)) - std::log(at.sine) / a_ +
           power_ * std::log(std::sin((1.0 - a_) * at.v));
  }

  double a_;
  double power_;
};

}  // namespace mixwell::stable_factorisation
