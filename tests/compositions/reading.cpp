// A composition read on finite worlds beside its certificate.
// SPDX-License-Identifier: Apache-2.0
#include "reading.hpp"

#include <utility>

namespace compositions {

using namespace mixwell;

std::optional<FiniteReadingResult> reading_of(const Program& program) {
  WorldsComparison seen = compare_with_worlds(program.sampling, program.certificate.now);
  if (seen.judgement == WorldsJudgement::silent) return std::nullopt;
  return std::move(seen.finite);
}

}  // namespace compositions
