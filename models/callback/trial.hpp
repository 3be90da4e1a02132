// A C function put to the test before a run: what it writes, and whether it repeats itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "function.hpp"

#include <mixwell/plugin.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

namespace mixwell::callback {

/// Calls a function at points of its own, uniform on (-2, 2).
class Trial {
 public:
  /// `key`: of the manifest, for messages.
  Trial(const ForeignFunction& function, std::string key, Index dimension)
      : function_(function), key_(std::move(key)), dimension_(dimension) {
    check_memory("parameters", 8.0 * 6.0 * columns * static_cast<double>(dimension));
  }

  /// Throws ParameterError with what is wrong.
  void run() const {
    const Eigen::MatrixXd theta = points(0);
    const Values first = evaluated(theta);
    require_written(first);
    evaluated(points(1));
    const Values again = evaluated(theta);
    if (!same(first.u, again.u)) refuse("gives another U at the same points the second time");
    if (!same(first.gradient, again.gradient))
      refuse("gives another gradient at the same points the second time");
    require_near(first.u, alone(theta));
  }

 private:
  static constexpr Index columns = 3;
  /// A NaN that no computation makes: what has it still was not written.
  static constexpr auto unwritten = std::bit_cast<double>(std::uint64_t{0x7ff8000000abcdef});

  struct Values {
    Eigen::MatrixXd u;
    Eigen::MatrixXd gradient;
  };

  [[noreturn]] void refuse(const std::string& what) const {
    throw ParameterError(
        key_, function_.words() + " " + what + "; <mixwell/callback.h> says what it has to do");
  }

  Eigen::MatrixXd points(std::uint32_t draw) const {
    Eigen::MatrixXd theta(dimension_, columns);
    Stream(0, "callback/trial").uniforms({0, draw, 0}, theta);
    return (4.0 * theta.array() - 2.0).matrix();
  }

  void call(const Eigen::MatrixXd& theta, double* u, double* gradient) const {
    const int code = function_(theta, u, gradient);
    if (code != 0)
      refuse("returned " + std::to_string(code) + " for points on (-2, 2), and 0 is wanted");
  }

  Values evaluated(const Eigen::MatrixXd& theta) const {
    Values out{Eigen::MatrixXd::Constant(1, columns, unwritten),
               Eigen::MatrixXd::Constant(dimension_, columns, unwritten)};
    call(theta, out.u.data(), out.gradient.data());
    return out;
  }

  Eigen::MatrixXd alone(const Eigen::MatrixXd& theta) const {
    Eigen::MatrixXd u = Eigen::MatrixXd::Constant(1, columns, unwritten);
    call(theta, u.data(), nullptr);
    return u;
  }

  static bool is_written(double value) {
    return std::bit_cast<std::uint64_t>(value) != std::bit_cast<std::uint64_t>(unwritten);
  }

  void require_written(const Values& values) const {
    for (Index j = 0; j < columns; ++j) {
      if (!is_written(values.u(0, j)))
        refuse("writes no U of point " + std::to_string(j) + " of " + std::to_string(columns));
      if (!std::isfinite(values.u(0, j))) continue;
      for (Index i = 0; i < dimension_; ++i)
        if (!is_written(values.gradient(i, j)))
          refuse("writes no derivative " + std::to_string(i) + " of " + std::to_string(dimension_) +
                 " of point " + std::to_string(j));
    }
  }

  /// What was not written in both is the same.
  static bool same(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return (a.array() == b.array() || (a.array().isNaN() && b.array().isNaN())).all();
  }

  void require_near(const Eigen::MatrixXd& u, const Eigen::MatrixXd& alone) const {
    for (Index j = 0; j < columns; ++j) {
      const bool is_same =
          u(0, j) == alone(0, j) || (std::isnan(u(0, j)) && std::isnan(alone(0, j)));
      if (!is_same && !(std::abs(u(0, j) - alone(0, j)) <= 1e-9 * (1.0 + std::abs(u(0, j)))))
        refuse("gives another U where the gradient is not wanted");
    }
  }

  const ForeignFunction& function_;
  std::string key_;
  Index dimension_;
};

}  // namespace mixwell::callback
