// Helpers for the checks of single operations.
// SPDX-License-Identifier: Apache-2.0
#include "verify/operation_check.hpp"

#include "verify/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell {
namespace {

/// The indices of the inputs that are evaluations of `law` at `state`: potential and gradient, or
/// none.
std::vector<std::size_t> evaluations_of(const Replay& replay, Value law, Value state) {
  std::vector<std::size_t> found;
  for (const std::size_t k : inputs_of(replay, Role::evaluation)) {
    const ValueInfo& value = replay.graph()[replay.operation().inputs[k].value];
    if (value.evaluated_law == law && value.evaluated_at == state) found.push_back(k);
  }
  return found;
}

}  // namespace

Index rounds_of(Index dimension, Index columns, Index most) {
  constexpr double numbers_in_all = 1e6;
  constexpr Index fewest = 128;
  const auto a_round = static_cast<double>(dimension * columns);
  return std::clamp(static_cast<Index>(std::ceil(numbers_in_all / a_round)), fewest, most);
}

std::uint64_t sweep_of_round(Index round) {
  constexpr std::uint64_t first = 100;
  constexpr std::uint64_t between = 7;
  return first + between * static_cast<std::uint64_t>(round);
}

std::vector<std::size_t> inputs_of(const Replay& replay, Role role) {
  std::vector<std::size_t> found;
  const auto& inputs = replay.operation().inputs;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const bool unread = role == Role::evaluation && !replay.has_numbers(k);
    if (inputs[k].role == role && !unread) found.push_back(k);
  }
  return found;
}

EvaluatedLaw evaluate(Replay& replay, std::size_t law, ConstBatch x) {
  Workspace scratch;
  EvaluatedLaw found{Eigen::RowVectorXd(x.cols()), Eigen::MatrixXd(x.rows(), x.cols())};
  replay.law(law).evaluate(x, {found.u.data(), found.g, scratch});
  return found;
}

void evaluate_states(Replay& replay) {
  const auto& inputs = replay.operation().inputs;
  for (const std::size_t state : inputs_of(replay, Role::state)) {
    for (const std::size_t law : inputs_of(replay, Role::law)) {
      const auto cached = evaluations_of(replay, inputs[law].value, inputs[state].value);
      if (cached.empty()) continue;
      const EvaluatedLaw now = evaluate(replay, law, replay.input(state));
      for (std::size_t n = 0; n < cached.size(); ++n) {
        const bool one_row = replay.graph()[inputs[cached[n]].value].rows == 1;
        const bool is_gradient = now.g.rows() == 1 ? n == 1 : !one_row;
        replay.input(cached[n]) = is_gradient ? now.g : Eigen::MatrixXd(now.u);
      }
    }
  }
}

VerifiedOperation untested(const Replay& replay, const char* trait, std::string why) {
  VerifiedOperation one{replay.operation().name, trait, ""};
  one.untested = std::move(why);
  return one;
}

VerifiedOperation zero_mean(const std::string& operation, std::string what,
                            const Eigen::ArrayXd& of_columns) {
  const Mean mean(of_columns);
  VerifiedOperation found{operation, "", std::move(what)};
  found.z = mean.z();
  found.p = std::isnan(found.z) ? 0.0 : two_sided(found.z, mean.count - 1.0);
  return found;
}

}  // namespace mixwell
