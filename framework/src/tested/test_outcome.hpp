// A composition put to the test by draws and by the contracts of its components.
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
  std::string component;  ///< "model.bowl"; "composition" for what holds of all together
  contracts::Findings findings;
};

/// Something that the certificate took a component's word for.
struct AssumedTrait {
  Assumption assumption;
  std::string
      clause;  ///< that was run for it, "integrator.leap: involution"; "" where there is none
  bool holds = true;
};

/// What the contracts of components say, beside what was tested of the whole.
struct ContractEvidence {
  std::vector<ComponentContract> components;
  std::vector<AssumedTrait> traits;

  /// The certificate rests on a trait that its component does not have.
  bool breaks_certificate() const;
};

struct TestOutcome {
  Verification found;
  ContractEvidence evidence;
};

/// verify(), and the contracts; a conclusive outcome is kept for later certificates. `path`: as
/// verify() takes it; `threads`: 0 = all cores.
TestOutcome put_to_the_test(const Composition& composition, const std::string& path,
                            const Registry& registry, const VerifySettings& settings, int threads);

/// What `mixwell verify --json` prints.
nlohmann::ordered_json json_of(const TestOutcome& outcome);

}  // namespace mixwell
