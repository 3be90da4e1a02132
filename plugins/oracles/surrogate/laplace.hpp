// The Laplace approximation that a surrogate begins with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

namespace mixwell::surrogate_oracle {

/// How a mode is sought, and when one counts as found.
struct ModeSearch {
  std::uint64_t starts = 10;        ///< 0, then standard normals
  std::int64_t iterations = 10000;  ///< of L-BFGS from each
  /// Most sqrt(g' H^-1 g): standard deviations of the approximation from the point to the mode of
  /// the quadratic there. Unlike |g|, it has no unit, and is large far out in a tail without a
  /// mode.
  double away = 1e-4;
};

/// What the searches came to, for the error.
struct Nearest {
  double gradient = std::numeric_limits<double>::infinity();
  double away = std::numeric_limits<double>::infinity();

  std::string told(const ModeSearch& search) const {
    std::ostringstream text;
    text.precision(3);
    text << "from " << search.starts << " starts |grad U| came down to " << gradient;
    if (std::isinf(away)) {
      text << ", and no Hessian there was positive definite";
    } else {
      text << ", and the nearest mode of a quadratic lay " << away
           << " standard deviations away, of which at most " << search.away << " is a mode found";
    }
    return text.str();
  }
};

/// Mode and Hessian if the search from `start` ended at a mode; else what it came to, in `nearest`.
inline std::optional<Laplace> searched(const ColumnLaw& column, const Eigen::VectorXd& start,
                                       const ModeSearch& search, Nearest& nearest) {
  constexpr std::int64_t newton_steps = 5;
  const Optimum mode = find_mode(column, start, 1e-6, search.iterations, newton_steps);
  if (!std::isfinite(mode.u) || !mode.theta.allFinite()) return std::nullopt;
  nearest.gradient = std::min(nearest.gradient, mode.gradient.norm());
  Laplace at{mode.theta, hessian(column, mode.theta)};
  if (!at.hessian.allFinite()) return std::nullopt;
  const Eigen::LLT<Eigen::MatrixXd> cholesky(at.hessian);
  if (cholesky.info() != Eigen::Success) return std::nullopt;
  const double away = std::sqrt(mode.gradient.dot(cholesky.solve(mode.gradient)));
  nearest.away = std::min(nearest.away, away);
  return away <= search.away ? std::optional(std::move(at)) : std::nullopt;
}

/// Where U has a mode with a positive definite Hessian. Throws InputError where no search finds
/// one; `who` begins what is said.
inline Laplace laplace_of(const Potential& target, Index d, const std::string& who,
                          const ModeSearch& search = {}) {
  Workspace scratch;
  const double none = 0.0;
  const Law law(target, ConstMatrixMap(&none, 0, 1));
  const ColumnLaw column(law, 0, scratch);
  Eigen::MatrixXd start = Eigen::MatrixXd::Zero(d, 1);
  Nearest nearest;
  for (std::uint64_t k = 0; k < search.starts; ++k) {
    if (k > 0) Stream(k, "surrogate/start").normals({}, start);
    if (auto found = searched(column, start, search, nearest)) return std::move(*found);
  }
  throw InputError(
      who +
      ": found no mode with a positive definite Hessian, from which the surrogate takes "
      "its scale: " +
      nearest.told(search) +
      "; look at the model with kernel `map`, and where U falls without end give it a "
      "proper prior or other parameters");
}

}  // namespace mixwell::surrogate_oracle
