// What each operation of a composition promises by itself, put to the test on numbers of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampler/replay.hpp"

#include <mixwell/lab/verify.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// A refresh draws from its law, whatever the columns' other variables are. By identities that hold
/// of every density exp(-U): E dU/dp_i = 0, E p_i dU/dp_j = [i = j], E p_i^3 dU/dp_i = 3 E p_i^2;
/// and that the second holds in every column, as products of its means over the first and the
/// second half of the draws. A refresh that is not full is made again and again from its own
/// outcome, which it must keep; the first half of that is left out, and single columns are not
/// looked at. Left to the test as a whole is one that never renews it, one that runs in fewer than
/// 16 columns, and one whose law is no density on R^d or another space that has an identity.
/// A million numbers in all.
std::vector<VerifiedOperation> check_refresh(Replay replay);

/// A refresh of a slot draws from its law given the rest, whatever that is: a Metropolis step for
/// that law, from a draw, leaves it a draw, so that E a(x -> y) (f(y) - f(x)) = 0, where y - x is
/// as likely as x - y and a = min(1, exp(U(x) - U(y))). It asks for no gradient, and holds at
/// bounds of the support and of whole numbers. f: coordinates, their squares, their sum, U.
std::vector<VerifiedOperation> check_slot_refresh(Replay replay);

/// An accept's probability a(r) at given ratios r of densities, between a state and a copy of it
/// whose potential is shifted, and between states and what was proposed for them: a(r) = r a(1/r).
/// That is detailed balance; min(1, r) and r / (1 + r) are two of many that have it. Not tested
/// where it reads no potential of what is proposed, and in columns where a difference of potentials
/// loses its digits.
std::vector<VerifiedOperation> check_accept(Replay replay);

/// An involution leads back to the start after what its trait `flips` negates. Columns in which it
/// makes a small difference ten thousand times as large tell nothing: their digits are lost. One
/// that comes back with other auxiliaries negated than those that turn is left to the test as a
/// whole.
std::vector<VerifiedOperation> check_involution(Replay replay);

/// |det| of the Jacobian of a move that keeps volume is 1, by central differences within the space
/// of each variable; of at most 24 directions, in columns where no derivative is above 1000 and
/// differences keep four digits.
std::vector<VerifiedOperation> check_volume(Replay replay);

/// A move leaves what lives on a sphere there, and whole numbers whole.
std::vector<VerifiedOperation> check_space(Replay replay);

/// What says of an operation why it cannot be tested by itself.
VerifiedOperation untested(const Replay& replay, const char* trait, std::string why);

/// A million numbers in all, in 128 rounds at least: how many rounds an operation is made again in.
Index rounds_of(Index dimension, Index columns, Index most);
/// The sweep of a round: not one of the run's, and not only the first ones.
std::uint64_t sweep_of_round(Index round);
/// In a branch that is seldom chosen there may be a few only, whose spread tells nothing.
inline constexpr Index fewest_columns = 16;

/// U and grad U at x of the law that an input holds.
struct EvaluatedLaw {
  Eigen::RowVectorXd u;
  Eigen::MatrixXd g;
};
EvaluatedLaw evaluate(Replay& replay, std::size_t law, ConstBatch x);

/// The evaluations (u, g) that it reads of a law at one of its states, anew at what the states are
/// now.
void evaluate_states(Replay& replay);

/// The positions of the inputs that are read in a role; without evaluations that nobody reads,
/// which have no numbers.
std::vector<std::size_t> inputs_of(const Replay& replay, Role role);

/// A statistic whose mean over columns is 0: with Student's law of as many columns.
VerifiedOperation zero_mean(const std::string& operation, std::string what,
                            const Eigen::ArrayXd& of_columns);

}  // namespace mixwell
