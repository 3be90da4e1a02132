// A composition read on finite worlds beside its certificate.
// SPDX-License-Identifier: Apache-2.0
#include "reading.hpp"

#include <algorithm>

namespace compositions {
namespace {

using namespace mixwell;

/// Small steps without a decision are right to first order only.
bool is_a_limit(const KernelGraph& graph) {
  const auto& all = graph.operations();
  return std::any_of(all.begin(), all.end(), [&](const OperationInfo& o) {
    return o.kind == OperationKind::move && o.traits.local && !o.traits.invariant &&
           graph[o.outputs.front()].kind == ValueKind::version;
  });
}

/// To first order worlds average the noise of a gradient, and not yet that of a U.
bool has_noisy_potential(const KernelGraph& graph) {
  const auto& all = graph.operations();
  return std::any_of(all.begin(), all.end(), [](const OperationInfo& o) {
    return o.kind == OperationKind::pure && o.traits.unbiased && !o.traits.exact_potential;
  });
}

}  // namespace

std::optional<FiniteReadingResult> reading_of(const Program& program) {
  const Verdict& now = program.certificate.now;
  const bool limit = is_a_limit(program.sampling);
  const bool is_biased = now.certificate_class() == CertificateClass::biased;
  const auto promised = limit ? CertificateClass::asymptotic : CertificateClass::exact;
  if (now.certificate_class() != promised && !is_biased) return std::nullopt;
  if (now.reason == "a slot is never updated") return std::nullopt;  // true, and invariant
  if (limit && has_noisy_potential(program.sampling)) {
    return FiniteReadingResult{.unread = "small steps have a noisy potential"};
  }
  auto found = read_on_worlds(program.sampling, {.joint = !now.coupled, .first_order = limit});
  const bool sees_little = limit && is_biased && found.invariant();
  return sees_little ? std::nullopt : std::optional(std::move(found));
}

}  // namespace compositions
