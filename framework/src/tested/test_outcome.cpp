// A composition put to the test by draws and by the contracts of its components.
// SPDX-License-Identifier: Apache-2.0
#include "tested/test_outcome.hpp"

#include "run/tested.hpp"

#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace mixwell {
namespace {

/// For later certificates of this composition. The outcome stands without it.
void keep(const Composition& composition, const Verification& found, double alpha) {
  try {
    keep_tested(origin_of(composition), {.agrees = found.agrees,
                                         .alpha = alpha,
                                         .smallest_visible_bias = found.smallest_visible_bias});
  } catch (const Error& error) {
    fmt::print(stderr, "verify: the outcome is not kept for certificates: {}\n", error.what());
  }
}

}  // namespace

bool ContractEvidence::breaks_certificate() const {
  return std::any_of(traits.begin(), traits.end(), [](const auto& t) { return !t.holds; });
}

TestOutcome put_to_the_test(const Composition& composition, const std::string& path,
                            const Registry& registry, const VerifySettings& settings, int threads) {
  TestOutcome outcome;
  with_threads(threads, [&] { outcome.found = verify(composition, path, registry, settings); });
  outcome.evidence.components = run_component_contracts(composition);
  Verification& found = outcome.found;
  outcome.evidence.traits = traits_behind(found.certificate.now, outcome.evidence.components);
  if (outcome.evidence.breaks_certificate()) {
    found.agrees = false;
    found.conclusive = true;
    found.remarks.emplace_back("a component lacks a trait that the certificate rests on");
  }
  add_operations(outcome.evidence.traits, found.operations);
  if (found.conclusive && settings.targets.empty()) keep(composition, found, settings.alpha);
  return outcome;
}

}  // namespace mixwell
