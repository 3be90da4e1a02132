// Tests the draws of a composition and the contracts of its components.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/verify.hpp>

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace mixwell {

struct ComponentContract {
  std::string component;  ///< "model.bowl"; "composition" for the contract of the composition
  contracts::Findings findings;
};

/// A trait that the certificate accepted because a component declares it.
struct AssumedTrait {
  Assumption assumption;
  std::string
      clause;  ///< the clause that tested it, "integrator.leap: involution"; "" if there is none
  bool holds = true;
};

/// The results of the components' contracts, in addition to the test of the whole composition.
struct ContractEvidence {
  std::vector<ComponentContract> components;
  std::vector<AssumedTrait> traits;

  /// Whether the certificate relies on a trait that its component does not have.
  bool breaks_certificate() const;
};

struct TestOutcome {
  Verification found;
  ContractEvidence evidence;
};

/// Runs verify() and the contracts. A conclusive outcome is stored for later certificates. `path`:
/// as for verify(). `threads`: 0 means all cores.
TestOutcome put_to_the_test(const Composition& composition, const std::string& path,
                            const Registry& registry, const VerifySettings& settings, int threads);

/// The JSON that `mixwell verify --json` prints.
nlohmann::ordered_json json_of(const TestOutcome& outcome);

}  // namespace mixwell
