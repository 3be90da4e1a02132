// Whether an involution leads back, and a move keeps volume.
// SPDX-License-Identifier: Apache-2.0
#include "graph/edges.hpp"
#include "verify/move_states.hpp"
#include "verify/operation_check.hpp"
#include "verify/space_steps.hpp"

#include <Eigen/LU>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell {
namespace {

constexpr double same_place = 1e-5;     ///< relative; solvers and long trajectories lose digits
constexpr double same_volume = 1e-2;    ///< of log |det|, from differences
constexpr double allowed_share = 0.02;  ///< of columns: where a trajectory is unstable, digits go
constexpr double difference = 1e-5;
/// Between log |det| of two widths, so that the curvature of a chaotic trajectory is not taken for
/// a volume: of the wider one it is four times as large.
constexpr double same_difference = same_volume / 4.0;
constexpr double nudge = 1e-8;          ///< relative
constexpr double most_amplified = 1e4;  ///< of it, in a column that tells something
constexpr double largest_derivative = 1e3;
constexpr double largest_end = 1e6;  ///< so that differences of `difference` keep four digits
constexpr Index most_variables = 24;
constexpr std::ptrdiff_t most_auxiliaries = 4;

/// Share of columns in which it is not below the limit, of those that are finite; none are:
/// nothing.
std::optional<double> share_above(const Eigen::ArrayXd& of_columns, double limit) {
  Index finite = 0;
  Index above = 0;
  for (const double x : of_columns) {
    if (!std::isfinite(x)) continue;
    ++finite;
    if (std::abs(x) > limit) ++above;
  }
  if (finite == 0) return std::nullopt;
  return static_cast<double>(above) / static_cast<double>(finite);
}

std::vector<VerifiedOperation> judged(const Replay& replay, const char* trait, const char* what,
                                      std::optional<double> share) {
  if (!share) return {};
  VerifiedOperation found{replay.operation().name, trait,
                          fmt::format("{} in {:.3g} % of columns", what, 100.0 * *share)};
  found.failed = *share > allowed_share;
  found.p = found.failed ? 0.0 : 1.0;
  return {found};
}

/// Columns in which the move led somewhere: a scheme says that it found no end by a U that is not
/// finite.
std::vector<bool> arrived(Replay& replay) {
  std::vector<bool> all(static_cast<std::size_t>(replay.columns()), true);
  for (std::size_t k = 0; k < replay.operation().outputs.size(); ++k) {
    const MatrixMap numbers = replay.output(k);
    for (Index j = 0; j < numbers.cols(); ++j) {
      if (!numbers.col(j).allFinite()) all[static_cast<std::size_t>(j)] = false;
    }
  }
  return all;
}

/// How much larger a small difference of the start is at the end, in each column.
Eigen::ArrayXd amplification(MoveStates& states, const Eigen::MatrixXd& start,
                             const Eigen::MatrixXd& end) {
  const Eigen::MatrixXd near = states.stepped(start, nudge * (1.0 + start.array().abs()).matrix());
  const Eigen::MatrixXd moved = states.moved(near) - end;
  const Eigen::ArrayXXd change = (near - start).colwise().norm();
  return (moved.colwise().norm().array() / change.max(1e-300)).transpose();
}

/// Steps of one direction, by column: how far it leads is relative to the state.
struct Direction {
  Eigen::MatrixXd unit;
  Eigen::RowVectorXd length;
};

class Jacobians {
 public:
  Jacobians(MoveStates& states, const Eigen::MatrixXd& start, const Eigen::MatrixXd& end)
      : states_(states), start_(start) {
    for (Index j = 0; j < start.cols(); ++j) {
      from_.push_back(states.directions(start, j));
      to_.push_back(states.directions(end, j));
    }
  }

  /// log |det J| of each column by central differences of the relative width; not a number where a
  /// derivative is so large that they lose their digits.
  Eigen::ArrayXd log_volumes(double width) const {
    const Index d = from_.front().cols();
    std::vector<Eigen::MatrixXd> derivatives;  // by direction: rows x columns
    for (Index i = 0; i < d; ++i) derivatives.push_back(derivative(direction(i), width));
    Eigen::ArrayXd log_volume(start_.cols());
    for (Index j = 0; j < start_.cols(); ++j) {
      Eigen::MatrixXd jacobian(d, d);
      for (Index i = 0; i < d; ++i) {
        jacobian.col(i) = to(j).transpose() * derivatives[static_cast<std::size_t>(i)].col(j);
      }
      const bool kept_digits = d == 0 || jacobian.cwiseAbs().maxCoeff() < largest_derivative;
      log_volume[j] = kept_digits ? std::log(std::abs(jacobian.determinant())) : std::nan("");
    }
    return log_volume;
  }

 private:
  const Eigen::MatrixXd& from(Index j) const { return from_[static_cast<std::size_t>(j)]; }
  const Eigen::MatrixXd& to(Index j) const { return to_[static_cast<std::size_t>(j)]; }

  Direction direction(Index i) const {
    Direction found{Eigen::MatrixXd(start_.rows(), start_.cols()),
                    Eigen::RowVectorXd(start_.cols())};
    for (Index j = 0; j < start_.cols(); ++j) {
      found.unit.col(j) = from(j).col(i);
      found.length(j) = 1.0 + std::abs(found.unit.col(j).dot(start_.col(j)));
    }
    return found;
  }

  Eigen::MatrixXd derivative(const Direction& along, double width) const {
    const Eigen::MatrixXd step = along.unit * (width * along.length).asDiagonal();
    const Eigen::MatrixXd after = states_.moved(states_.stepped(start_, step));
    const Eigen::MatrixXd before = states_.moved(states_.stepped(start_, -step));
    return (after - before).array().rowwise() / (2.0 * width * along.length.array());
  }

  MoveStates& states_;
  const Eigen::MatrixXd& start_;
  std::vector<Eigen::MatrixXd> from_;  ///< by column
  std::vector<Eigen::MatrixXd> to_;
};

constexpr const char* unpaired =
    "which of its outputs belongs to which of its states cannot be told";

/// Whether some state lives there.
bool live_on(Space space, const MoveEnds& ends) {
  return std::ranges::find(ends.all, space, &MoveEnd::space) != ends.all.end();
}

/// There and back, by column: how far from the start; not a number where digits are lost.
Eigen::ArrayXd return_errors(Replay replay, const MoveEnds& ends) {
  MoveStates states(replay, ends);
  const bool noise = flips_noise(replay.operation().traits);
  const Eigen::MatrixXd start = states.start();
  Eigen::MatrixXd there = states.moved(start);
  const std::vector<bool> has_end = arrived(replay);
  const Eigen::ArrayXd amplified = amplification(states, start, there);
  states.flip(there);
  Eigen::MatrixXd back = states.moved(there, noise);
  states.flip(back);
  const Eigen::ArrayXXd error = (back - start).array().abs() / (1.0 + start.array().abs());
  Eigen::ArrayXd largest = error.colwise().maxCoeff().transpose();
  for (Index j = 0; j < largest.size(); ++j) {
    const bool tells = amplified[j] < most_amplified && has_end[static_cast<std::size_t>(j)];
    if (!tells) largest[j] = std::nan("");
  }
  return largest;
}

/// The same ends with other auxiliaries flipped: bit k of `pattern` is that of the k-th of them.
MoveEnds with_flips(MoveEnds ends, unsigned pattern) {
  unsigned k = 0;
  for (MoveEnd& end : ends.all) {
    if (end.is_auxiliary) end.flipped = (pattern >> k++ & 1U) != 0;
  }
  return ends;
}

/// Names of the auxiliaries that are negated.
std::string negated(const Replay& replay, const MoveEnds& ends) {
  std::vector<std::string> names;
  const KernelGraph& graph = replay.graph();
  for (const MoveEnd& end : ends.all) {
    const auto variable = variable_behind(graph, replay.operation().inputs[end.input].value);
    if (end.flipped && variable) names.push_back("`" + graph[*variable].name + "`");
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, " and "));
}

/// Of several auxiliaries not all turn. Which, where it comes back with others negated than those
/// that its variables say.
std::optional<std::string> other_flips(const Replay& replay, const MoveEnds& ends) {
  const auto auxiliaries = std::ranges::count(ends.all, true, &MoveEnd::is_auxiliary);
  const bool flips_any = std::ranges::count(ends.all, true, &MoveEnd::flipped) > 0;
  if (auxiliaries < 2 || auxiliaries > most_auxiliaries || !flips_any) return std::nullopt;
  for (unsigned pattern = 0; pattern < 1U << auxiliaries; ++pattern) {
    const MoveEnds other = with_flips(ends, pattern);
    const auto share = share_above(return_errors(replay, other), same_place);
    if (!share || *share > allowed_share) continue;
    return fmt::format(
        "it does not come back with the auxiliaries negated that turn, and does with {}: declare "
        "`.turns = false` of each auxiliary whose sign stays",
        negated(replay, other));
  }
  return std::nullopt;
}

}  // namespace

std::vector<VerifiedOperation> check_involution(Replay replay) {
  const auto ends = ends_of(replay);
  if (!ends) return {untested(replay, "involution", unpaired)};
  auto found = judged(replay, "involution", "there and back misses the start",
                      share_above(return_errors(replay, *ends), same_place));
  if (found.empty() || !found.front().failed) return found;
  if (!ends->are_certain) return {untested(replay, "involution", unpaired)};
  if (auto why = other_flips(replay, *ends)) {
    return {untested(replay, "involution", std::move(*why))};
  }
  return found;
}

std::vector<VerifiedOperation> check_volume(Replay replay) {
  const auto ends = ends_of(replay);
  if (!ends) return {untested(replay, "volume", unpaired)};
  if (live_on(Space::line, *ends)) {
    return {untested(replay, "volume", "an auxiliary lives on a line, which differences leave")};
  }
  MoveStates states(replay, *ends);
  const Eigen::MatrixXd start = states.start();
  if (states.freedom() > most_variables) return {};
  const Eigen::MatrixXd end = states.moved(start);
  const std::vector<bool> has_end = arrived(replay);
  const Jacobians jacobians(states, start, end);
  Eigen::ArrayXd log_volume = jacobians.log_volumes(difference);
  const Eigen::ArrayXd wider = jacobians.log_volumes(2.0 * difference);
  for (Index j = 0; j < replay.columns(); ++j) {
    const bool tells = std::abs(log_volume[j] - wider[j]) < same_difference &&
                       has_end[static_cast<std::size_t>(j)] &&
                       end.col(j).cwiseAbs().maxCoeff() < largest_end;
    if (!tells) log_volume[j] = std::nan("");
  }
  auto found =
      judged(replay, "volume", "log |det J| is not 0", share_above(log_volume, same_volume));
  const bool blames_pairs = !found.empty() && found.front().failed && !ends->are_certain;
  return blames_pairs ? std::vector{untested(replay, "volume", unpaired)} : found;
}

std::vector<VerifiedOperation> check_space(Replay replay) {
  const auto ends = ends_of(replay);
  if (!ends || !ends->are_certain) return {};
  if (!live_on(Space::sphere, *ends) && !live_on(Space::whole_numbers, *ends)) return {};
  MoveStates states(replay, *ends);
  const Eigen::MatrixXd end = states.moved(states.start());
  return judged(replay, "space", "an auxiliary leaves its sphere or the whole numbers",
                share_above(states.distance_from_space(end), same_space));
}

}  // namespace mixwell
