// Tests whether a repeated involution restores the state, and whether a move preserves volume.
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

constexpr double same_place = 1e-5;   ///< relative; solvers and long trajectories lose digits
constexpr double same_volume = 1e-2;  ///< largest |log |det J|| from central differences
/// Share of columns that may fail, because unstable trajectories lose digits.
constexpr double allowed_share = 0.02;
constexpr double difference = 1e-5;
/// A column counts only if log |det J| at two widths differs by less than this. This excludes
/// chaotic trajectories, whose differences would look like a change of volume: the wider
/// differences have four times the error.
constexpr double same_difference = same_volume / 4.0;
constexpr double nudge = 1e-8;          ///< relative
constexpr double most_amplified = 1e4;  ///< largest growth of a difference in a usable column
constexpr double largest_derivative = 1e3;
constexpr double largest_end = 1e6;  ///< larger ends leave fewer than four digits to differences
constexpr Index most_variables = 24;
constexpr std::ptrdiff_t most_auxiliaries = 4;

/// The share of columns with |x| above the limit, among the columns with finite x. Nothing if no
/// column has a finite x.
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

/// The columns in which the move found an end. A scheme that finds no end reports a U that is not
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

/// For each column, the factor by which the move enlarges a small difference of the start.
Eigen::ArrayXd amplification(MoveStates& states, const Eigen::MatrixXd& start,
                             const Eigen::MatrixXd& end) {
  const Eigen::MatrixXd near = states.stepped(start, nudge * (1.0 + start.array().abs()).matrix());
  const Eigen::MatrixXd moved = states.moved(near) - end;
  const Eigen::ArrayXXd change = (near - start).colwise().norm();
  return (moved.colwise().norm().array() / change.max(1e-300)).transpose();
}

/// For each column, the step in one direction. Its length is relative to the state.
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

  /// log |det J| of each column, by central differences of this relative width. NaN if a derivative
  /// is so large that the differences lose their digits.
  Eigen::ArrayXd log_volumes(double width) const {
    const Index d = from_.front().cols();
    std::vector<Eigen::MatrixXd> derivatives;  // rows x columns, one matrix per direction
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
    "it is not clear which output of this operation belongs to which state";

/// Whether one of the states is in this space.
bool live_on(Space space, const MoveEnds& ends) {
  return std::ranges::find(ends.all, space, &MoveEnd::space) != ends.all.end();
}

/// For each column, the relative distance from the start after going there and back. NaN if digits
/// are lost.
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

/// Copies `ends` and changes which auxiliaries are flipped: bit k of `pattern` flips the k-th
/// auxiliary.
MoveEnds with_flips(MoveEnds ends, unsigned pattern) {
  unsigned k = 0;
  for (MoveEnd& end : ends.all) {
    if (end.is_auxiliary) end.flipped = (pattern >> k++ & 1U) != 0;
  }
  return ends;
}

/// The names of the auxiliaries that are negated.
std::string negated(const Replay& replay, const MoveEnds& ends) {
  std::vector<std::string> names;
  const KernelGraph& graph = replay.graph();
  for (const MoveEnd& end : ends.all) {
    const auto variable = variable_behind(graph, replay.operation().inputs[end.input].value);
    if (end.flipped && variable) names.push_back("`" + graph[*variable].name + "`");
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, " and "));
}

/// If a move has several auxiliaries, some of them may not turn. If the move returns to its start
/// only when other auxiliaries are negated than declared, names these auxiliaries.
std::optional<std::string> other_flips(const Replay& replay, const MoveEnds& ends) {
  const auto auxiliaries = std::ranges::count(ends.all, true, &MoveEnd::is_auxiliary);
  const bool flips_any = std::ranges::count(ends.all, true, &MoveEnd::flipped) > 0;
  if (auxiliaries < 2 || auxiliaries > most_auxiliaries || !flips_any) return std::nullopt;
  for (unsigned pattern = 0; pattern < 1U << auxiliaries; ++pattern) {
    const MoveEnds other = with_flips(ends, pattern);
    const auto share = share_above(return_errors(replay, other), same_place);
    if (!share || *share > allowed_share) continue;
    return fmt::format(
        "the repeated move does not restore the state with the auxiliaries negated as declared. It "
        "restores the state with {} negated. Declare `.turns = false` for each auxiliary that must "
        "not be negated.",
        negated(replay, other));
  }
  return std::nullopt;
}

}  // namespace

std::vector<VerifiedOperation> check_involution(Replay replay) {
  const auto ends = ends_of(replay);
  if (!ends) return {untested(replay, "involution", unpaired)};
  auto found = judged(replay, "involution", "the repeated move does not restore the state",
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
    return {untested(replay, "volume",
                     "an auxiliary must stay on a line, so this test cannot perturb it to compute "
                     "finite differences")};
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
  return judged(replay, "space",
                "the move takes an auxiliary out of its space (a sphere or the integers)",
                share_above(states.distance_from_space(end), same_space));
}

}  // namespace mixwell
