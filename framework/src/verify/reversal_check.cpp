// Whether an involution leads back, and a move keeps volume.
// SPDX-License-Identifier: Apache-2.0
#include "verify/operation_check.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

/// The inputs that a move replaces: what is proposed for the k-th of them is output k.
struct Ends {
  std::vector<std::size_t> inputs;
  std::vector<bool> flipped;
};

std::optional<Ends> ends_of(const Replay& replay) {
  const OperationInfo& operation = replay.operation();
  const Flips flips = operation.traits.flips;
  const bool momentum = flips == Flips::momentum || flips == Flips::momentum_and_noise;
  Ends ends;
  ends.inputs = inputs_of(replay, Role::state);
  if (ends.inputs.empty() || ends.inputs.size() > operation.outputs.size()) return std::nullopt;
  for (std::size_t k = 0; k < ends.inputs.size(); ++k) {
    const Value state = operation.inputs[ends.inputs[k]].value;
    if (replay.graph()[state].rows != replay.graph()[operation.outputs[k]].rows) {
      return std::nullopt;
    }
    ends.flipped.push_back(momentum && is_version(replay.graph(), state, VariableKind::auxiliary));
  }
  return ends;
}

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

Eigen::MatrixXd stacked(Replay& replay, const Ends& ends, bool of_outputs) {
  Index rows = 0;
  for (const std::size_t k : ends.inputs) rows += replay.input(k).rows();
  Eigen::MatrixXd all(rows, replay.columns());
  Index at = 0;
  for (std::size_t k = 0; k < ends.inputs.size(); ++k) {
    const MatrixMap part = of_outputs ? replay.output(k) : replay.input(ends.inputs[k]);
    all.middleRows(at, part.rows()) = part;
    at += part.rows();
  }
  return all;
}

void put(Replay& replay, const Ends& ends, const Eigen::MatrixXd& all) {
  Index at = 0;
  for (const std::size_t k : ends.inputs) {
    MatrixMap part = replay.input(k);
    part = all.middleRows(at, part.rows());
    at += part.rows();
  }
  evaluate_states(replay);
}

/// The rows of the flipped states times -1.
void flip(Replay& replay, const Ends& ends, Eigen::MatrixXd& all) {
  Index at = 0;
  for (std::size_t k = 0; k < ends.inputs.size(); ++k) {
    const Index rows = replay.input(ends.inputs[k]).rows();
    if (ends.flipped[k]) all.middleRows(at, rows) *= -1.0;
    at += rows;
  }
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
Eigen::ArrayXd amplification(Replay replay, const Ends& ends, const Eigen::MatrixXd& start,
                             const Eigen::MatrixXd& end) {
  const Eigen::MatrixXd change = nudge * (1.0 + start.array().abs());
  put(replay, ends, start + change);
  replay.run(replay.sweep());
  const Eigen::MatrixXd moved = stacked(replay, ends, true) - end;
  return (moved.colwise().norm().array() / change.colwise().norm().array()).transpose();
}

/// log |det J| of each column by central differences of the relative width; not a number where a
/// derivative is so large that they lose their digits.
Eigen::ArrayXd log_volumes(Replay& replay, const Ends& ends, const Eigen::MatrixXd& start,
                           double width) {
  const Index d = start.rows();
  std::vector<Eigen::MatrixXd> derivatives;  // by variable: d x columns
  for (Index i = 0; i < d; ++i) {
    Eigen::MatrixXd at[2];
    const Eigen::RowVectorXd h = width * (1.0 + start.row(i).array().abs());
    for (const int side : {0, 1}) {
      Eigen::MatrixXd moved = start;
      moved.row(i) += (side == 0 ? -1.0 : 1.0) * h;
      put(replay, ends, moved);
      replay.run(replay.sweep());
      at[side] = stacked(replay, ends, true);
    }
    derivatives.push_back((at[1] - at[0]).array().rowwise() / (2.0 * h.array()));
  }
  Eigen::ArrayXd log_volume(start.cols());
  for (Index j = 0; j < start.cols(); ++j) {
    Eigen::MatrixXd jacobian(d, d);
    for (Index i = 0; i < d; ++i) {
      jacobian.col(i) = derivatives[static_cast<std::size_t>(i)].col(j);
    }
    const bool kept_digits = jacobian.cwiseAbs().maxCoeff() < largest_derivative;
    log_volume[j] = kept_digits ? std::log(std::abs(jacobian.determinant())) : std::nan("");
  }
  return log_volume;
}

}  // namespace

std::vector<VerifiedOperation> check_involution(Replay replay) {
  const auto ends = ends_of(replay);
  if (!ends) return {};
  const Flips flips = replay.operation().traits.flips;
  const bool noise = flips == Flips::noise || flips == Flips::momentum_and_noise;
  const Eigen::MatrixXd start = stacked(replay, *ends, false);
  replay.run(replay.sweep());
  Eigen::MatrixXd there = stacked(replay, *ends, true);
  const std::vector<bool> has_end = arrived(replay);
  const Eigen::ArrayXd amplified = amplification(replay, *ends, start, there);
  flip(replay, *ends, there);
  put(replay, *ends, there);
  replay.run(replay.sweep(), noise);
  Eigen::MatrixXd back = stacked(replay, *ends, true);
  flip(replay, *ends, back);
  const Eigen::ArrayXXd error = (back - start).array().abs() / (1.0 + start.array().abs());
  Eigen::ArrayXd largest = error.colwise().maxCoeff().transpose();
  for (Index j = 0; j < largest.size(); ++j) {
    const bool tells = amplified[j] < most_amplified && has_end[static_cast<std::size_t>(j)];
    if (!tells) largest[j] = std::nan("");
  }
  return judged(replay, "involution", "there and back misses the start",
                share_above(largest, same_place));
}

std::vector<VerifiedOperation> check_volume(Replay replay) {
  const auto ends = ends_of(replay);
  if (!ends) return {};
  const Eigen::MatrixXd start = stacked(replay, *ends, false);
  if (start.rows() > most_variables) return {};
  Eigen::ArrayXd log_volume = log_volumes(replay, *ends, start, difference);
  const Eigen::ArrayXd wider = log_volumes(replay, *ends, start, 2.0 * difference);
  put(replay, *ends, start);
  replay.run(replay.sweep());
  const Eigen::MatrixXd end = stacked(replay, *ends, true);
  const std::vector<bool> has_end = arrived(replay);
  for (Index j = 0; j < replay.columns(); ++j) {
    const bool tells = std::abs(log_volume[j] - wider[j]) < same_difference &&
                       has_end[static_cast<std::size_t>(j)] &&
                       end.col(j).cwiseAbs().maxCoeff() < largest_end;
    if (!tells) log_volume[j] = std::nan("");
  }
  return judged(replay, "volume", "log |det J| is not 0", share_above(log_volume, same_volume));
}

}  // namespace mixwell
