// Tests every operation of a composition separately.
// SPDX-License-Identifier: Apache-2.0
#include "verify/operations.hpp"

#include "graph/edges.hpp"
#include "verify/operation_check.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mixwell {
namespace {

constexpr std::int64_t replicates = 256;
constexpr std::int64_t sweeps = 3;  ///< after 3 sweeps, every variable has been written

/// Whether the operation reads numbers that another operation has drawn. These numbers stay the
/// same when the operation is called again. So its outcomes are not new draws, and the numbers
/// cannot be negated for the way back.
bool has_drawn_noise(const Replay& replay) {
  return reads(replay.operation(), Role::noise,
               [&](Value v) { return replay.graph()[v].kind != ValueKind::noise; });
}

/// Whether an accept has its own noise, and not only a number that it reads as a parameter.
bool decides_by_itself(const Replay& replay) { return !inputs_of(replay, Role::noise).empty(); }

/// Through pure operations.
bool is_noisy(const KernelGraph& graph, Value value) {
  if (graph[value].kind == ValueKind::noise) return true;
  const OperationInfo* const by = maker(graph, value);
  return by != nullptr && by->kind == OperationKind::pure &&
         std::ranges::any_of(by->inputs, [&](const Input& i) { return is_noisy(graph, i.value); });
}

/// Whether a law of the operation uses noise. Such a law may draw its noise again at every step.
/// The way back would need these draws in reverse order, and a test cannot request them.
bool has_noisy_law(const Replay& replay) {
  return reads(replay.operation(), Role::law, [&](Value v) { return is_noisy(replay.graph(), v); });
}

/// Whether the operation writes a slot and not an auxiliary.
bool moves_slot(const Replay& replay) {
  const auto& outputs = replay.operation().outputs;
  const KernelGraph& graph = replay.graph();
  return !outputs.empty() &&
         (is_slot(graph, outputs.front()) || is(graph, outputs.front(), VariableKind::trial));
}

std::vector<VerifiedOperation> check(const Replay& replay) {
  const OperationInfo& operation = replay.operation();
  const bool draws = !has_drawn_noise(replay);
  const Traits& traits = operation.traits;
  std::vector<VerifiedOperation> found;
  const auto add = [&](std::vector<VerifiedOperation> more) {
    found.insert(found.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  };
  if (operation.kind == OperationKind::refresh && traits.keeps_law && draws) {
    add(moves_slot(replay) ? check_slot_refresh(replay) : check_refresh(replay));
  }
  if (operation.kind == OperationKind::accept && draws && decides_by_itself(replay)) {
    add(check_accept(replay));
  }
  const bool proposes = operation.kind == OperationKind::move && !traits.invariant;
  // A move of a slot without a decision need not return to its start.
  const bool comes_back = proposes && traits.involution && !moves_slot(replay) &&
                          (draws || !flips_noise(traits)) && !has_noisy_law(replay);
  if (comes_back) add(check_involution(replay));
  if (proposes && traits.volume) add(check_volume(replay));
  if (proposes && (traits.volume || traits.involution)) add(check_space(replay));
  return found;
}

}  // namespace

OperationsChecked check_operations(const Composition& composition, std::int64_t warmup,
                                   double alpha, std::function<bool()> late) {
  RunSettings settings = composition.run;
  settings.replicates = replicates;
  settings.warmup = warmup;
  settings.thin = 1;
  if (composition.model()->offers<ExactSampler>() != nullptr) settings.init.how = Init::How::exact;
  Replays replays(composition.compositor, settings, sweeps, std::move(late));
  OperationsChecked checked;
  for (const Replay& replay : replays.all()) {
    for (VerifiedOperation& f : check(replay)) {
      (f.untested.empty() ? checked.found : checked.untested).push_back(std::move(f));
    }
  }
  const auto count = static_cast<double>(checked.found.size());
  for (VerifiedOperation& f : checked.found) {
    f.failed = f.p < alpha / count;
    checked.adjusted_p = std::min(checked.adjusted_p, f.p * count);
  }
  checked.gradients = replays.gradients();
  return checked;
}

}  // namespace mixwell
