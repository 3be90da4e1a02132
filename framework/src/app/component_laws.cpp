// The laws of the components of one composition, and which of them stand behind its certificate.
// SPDX-License-Identifier: Apache-2.0
#include "component_laws.hpp"

#include <mixwell/laws/curvature.hpp>
#include <mixwell/laws/integrator.hpp>
#include <mixwell/laws/model.hpp>
#include <mixwell/laws/sampler.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mixwell::app {
namespace {

laws::Findings laws_of(const Component& component) {
  if (const auto* model = dynamic_cast<const Model*>(&component)) return laws::check_model(*model);
  if (const auto* scheme = dynamic_cast<const Integrator*>(&component))
    return laws::check_integrator(*scheme);
  if (const auto* estimator = dynamic_cast<const Estimator*>(&component))
    return laws::check_estimator(*estimator);
  return {};
}

std::string kind_of(const Component& component) {
  if (dynamic_cast<const Model*>(&component) != nullptr) return "model";
  return dynamic_cast<const Integrator*>(&component) != nullptr ? "integrator" : "estimator";
}

/// "order 2" -> "order".
std::string first_word(const std::string& text) { return text.substr(0, text.find_first_of(" ,")); }

/// Of moves by an integrator: the laws are named like the traits.
bool is_of_integrators(const std::string& trait) {
  return trait == "involution" || trait == "volume" || trait == "order";
}

/// Takes the laws of `all` that test the trait.
void find_law(AssumedTrait& assumed, const std::vector<ComponentLaws>& all) {
  const std::string trait = first_word(assumed.trait.substr(assumed.trait.rfind(": ") + 2));
  if (!is_of_integrators(trait)) return;
  for (const ComponentLaws& component : all) {
    if (!component.component.starts_with("integrator.")) continue;
    for (const laws::Finding& finding : component.findings) {
      if (first_word(finding.law) != trait) continue;
      assumed.law = component.component + ": " + trait;
      assumed.holds = assumed.holds && finding.holds;
    }
  }
}

}  // namespace

std::vector<ComponentLaws> run_component_laws(const Composition& composition) {
  std::vector<ComponentLaws> all;
  for (const auto& component : composition.components) {
    laws::Findings findings = laws_of(*component);
    if (findings.empty()) continue;
    all.push_back({kind_of(*component) + "." + component->name(), std::move(findings)});
  }
  all.push_back({"composition", laws::check_sampler(composition)});
  return all;
}

std::vector<AssumedTrait> traits_behind(const Verdict& verdict,
                                        const std::vector<ComponentLaws>& all) {
  std::vector<AssumedTrait> traits;
  for (const std::string& trait : verdict.assumes) {
    traits.push_back({.trait = trait, .law = {}});
    find_law(traits.back(), all);
  }
  return traits;
}

}  // namespace mixwell::app
