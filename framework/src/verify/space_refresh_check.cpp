// Whether what lives on a sphere or takes whole numbers is drawn from its law.
// SPDX-License-Identifier: Apache-2.0
#include "verify/operation_check.hpp"
#include "verify/refresh_draws.hpp"
#include "verify/space_steps.hpp"

#include <mixwell/lab/metropolis_change.hpp>

#include <fmt/format.h>

#include <memory>

namespace mixwell {
namespace {

constexpr Index most_rounds = 4000;

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

std::vector<VerifiedOperation> outcome(const std::string& operation,
                                       const MetropolisChange& change) {
  std::vector<VerifiedOperation> found;
  for (const std::string& f : change.names()) {
    const auto row = static_cast<Index>(found.size());
    found.push_back(zero_mean(operation, "a step within its space changes " + f,
                              change.sums().row(row).transpose()));
    found.back().trait = "keeps_law";
  }
  return found;
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
  MetropolisChange change(dimension, replay.columns(), MetropolisChange::Sum::of_fourth_powers);
  for (Index round = 0; round < rounds; ++round) {
    const Eigen::MatrixXd x = draws.next();
    const Eigen::MatrixXd y = steps->proposed(x, static_cast<std::uint64_t>(round));
    change.add(x, potential(replay, x), y, potential(replay, y));
  }
  auto found = outcome(replay.operation().name, change);
  found.push_back(membership(replay, *steps));
  return found;
}

}  // namespace mixwell
