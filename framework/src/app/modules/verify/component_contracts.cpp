// The contracts of the components of one composition, and which of them stand behind its
// certificate. SPDX-License-Identifier: Apache-2.0
#include "app/modules/verify/component_contracts.hpp"

#include <mixwell/contracts/curvature.hpp>
#include <mixwell/contracts/integrator.hpp>
#include <mixwell/contracts/model.hpp>
#include <mixwell/contracts/sampler.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mixwell::app {
namespace {

contracts::Findings contract_of(const Component& component) {
  if (const auto* model = dynamic_cast<const Model*>(&component))
    return contracts::check_model(*model);
  if (const auto* scheme = dynamic_cast<const Integrator*>(&component))
    return contracts::check_integrator(*scheme);
  if (const auto* estimator = dynamic_cast<const Estimator*>(&component))
    return contracts::check_estimator(*estimator);
  return {};
}

std::string kind_of(const Component& component) {
  if (dynamic_cast<const Model*>(&component) != nullptr) return "model";
  return dynamic_cast<const Integrator*>(&component) != nullptr ? "integrator" : "estimator";
}

/// "order 2" -> "order".
std::string first_word(const std::string& text) { return text.substr(0, text.find_first_of(" ,")); }

/// Of moves by an integrator: the clauses are named like the traits.
bool is_of_integrators(const std::string& trait) {
  return trait == "involution" || trait == "volume" || trait == "order";
}

/// Takes the clauses of `all` that test the trait.
void find_clause(AssumedTrait& assumed, const std::vector<ComponentContract>& all) {
  const std::string trait = first_word(assumed.trait.substr(assumed.trait.rfind(": ") + 2));
  if (!is_of_integrators(trait)) return;
  for (const ComponentContract& component : all) {
    if (!component.component.starts_with("integrator.")) continue;
    for (const contracts::Finding& finding : component.findings) {
      if (first_word(finding.clause) != trait) continue;
      assumed.clause = component.component + ": " + trait;
      assumed.holds = assumed.holds && finding.holds;
    }
  }
}

}  // namespace

std::vector<ComponentContract> run_component_contracts(const Composition& composition) {
  std::vector<ComponentContract> all;
  for (const auto& component : composition.components) {
    contracts::Findings findings = contract_of(*component);
    if (findings.empty()) continue;
    all.push_back({kind_of(*component) + "." + component->name(), std::move(findings)});
  }
  all.push_back({"composition", contracts::check_sampler(composition)});
  return all;
}

std::vector<AssumedTrait> traits_behind(const Verdict& verdict,
                                        const std::vector<ComponentContract>& all) {
  std::vector<AssumedTrait> traits;
  for (const std::string& trait : verdict.assumes) {
    traits.push_back({.trait = trait, .clause = {}});
    find_clause(traits.back(), all);
  }
  return traits;
}

}  // namespace mixwell::app
