// Whether a slot that is drawn anew is drawn from its law.
// SPDX-License-Identifier: Apache-2.0
#include "verify/operation_check.hpp"

#include <mixwell/lab/metropolis_change.hpp>

#include <string>
#include <vector>

namespace mixwell {
namespace {

constexpr Index most_rounds = 4000;
constexpr Index pilot_rounds = 8;

/// U of the operation's law at x.
Eigen::RowVectorXd potential(Replay& replay, std::size_t law, ConstBatch x, Workspace& scratch) {
  Eigen::RowVectorXd u(x.cols());
  replay.law(law).evaluate(x, Evaluation::of_potential(u.data(), x, scratch));
  return u;
}

}  // namespace

std::vector<VerifiedOperation> check_slot_refresh(Replay replay) {
  const auto laws = inputs_of(replay, Role::law);
  if (laws.size() != 1 || replay.columns() < fewest_columns) return {};
  const Index dimension = replay.output(0).rows();
  const Index rounds = rounds_of(dimension, replay.columns(), most_rounds);
  MetropolisChange change(dimension, replay.columns());
  Workspace scratch;
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
    change.add(x, potential(replay, laws.front(), x, scratch), y,
               potential(replay, laws.front(), y, scratch));
  }
  std::vector<VerifiedOperation> found;
  const std::vector<std::string> names = change.names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    found.push_back(zero_mean(replay.operation().name, "a Metropolis step changes " + names[k],
                              change.sums().row(static_cast<Index>(k)).transpose()));
    found.back().trait = "keeps_law";
  }
  return found;
}

}  // namespace mixwell
