// Tests whether an accept operation satisfies detailed balance for ratios that the test computes.
// SPDX-License-Identifier: Apache-2.0
#include "graph/edges.hpp"
#include "verify/move_states.hpp"
#include "verify/operation_check.hpp"
#include "verify/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mixwell {
namespace {

constexpr std::array<double, 5> log_ratios = {0.1, 0.5, 1.0, 2.0, 3.0};
constexpr double decision_count = 2e5;  ///< number of decisions at each ratio
/// If few columns are usable, all columns together make at most this multiple of decision_count
/// decisions.
constexpr double most_runs = 16.0;
constexpr std::uint64_t first_sweep = 100;
constexpr double largest_potential = 1e9;
/// Relative size of a shift that distinguishes a copy from its state without changing the ratio.
constexpr double shift = 1e-9;

/// Indices of the inputs of an accept. `states` and `proposed` have the same order, and so have
/// `here` and `there`.
struct Sides {
  std::vector<std::size_t> states, proposed;
  std::size_t told = 0;         ///< index in `states` of the state that shows the decision
  std::size_t told_output = 0;  ///< index of the output that is the next version of this state
  std::vector<std::size_t> here, there;  ///< evaluations
  /// Indices in `here` and `there` of the evaluations of the law that the stages leave invariant.
  std::vector<std::size_t> divided_out;
  /// The laws, and for each law the law that replaces it at the proposal.
  std::vector<std::size_t> laws, laws_there;
  std::size_t shifted = 0;  ///< the potential at the proposal
};

/// Whether v is a version of a slot, or the copy of a slot with which a trial begins.
bool is_state(const KernelGraph& graph, Value v) {
  if (!is(graph, v, VariableKind::trial)) return is_slot(graph, v);
  return maker(graph, v)->kind == OperationKind::regroup;
}

/// Finds the law that replaces each law at the proposal. A law at the proposal replaces the first
/// law with the same function.
void pair_laws(const Replay& replay, Sides& sides) {
  const auto& inputs = replay.operation().inputs;
  sides.laws = inputs_of(replay, Role::law);
  sides.laws_there = sides.laws;
  for (const std::size_t there : inputs_of(replay, Role::law_at_proposal)) {
    for (std::size_t k = 0; k < sides.laws.size(); ++k) {
      const auto& here = replay.graph()[inputs[sides.laws[k]].value];
      if (here.function != replay.graph()[inputs[there].value].function) continue;
      if (sides.laws_there[k] != sides.laws[k]) continue;
      sides.laws_there[k] = there;
      break;
    }
  }
}

/// Finds a state that shows the decision, and the output for this state. Compares variables,
/// because an accept may have states and outputs in any order.
bool find_told(const Replay& replay, Sides& sides) {
  const auto& inputs = replay.operation().inputs;
  const auto& outputs = replay.operation().outputs;
  const KernelGraph& graph = replay.graph();
  for (std::size_t k = 0; k < sides.states.size(); ++k) {
    if (is(graph, inputs[sides.states[k]].value, VariableKind::auxiliary)) continue;
    const auto variable = variable_behind(graph, inputs[sides.states[k]].value);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const ValueInfo& output = graph[outputs[o]];
      if (output.kind != ValueKind::version || output.variable != variable) continue;
      sides.told = k;
      sides.told_output = o;
      return true;
    }
  }
  return false;
}

std::optional<Sides> sides_of(const Replay& replay) {
  Sides sides;
  const auto& inputs = replay.operation().inputs;
  sides.states = inputs_of(replay, Role::state);
  sides.proposed = inputs_of(replay, Role::proposed);
  for (const std::size_t k : inputs_of(replay, Role::evaluation)) {
    const Value at = replay.graph()[inputs[k].value].evaluated_at;
    (at && is_state(replay.graph(), at) ? sides.here : sides.there).push_back(k);
  }
  const auto stage_laws = inputs_of(replay, Role::stage_law);
  for (std::size_t k = 0; k < sides.here.size() && !stage_laws.empty(); ++k) {
    const Value of = replay.graph()[inputs[sides.here[k]].value].evaluated_law;
    if (of == inputs[stage_laws.front()].value) sides.divided_out.push_back(k);
  }
  // If the stages leave the target itself invariant, the ratio of the last stage is 1 everywhere.
  if (!sides.here.empty() && sides.divided_out.size() == sides.here.size()) return std::nullopt;
  const bool paired = sides.states.size() == sides.proposed.size() && !sides.states.empty() &&
                      sides.here.size() == sides.there.size() && !sides.there.empty();
  if (!paired) return std::nullopt;
  for (std::size_t k = 0; k < sides.here.size(); ++k) {
    const auto rows = [&](std::size_t i) { return replay.graph()[inputs[i].value].rows; };
    if (rows(sides.here[k]) != rows(sides.there[k])) return std::nullopt;
  }
  sides.shifted = sides.there.front();
  if (replay.graph()[inputs[sides.shifted].value].rows != 1) return std::nullopt;
  if (!find_told(replay, sides)) return std::nullopt;
  pair_laws(replay, sides);
  return sides;
}

/// Makes each proposal a copy of its state, apart from a tiny shift that distinguishes the two. So
/// the ratio is 1.
void propose_copies(Replay& replay, const Sides& sides) {
  for (std::size_t k = 0; k < sides.states.size(); ++k) {
    const Eigen::MatrixXd state = replay.input(sides.states[k]);
    const Space space = space_of(replay.graph(), replay.operation().inputs[sides.states[k]].value);
    const double apart = space == Space::real || space == Space::improper ? shift : 0.0;
    replay.input(sides.proposed[k]) = state.array() + apart * (1.0 + state.array().abs());
  }
  for (std::size_t k = 0; k < sides.here.size(); ++k) {
    replay.input(sides.there[k]) = replay.input(sides.here[k]);
  }
  for (std::size_t k = 0; k < sides.laws.size(); ++k) {
    if (sides.laws[k] == sides.laws_there[k] || !replay.has_numbers(sides.laws[k])) continue;
    replay.input(sides.laws_there[k]) = replay.input(sides.laws[k]);
  }
}

/// log r of the proposals, computed from the laws. Nothing unless the states are one slot and at
/// most one auxiliary variable.
std::optional<Eigen::RowVectorXd> log_ratio(Replay& replay, const Sides& sides) {
  const auto& inputs = replay.operation().inputs;
  if (sides.states.size() > 2 || sides.laws.size() != sides.states.size()) return std::nullopt;
  Eigen::RowVectorXd log_r =
      replay.input(sides.here.front()).row(0) - replay.input(sides.there.front()).row(0);
  for (const std::size_t k : sides.divided_out) {
    log_r -= replay.input(sides.here[k]).row(0) - replay.input(sides.there[k]).row(0);
  }
  if (sides.states.size() == 1) return log_r;
  const auto is_auxiliary = [&](std::size_t k) {
    return is(replay.graph(), inputs[sides.states[k]].value, VariableKind::auxiliary);
  };
  if (is_auxiliary(0) == is_auxiliary(1)) return std::nullopt;
  const std::size_t aux = is_auxiliary(0) ? 0 : 1;
  // The evaluation of the slot names the law of the slot.
  const Value of_slot = replay.graph()[inputs[sides.here.front()].value].evaluated_law;
  for (std::size_t k = 0; k < sides.laws.size(); ++k) {
    if (inputs[sides.laws[k]].value == of_slot) continue;
    return log_r + evaluate(replay, sides.laws[k], replay.input(sides.states[aux])).u -
           evaluate(replay, sides.laws_there[k], replay.input(sides.proposed[aux])).u;
  }
  return std::nullopt;
}

/// Measures the share of acceptances in the usable columns. A column is usable if log_r and the
/// potentials are small enough for sums to keep four digits, and if the proposal differs from the
/// state.
class Decisions {
 public:
  Decisions(Replay& replay, const Sides& sides, const Eigen::RowVectorXd& log_r)
      : replay_(replay), sides_(sides), at_one_(replay.input(sides.shifted).row(0) + log_r) {
    const auto here = replay.input(sides.here.front()).row(0);
    const auto state = replay.input(sides.states.front()).row(0);
    const auto proposed = replay.input(sides.proposed.front()).row(0);
    for (Index j = 0; j < log_r.size(); ++j) {
      if (state(j) == proposed(j)) continue;
      const double largest =
          std::max({std::abs(log_r(j)), std::abs(at_one_(j)), std::abs(here(j))});
      if (largest < largest_potential) told_.push_back(j);
    }
  }

  bool tells() const { return !told_.empty(); }

  /// The share of acceptances at log r. Sets the potential at the proposal so that the ratio is r.
  /// At r = 1, this potential is `at_one_`.
  double share(double log_r) {
    replay_.input(sides_.shifted) = at_one_.array() - log_r;
    const Eigen::MatrixXd proposed = replay_.input(sides_.proposed[sides_.told]);
    const auto rounds = static_cast<std::uint64_t>(
        std::ceil(std::min(decision_count / static_cast<double>(told_.size()),
                           most_runs * decision_count / static_cast<double>(at_one_.size()))));
    Index accepted = 0;
    for (std::uint64_t k = 0; k < rounds; ++k) {
      replay_.run(first_sweep + next_++);
      const MatrixMap now = replay_.output(sides_.told_output);
      for (const Index j : told_) accepted += now(0, j) == proposed(0, j) ? 1 : 0;
    }
    tried_ = static_cast<double>(rounds) * static_cast<double>(told_.size());
    return static_cast<double>(accepted) / tried_;
  }

  double tried() const { return tried_; }

 private:
  Replay& replay_;
  const Sides& sides_;
  Eigen::RowVectorXd at_one_;
  std::vector<Index> told_;
  std::uint64_t next_ = 0;
  double tried_ = 1.0;
};

void compare(Decisions decisions, const std::string& name, const char* between,
             std::vector<VerifiedOperation>& found) {
  if (!decisions.tells()) return;
  for (const double x : log_ratios) {
    const double forward = decisions.share(-x);
    const double backward = decisions.share(x);
    const double r = std::exp(-x);
    const double n = decisions.tried();
    // Variance of a share. At least 1 / n^2: if all n decisions agree, the error of the share is
    // still about 1 / n.
    const auto variance = [&](double a) { return std::max(a * (1.0 - a), 1.0 / n) / n; };
    const double error = std::sqrt(variance(forward) + r * r * variance(backward));
    VerifiedOperation v{name, "a(r) = r a(1/r)",
                        fmt::format("{}: a({:.3g}) = {:.4f}, r a(1/r) = {:.4f}", between, r,
                                    forward, r * backward)};
    v.z = (forward - r * backward) / error;
    v.p = two_sided(v.z);
    found.push_back(v);
  }
}

}  // namespace

std::vector<VerifiedOperation> check_accept(Replay replay) {
  const auto sides = sides_of(replay);
  if (!sides) {
    return {untested(replay, "a(r) = r a(1/r)",
                     "this accept operation reads no potential of a proposal, or only "
                     "potentials that earlier stages already account for")};
  }
  std::vector<VerifiedOperation> found;
  const std::string& name = replay.operation().name;
  Replay copies = replay;
  if (const auto log_r = log_ratio(replay, *sides)) {
    compare({replay, *sides, *log_r}, name, "to the proposal", found);
  }
  propose_copies(copies, *sides);
  // log r is not 0 if the law of an auxiliary is so narrow that it distinguishes the copy from the
  // state.
  const auto at_copy = log_ratio(copies, *sides);
  compare({copies, *sides, at_copy.value_or(Eigen::RowVectorXd::Zero(copies.columns()))}, name,
          "to a copy", found);
  return found;
}

}  // namespace mixwell
