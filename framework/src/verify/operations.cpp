// Every operation of a composition by itself.
// SPDX-License-Identifier: Apache-2.0
#include "verify/operations.hpp"

#include "verify/operation_check.hpp"

#include <algorithm>
#include <iterator>

namespace mixwell {
namespace {

constexpr std::int64_t replicates = 256;
constexpr std::int64_t sweeps = 3;  ///< after them every variable has been written

std::vector<VerifiedOperation> check(const Replay& replay) {
  const OperationInfo& operation = replay.operation();
  const Traits& traits = operation.traits;
  std::vector<VerifiedOperation> found;
  const auto add = [&](std::vector<VerifiedOperation> more) {
    found.insert(found.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  };
  if (operation.kind == OperationKind::refresh && traits.keeps_law) add(check_refresh(replay));
  if (operation.kind == OperationKind::accept) add(check_accept(replay));
  const bool proposes = operation.kind == OperationKind::move && !traits.invariant;
  if (proposes && traits.involution) add(check_involution(replay));
  if (proposes && traits.volume) add(check_volume(replay));
  return found;
}

}  // namespace

OperationsChecked check_operations(const Composition& composition, std::int64_t warmup,
                                   double alpha) {
  RunSettings settings = composition.run;
  settings.replicates = replicates;
  settings.warmup = warmup;
  settings.thin = 1;
  if (composition.model()->as_exact() != nullptr) settings.init.how = Init::How::exact;
  Replays replays(composition.compositor, settings, sweeps);
  OperationsChecked checked;
  for (const Replay& replay : replays.all()) {
    for (VerifiedOperation& f : check(replay)) checked.found.push_back(std::move(f));
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
