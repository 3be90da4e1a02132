// Tests whether a refresh draws from its law.
// SPDX-License-Identifier: Apache-2.0
#include "verify/move_states.hpp"
#include "verify/operation_check.hpp"
#include "verify/space_steps.hpp"

#include <mixwell/lab/metropolis_change.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mixwell {
namespace {

constexpr Index most_rounds = 20000;
constexpr Index most_steps = 4000;  ///< largest number of rounds that make a Metropolis step
constexpr Index pilot_rounds = 8;
constexpr Index most_coordinates = 8;
constexpr Index few_rounds = 3;

/// The draws of a refresh. They are independent if the refresh is full or reads no state. Otherwise
/// each draw is made from the draw before, and the first half of all draws is left out.
class RefreshDraws {
 public:
  RefreshDraws(Replay& replay, Index rounds) : replay_(replay), rounds_(rounds) {
    const auto states = inputs_of(replay, Role::state);
    if (!states.empty() && !replay.operation().traits.full) made_from_ = states.front();
  }

  /// Whether the refresh never renews the state that it reads. Its outcome then still depends on
  /// the run.
  bool keeps_its_start() const { return made_from_ && !replay_.operation().traits.renews; }
  bool are_independent() const noexcept { return !made_from_.has_value(); }
  Index rounds() const noexcept { return rounds_; }

  MatrixMap next() {
    if (made_from_ && round_ == 0) {
      for (Index k = 0; k < rounds_; ++k) advance();
    }
    advance();
    return replay_.output(0);
  }

 private:
  void advance() {
    replay_.run(sweep_of_round(round_++));
    if (made_from_) replay_.input(*made_from_) = replay_.output(0);
  }

  Replay& replay_;
  Index rounds_;
  std::optional<std::size_t> made_from_{};  ///< index of the state that it reads
  Index round_ = 0;
};

/// Sums over rounds of quantities with mean 0 in every column (the identities of check_refresh()).
/// Each row is one statistic.
class Stein {
 public:
  Stein(Index dimension, Index columns)
      : shown_(std::min(dimension, most_coordinates)),
        sums_(Eigen::ArrayXXd::Zero(rows(), columns)),
        halves_(Eigen::ArrayXXd::Zero(2, columns)) {}

  void add(ConstBatch p, ConstBatch g, bool later) {
    const Eigen::ArrayXXd virial = p.array() * g.array() - 1.0;
    const Eigen::ArrayXXd square = p.array().square();
    const Eigen::ArrayXXd cubic = square * (virial - 2.0);
    Index row = 0;
    sums_.row(row++) += virial.colwise().mean();
    sums_.row(row++) += cubic.colwise().mean();
    for (Index i = 0; i < shown_; ++i) {
      sums_.row(row++) += g.row(i).array();
      sums_.row(row++) += virial.row(i);
      const Index j = (i + 1) % p.rows();
      if (j == i) continue;
      sums_.row(row++) += p.row(i).array() * g.row(j).array();
    }
    halves_.row(later ? 1 : 0) += virial.colwise().mean();
  }

  /// `independent`: whether the rounds are independent.
  std::vector<VerifiedOperation> outcome(const std::string& name, bool independent) const {
    std::vector<VerifiedOperation> found;
    Index row = 0;
    const auto next = [&](std::string what) {
      found.push_back(zero_mean(name, std::move(what), sums_.row(row++).transpose()));
    };
    next("mean of p dU/dp");
    next("mean of p^3 dU/dp");
    for (Index i = 0; i < shown_; ++i) {
      next(fmt::format("dU/dp[{}]", i));
      next(fmt::format("p dU/dp[{}]", i));
      if (shown_ > 1) next(fmt::format("p[{}] times dU/dp of the next coordinate", i));
    }
    if (!independent) return found;
    found.push_back(zero_mean(name, "p dU/dp in single columns",
                              (halves_.row(0) * halves_.row(1)).transpose()));
    return found;
  }

 private:
  Index rows() const { return 2 + (shown_ > 1 ? 3 : 2) * shown_; }

  Index shown_;
  Eigen::ArrayXXd sums_;
  Eigen::ArrayXXd halves_;
};

/// Whether a law writes its gradient. A law that is only used for U writes the gradient 0 and does
/// not declare this.
bool has_gradient(Replay replay, std::size_t law) {
  replay.run(sweep_of_round(0));
  return (evaluate(replay, law, replay.output(0)).g.array() != 0.0).any();
}

/// U of the law of the operation, at x.
Eigen::RowVectorXd potential(Replay& replay, ConstBatch x) {
  Eigen::RowVectorXd u(x.cols());
  Workspace scratch;
  const std::size_t law = inputs_of(replay, Role::law).front();
  replay.law(law).evaluate(x, Evaluation::of_potential(u.data(), x, scratch));
  return u;
}

std::vector<VerifiedOperation> outcome(const Replay& replay, const std::string& step,
                                       const MetropolisChange& change) {
  std::vector<VerifiedOperation> found;
  for (const std::string& f : change.names()) {
    const auto row = static_cast<Index>(found.size());
    found.push_back(zero_mean(replay.operation().name, step + " changes " + f,
                              change.sums().row(row).transpose()));
    found.back().trait = "keeps_law";
  }
  return found;
}

/// Tests that all draws are in the space that the auxiliary declares.
VerifiedOperation membership(const Replay& replay, const SpaceSteps& steps) {
  VerifiedOperation found{replay.operation().name, "keeps_law",
                          fmt::format("the largest distance between a draw and {1} is {0:.2g}",
                                      steps.farthest_from_space(), steps.name())};
  found.p = steps.farthest_from_space() > same_space ? 0.0 : 1.0;
  return found;
}

std::vector<VerifiedOperation> check_real_refresh(Replay replay) {
  const OperationInfo& operation = replay.operation();
  const std::size_t law = inputs_of(replay, Role::law).front();
  if (operation.traits.full && !has_gradient(replay, law)) {
    return check_slot_refresh(std::move(replay));
  }
  const Index dimension = replay.output(0).rows();
  RefreshDraws draws(replay, rounds_of(dimension, replay.columns(), most_rounds));
  Stein stein(dimension, replay.columns());
  for (Index round = 0; round < draws.rounds(); ++round) {
    const MatrixMap p = draws.next();
    stein.add(p, evaluate(replay, law, p).g, 2 * round >= draws.rounds());
  }
  auto found = stein.outcome(operation.name, draws.are_independent());
  for (VerifiedOperation& f : found) f.trait = "keeps_law";
  return found;
}

/// Finds the space of the draws of a refresh from a few rounds.
Space space_of_draws(Replay replay) {
  RefreshDraws draws(replay, few_rounds);
  std::vector<Eigen::MatrixXd> rounds;
  for (Index k = 0; k < few_rounds; ++k) rounds.emplace_back(draws.next());
  return seen_space(rounds);
}

std::string undeclared(Space space) {
  return fmt::format(
      "the draws of this refresh lie in a smaller space ({}), but its auxiliary declares R^d. "
      "Declare the smaller space as the `.space` of the auxiliary.",
      to_string(space));
}

/// Tests a refresh on a sphere or of whole numbers like a refresh of a slot. A Metropolis step
/// within the space, starting at a draw, must leave the law unchanged. Whole numbers step to other
/// numbers that were drawn. So this tests only the ratios between probabilities of drawn numbers,
/// not that all numbers are drawn.
std::vector<VerifiedOperation> check_space_refresh(Replay replay, Space space) {
  const Index dimension = replay.output(0).rows();
  const Index rounds = rounds_of(dimension, replay.columns(), most_steps);
  RefreshDraws draws(replay, rounds);
  SpaceSteps steps(space);
  for (Index k = 0; k < rounds / pilot_share; ++k) steps.see(draws.next());
  if (steps.farthest_from_space() > same_space) return {membership(replay, steps)};
  if (const std::string why = steps.why_none(); !why.empty()) {
    return {untested(replay, "keeps_law", why)};
  }
  MetropolisChange change(dimension, replay.columns(), MetropolisChange::Sum::of_fourth_powers);
  for (Index round = 0; round < rounds; ++round) {
    const Eigen::MatrixXd x = draws.next();
    const Eigen::MatrixXd y = steps.proposed(x, static_cast<std::uint64_t>(round));
    change.add(x, potential(replay, x), y, potential(replay, y));
  }
  auto found = outcome(replay, "a Metropolis step within the auxiliary's space", change);
  found.push_back(membership(replay, steps));
  return found;
}

}  // namespace

std::vector<VerifiedOperation> check_slot_refresh(Replay replay) {
  const auto laws = inputs_of(replay, Role::law);
  if (laws.size() != 1 || replay.columns() < fewest_columns) return {};
  const Index dimension = replay.output(0).rows();
  const Index rounds = rounds_of(dimension, replay.columns(), most_steps);
  MetropolisChange change(dimension, replay.columns());
  Eigen::MatrixXd y(dimension, replay.columns());
  for (Index round = 0; round < pilot_rounds + rounds; ++round) {
    const std::uint64_t sweep = sweep_of_round(round);
    replay.run(sweep);
    const Eigen::MatrixXd x = replay.output(0);
    if (round < pilot_rounds) {
      change.see(x);
      continue;
    }
    change.propose(x, sweep, y);
    change.add(x, potential(replay, x), y, potential(replay, y));
  }
  return outcome(replay, "a Metropolis step", change);
}

std::vector<VerifiedOperation> check_refresh(Replay replay) {
  const auto laws = inputs_of(replay, Role::law);
  if (laws.size() != 1 || replay.operation().outputs.empty()) return {};
  const auto leave = [&](std::string why) {
    return std::vector{untested(replay, "keeps_law", std::move(why))};
  };
  if (replay.columns() < fewest_columns)
    return leave("this refresh runs in fewer than 16 columns, which are too few for the test");
  if (RefreshDraws(replay, 0).keeps_its_start())
    return leave(
        "this refresh never renews its variable, so its draws depend on the initial value");
  const Space space = space_of(replay.graph(), replay.operation().outputs.front());
  if (space == Space::improper)
    return leave("the density that this refresh draws from is improper");
  if (space == Space::line)
    return leave(
        "the draws of this refresh lie on a line that depends on the state, and the test does not "
        "support such draws");
  if (space != Space::real) return check_space_refresh(std::move(replay), space);
  const Space seen = space_of_draws(replay);
  if (seen != Space::real) return leave(undeclared(seen));
  return check_real_refresh(std::move(replay));
}

}  // namespace mixwell
