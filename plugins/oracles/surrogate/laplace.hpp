// The Laplace approximation that a surrogate starts from.
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

/// How a mode is searched for, and which points count as a mode.
struct ModeSearch {
  std::uint64_t starts = 10;  ///< number of starts: the first is 0, the others are standard normals
  std::int64_t iterations = 10000;  ///< largest number of L-BFGS iterations from each start
  /// Largest sqrt(g' H^-1 g) that counts as a mode. It is the distance from the point to the mode
  /// of the quadratic approximation at this point, in standard deviations of the approximation.
  /// Unlike |g|, the distance has no unit. It is large far out in a tail that has no mode.
  double away = 1e-4;
};

/// The best results of the searches, for the error message.
struct Nearest {
  double gradient = std::numeric_limits<double>::infinity();
  double away = std::numeric_limits<double>::infinity();

  std::string told(const ModeSearch& search) const {
    std::ostringstream text;
    text.precision(3);
    text << "after " << search.starts << " searches the smallest |grad U| was " << gradient;
    if (std::isinf(away)) {
      text << ", and no Hessian at the end of a search was positive definite";
    } else {
      text << ", and the mode of the quadratic approximation at the end of a search was at least "
           << away
           << " standard deviations away from the point where the search ended (the limit is "
           << search.away << ")";
    }
    return text.str();
  }
};

/// The mode and Hessian if the search from `start` ended at a mode. Updates `nearest` with the
/// result of the search.
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

/// A mode of U with a positive definite Hessian. Throws InputError if no search finds one; the
/// message begins with `who`.
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
  throw InputError(who +
                   ": Mixwell found no mode with a positive definite Hessian, and the surrogate "
                   "needs this Hessian for its scale: " +
                   nearest.told(search) +
                   ". Check the model with kernel `map`. If U has no lower bound, give the model a "
                   "proper prior or reparametrise it.");
}

}  // namespace mixwell::surrogate_oracle
