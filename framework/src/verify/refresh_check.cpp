// Whether a refresh draws from its law.
// SPDX-License-Identifier: Apache-2.0
#include "verify/move_ends.hpp"
#include "verify/operation_check.hpp"
#include "verify/refresh_draws.hpp"
#include "verify/space_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mixwell {
namespace {

constexpr Index most_rounds = 20000;
constexpr Index most_coordinates = 8;
constexpr Index few_rounds = 3;

/// Sums over rounds of what has mean 0 in every column: a row a statistic.
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

  /// independent: rounds are.
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
      if (shown_ > 1) next(fmt::format("p[{}] dU/dp of the next", i));
    }
    if (!independent) return found;
    found.push_back(zero_mean(name, "p dU/dp of single columns",
                              (halves_.row(0) * halves_.row(1)).transpose()));
    return found;
  }

 private:
  Index rows() const { return 2 + (shown_ > 1 ? 3 : 2) * shown_; }

  Index shown_;
  Eigen::ArrayXXd sums_;
  Eigen::ArrayXXd halves_;
};

/// A law of which only U is of use writes its gradient as 0, and says so nowhere else.
bool has_gradient(Replay replay, std::size_t law) {
  replay.run(sweep_of_round(0));
  const MatrixMap p = replay.output(0);
  Eigen::RowVectorXd u(replay.columns());
  Eigen::MatrixXd g(p.rows(), replay.columns());
  Workspace scratch;
  replay.law(law).evaluate(p, {u.data(), g, scratch});
  return (g.array() != 0.0).any();
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
  Eigen::RowVectorXd u(replay.columns());
  Eigen::MatrixXd g(dimension, replay.columns());
  Workspace scratch;
  for (Index round = 0; round < draws.rounds(); ++round) {
    const MatrixMap p = draws.next();
    const Workspace::Frame frame(scratch);
    replay.law(law).evaluate(p, {u.data(), g, scratch});
    stein.add(p, g, 2 * round >= draws.rounds());
  }
  auto found = stein.outcome(operation.name, draws.are_independent());
  for (VerifiedOperation& f : found) f.trait = "keeps_law";
  return found;
}

/// Where what it draws seems to live, by a few rounds.
Space space_of_draws(Replay replay) {
  RefreshDraws draws(replay, few_rounds);
  std::vector<Eigen::MatrixXd> rounds;
  for (Index k = 0; k < few_rounds; ++k) rounds.emplace_back(draws.next());
  return seen_space(rounds);
}

std::string undeclared(Space space) {
  return fmt::format(
      "its draws live in a smaller space ({}) than R^d, where its auxiliary says that it lives: "
      "declare its `.space`",
      to_string(space));
}

}  // namespace

std::vector<VerifiedOperation> check_refresh(Replay replay) {
  const auto laws = inputs_of(replay, Role::law);
  if (laws.size() != 1 || replay.operation().outputs.empty()) return {};
  const auto leave = [&](std::string why) {
    return std::vector{untested(replay, "keeps_law", std::move(why))};
  };
  if (replay.columns() < fewest_columns) return leave("it runs in fewer than 16 columns");
  if (RefreshDraws(replay, 0).keeps_its_start()) return leave("it never renews what it refreshes");
  const Space space = space_of(replay.graph(), replay.operation().outputs.front());
  if (space == Space::improper) return leave("its law is improper");
  if (space == Space::line) return leave("its law lives on a line that depends on the state");
  if (space != Space::real) return check_space_refresh(std::move(replay), space);
  const Space seen = space_of_draws(replay);
  if (seen != Space::real) return leave(undeclared(seen));
  return check_real_refresh(std::move(replay));
}

}  // namespace mixwell
