// The contracts of the components of one composition, and which of them stand behind its
// certificate. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/verify.hpp>

#include <string>
#include <vector>

namespace mixwell {

struct ComponentContract {
  std::string component;  ///< "model.bowl"; "composition" for what holds of all together
  contracts::Findings findings;
};

/// Runs the contracts that the installed library `Mixwell::contracts` has for the kinds of the
/// components (models, integrators, estimators), and those of the composition itself. Seconds for
/// large data.
std::vector<ComponentContract> run_component_contracts(const Composition& composition);

/// Something that the certificate took a component's word for.
struct AssumedTrait {
  Assumption assumption;
  std::string
      clause;  ///< that was run for it, "integrator.leap: involution"; "" where there is none
  bool holds = true;
};

std::vector<AssumedTrait> traits_behind(const Verdict& verdict,
                                        const std::vector<ComponentContract>& all);

/// What the tests of single operations found of these traits: one that failed does not hold,
/// whatever the contract of a component says.
void add_operations(std::vector<AssumedTrait>& traits,
                    const std::vector<VerifiedOperation>& tested);

}  // namespace mixwell
