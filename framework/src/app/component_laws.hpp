// The laws of the components of one composition, and which of them stand behind its certificate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/certificate.hpp>
#include <mixwell/laws/law.hpp>
#include <mixwell/manifest.hpp>

#include <string>
#include <vector>

namespace mixwell::app {

struct ComponentLaws {
  std::string component;  ///< "model.bowl"; "composition" for what holds of all together
  laws::Findings findings;
};

/// Runs the laws that the installed library `Mixwell::laws` has for the kinds of the components
/// (models, integrators, estimators), and those of the composition itself. Seconds for large data.
std::vector<ComponentLaws> run_component_laws(const Composition& composition);

/// Something that the certificate took a component's word for.
struct AssumedTrait {
  std::string trait;  ///< "x/kernel/trajectory: involution", as in the certificate
  std::string law;  ///< that was run for it, "integrator.leap: involution"; "" where there is none
  bool holds = true;
};

std::vector<AssumedTrait> traits_behind(const Verdict& verdict,
                                        const std::vector<ComponentLaws>& all);

}  // namespace mixwell::app
