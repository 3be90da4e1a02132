// Whether what lives on a sphere or takes whole numbers is drawn from its law.
// SPDX-License-Identifier: Apache-2.0
#include "verify/operation_check.hpp"
#include "verify/refresh_draws.hpp"
#include "verify/space_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace mixwell {
namespace {

constexpr Index most_rounds = 4000;
constexpr Index most_coordinates = 8;

/// Sums over rounds of a (f(y) - f(x)), where y is as likely from x as x from y and
/// a = min(1, exp(U(x) - U(y))): of draws x of exp(-U) each has mean 0, whatever f is. f: the first
/// coordinates, their squares, the sum of all fourth powers, and U.
class Balance {
 public:
  Balance(Index dimension, Index columns)
      : shown_(std::min(dimension, most_coordinates)),
        sums_(Eigen::ArrayXXd::Zero(2 * shown_ + 2, columns)) {}

  void add(ConstBatch x, const Eigen::RowVectorXd& u_x, ConstBatch y,
           const Eigen::RowVectorXd& u_y) {
    for (Index j = 0; j < x.cols(); ++j) {
      auto sum = sums_.col(j);
      if (!std::isfinite(u_x(j))) sum.setConstant(std::numeric_limits<double>::quiet_NaN());
      if (!std::isfinite(u_y(j))) continue;
      const double a = std::exp(std::min(0.0, u_x(j) - u_y(j)));
      const auto here = x.col(j).array();
      const auto there = y.col(j).array();
      sum.segment(0, shown_) += a * (there - here).head(shown_);
      sum.segment(shown_, shown_) += a * (there.square() - here.square()).head(shown_);
      sum(2 * shown_) += a * (there.square().square() - here.square().square()).sum();
      sum(2 * shown_ + 1) += a * (u_y(j) - u_x(j));
    }
  }

  std::vector<VerifiedOperation> outcome(const std::string& operation) const {
    std::vector<VerifiedOperation> found;
    const auto next = [&](const std::string& f) {
      const auto row = static_cast<Index>(found.size());
      found.push_back(
          zero_mean(operation, "a step within its space changes " + f, sums_.row(row).transpose()));
    };
    for (Index i = 0; i < shown_; ++i) next(fmt::format("x[{}]", i));
    for (Index i = 0; i < shown_; ++i) next(fmt::format("x[{}]^2", i));
    next("the sum of x^4");
    next("U");
    return found;
  }

 private:
  Index shown_;
  Eigen::ArrayXXd sums_;
};

std::unique_ptr<SpaceSteps> steps_of(Space space) {
  if (space == Space::sphere) return std::make_unique<SphereSteps>();
  return std::make_unique<WholeNumberSteps>();
}

Eigen::RowVectorXd potential(Replay& replay, ConstBatch x) {
  Eigen::RowVectorXd u(x.cols());
  Workspace scratch;
  const std::size_t law = inputs_of(replay, Role::law).front();
  replay.law(law).evaluate(x, Evaluation::of_potential(u.data(), x, scratch));
  return u;
}

/// Everything that it draws is in its space.
VerifiedOperation membership(const Replay& replay, const SpaceSteps& steps) {
  VerifiedOperation found{
      replay.operation().name, "keeps_law",
      fmt::format("a draw is up to {:.2g} from {}", steps.farthest_from_space(), steps.name())};
  found.p = steps.farthest_from_space() > same_space ? 0.0 : 1.0;
  return found;
}

}  // namespace

std::vector<VerifiedOperation> check_space_refresh(Replay replay, Space space) {
  const Index dimension = replay.output(0).rows();
  const Index rounds = rounds_of(dimension, replay.columns(), most_rounds);
  RefreshDraws draws(replay, rounds);
  const auto steps = steps_of(space);
  for (Index k = 0; k < rounds / pilot_share; ++k) steps->see(draws.next());
  if (steps->farthest_from_space() > same_space) return {membership(replay, *steps)};
  if (const std::string why = steps->why_none(); !why.empty()) {
    return {untested(replay, "keeps_law", why)};
  }
  Balance balance(dimension, replay.columns());
  for (Index round = 0; round < rounds; ++round) {
    const Eigen::MatrixXd x = draws.next();
    const Eigen::MatrixXd y = steps->proposed(x, static_cast<std::uint64_t>(round));
    balance.add(x, potential(replay, x), y, potential(replay, y));
  }
  auto found = balance.outcome(replay.operation().name);
  for (VerifiedOperation& f : found) f.trait = "keeps_law";
  found.push_back(membership(replay, *steps));
  return found;
}

}  // namespace mixwell
