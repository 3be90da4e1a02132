// Tests single operations against their declarations, on inputs that the test chooses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampler/replay.hpp"

#include <mixwell/lab/verify.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// Tests that a refresh draws from its law, whatever values the other variables have. Uses
/// identities that hold for every density exp(-U): E dU/dp_i = 0, E p_i dU/dp_j = [i = j], E p_i^3
/// dU/dp_i = 3 E p_i^2. The second identity must hold in every single column. This is tested by
/// products of the means over the first and the second half of the draws. A refresh that is not
/// full must leave the law invariant when it starts from its own outcome. The first half of these
/// rounds is left out, and single columns are not tested. Three kinds of refresh are only tested as
/// part of the whole composition: a refresh that never renews its auxiliary, a refresh that runs in
/// fewer than 16 columns, and a refresh whose law is not a density on R^d or on another space with
/// an identity. Uses a million numbers in all.
std::vector<VerifiedOperation> check_refresh(Replay replay);

/// Tests that a refresh of a slot draws from its law given the rest. A Metropolis step for that
/// law, starting at a draw, must leave the law unchanged. So E a(x -> y) (f(y) - f(x)) = 0, where y
/// - x is as likely as x - y and a = min(1, exp(U(x) - U(y))). The test needs no gradient. It is
/// valid at bounds of the support and for whole numbers. The functions f are the coordinates, their
/// squares, their sum, and U.
std::vector<VerifiedOperation> check_slot_refresh(Replay replay);

/// Tests detailed balance of an accept, a(r) = r a(1/r), where a(r) is the acceptance probability
/// at a ratio r of densities. Many functions satisfy this, for example min(1, r) and r / (1 + r).
/// Tests given ratios r between a state and a copy of the state with a shifted potential, and
/// between states and their proposals. Does not test an accept that reads no potential of the
/// proposal, or columns in which a difference of potentials loses its digits.
std::vector<VerifiedOperation> check_accept(Replay replay);

/// Tests that an involution returns to its start. The involution is applied twice, and the
/// variables in its trait `flips` are negated in between. Columns in which the move makes a small
/// difference ten thousand times larger do not count, because they lose their digits. If the move
/// returns only when other auxiliaries than the turning ones are negated, it is tested only as part
/// of the whole composition.
std::vector<VerifiedOperation> check_involution(Replay replay);

/// Tests that the Jacobian of a volume-preserving move has |det| = 1. Uses central differences
/// within the space of each variable. Tests only moves with at most 24 directions, and only columns
/// where no derivative exceeds 1000 and differences keep four digits.
std::vector<VerifiedOperation> check_volume(Replay replay);

/// Tests that a move keeps points on their spheres and maps whole numbers to whole numbers.
std::vector<VerifiedOperation> check_space(Replay replay);

/// A result that states why an operation cannot be tested separately.
VerifiedOperation untested(const Replay& replay, const char* trait, std::string why);

/// The number of rounds in which an operation is repeated: enough for a million numbers in all, at
/// least 128 and at most `most`.
Index rounds_of(Index dimension, Index columns, Index most);
/// The number of the sweep that a round uses. No sweep of the run has this number. Rounds use early
/// and late numbers.
std::uint64_t sweep_of_round(Index round);
/// Operations in fewer columns are not tested. A branch that is seldom chosen may run in only a few
/// columns, whose spread shows nothing.
inline constexpr Index fewest_columns = 16;

/// U and grad U of a law at x. The law is an input of the operation.
struct EvaluatedLaw {
  Eigen::RowVectorXd u;
  Eigen::MatrixXd g;
};
EvaluatedLaw evaluate(Replay& replay, std::size_t law, ConstBatch x);

/// Updates the inputs that are evaluations (u, g) of a law at a state: computes them again at the
/// present states.
void evaluate_states(Replay& replay);

/// The indices of the inputs that are read in a role. Leaves out evaluations without numbers,
/// because no operation reads them.
std::vector<std::size_t> inputs_of(const Replay& replay, Role role);

/// Tests by Student's distribution whether the mean of a statistic over columns is 0.
VerifiedOperation zero_mean(const std::string& operation, std::string what,
                            const Eigen::ArrayXd& of_columns);

}  // namespace mixwell
