// What the checks of single operations share.
// SPDX-License-Identifier: Apache-2.0
#include "verify/operation_check.hpp"

#include "verify/z_scores.hpp"

#include <cmath>
#include <utility>

namespace mixwell {
namespace {

/// The input that holds this value in the role of a law.
std::optional<std::size_t> law_input(const OperationInfo& operation, Value law) {
  for (std::size_t k = 0; k < operation.inputs.size(); ++k) {
    if (operation.inputs[k].role == Role::law && operation.inputs[k].value == law) return k;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::size_t> inputs_of(const Replay& replay, Role role) {
  std::vector<std::size_t> found;
  const auto& inputs = replay.operation().inputs;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].role == role) found.push_back(k);
  }
  return found;
}

void evaluate_states(Replay& replay) {
  const OperationInfo& operation = replay.operation();
  Workspace scratch;
  for (const std::size_t state : inputs_of(replay, Role::state)) {
    for (const std::size_t k : inputs_of(replay, Role::evaluation)) {
      const ValueInfo& value = replay.graph()[operation.inputs[k].value];
      if (!(value.evaluated_at == operation.inputs[state].value)) continue;
      const auto law = law_input(operation, value.evaluated_law);
      if (!law) continue;
      const MatrixMap theta = replay.input(state);
      Eigen::RowVectorXd u(theta.cols());
      Eigen::MatrixXd g(theta.rows(), theta.cols());
      replay.law(*law).evaluate(theta, {u.data(), g, scratch});
      if (value.rows == 1 && theta.rows() != 1) {
        replay.input(k) = u;
      } else if (value.rows != 1) {
        replay.input(k) = g;
      } else {  // of one dimension: first u, then g
        replay.input(k) = k > 0 && replay.graph()[operation.inputs[k - 1].value].evaluated_at ==
                                       value.evaluated_at
                              ? Eigen::RowVectorXd(g)
                              : u;
      }
    }
  }
}

VerifiedOperation zero_mean(const std::string& operation, std::string what,
                            const Eigen::ArrayXd& of_columns) {
  const auto n = static_cast<double>(of_columns.size());
  const double mean = of_columns.mean();
  const double error = std::sqrt((of_columns - mean).square().sum() / (n - 1.0) / n);
  VerifiedOperation found{operation, "", std::move(what)};
  found.z = error > 0.0 ? mean / error : (mean == 0.0 ? 0.0 : INFINITY);
  found.p = std::isnan(found.z) ? 0.0 : two_sided(found.z, n - 1.0);
  return found;
}

}  // namespace mixwell
