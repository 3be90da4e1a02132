// The contracts of the components of one composition, and which of them stand behind its
// certificate. SPDX-License-Identifier: Apache-2.0
#include "tested/component_contracts.hpp"

#include <mixwell/contracts/curvature.hpp>
#include <mixwell/contracts/integrator.hpp>
#include <mixwell/contracts/model.hpp>
#include <mixwell/contracts/sampler.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mixwell {
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

Kind kind_of(const Component& component) {
  if (dynamic_cast<const Model*>(&component) != nullptr) return Kind::model;
  return dynamic_cast<const Integrator*>(&component) != nullptr ? Kind::integrator
                                                                : Kind::estimator;
}

/// Takes the clauses of `all` that test the trait.
void find_clause(AssumedTrait& assumed, const std::vector<ComponentContract>& all) {
  const std::string& trait = assumed.assumption.trait;
  for (const ComponentContract& component : all) {
    for (const contracts::Finding& finding : component.findings) {
      if (finding.trait != trait) continue;
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
    all.push_back({fmt::format("{}.{}", to_string(kind_of(*component)), component->name()),
                   std::move(findings)});
  }
  all.push_back({"composition", contracts::check_sampler(composition)});
  return all;
}

void add_operations(std::vector<AssumedTrait>& traits,
                    const std::vector<VerifiedOperation>& tested) {
  for (AssumedTrait& assumed : traits) {
    for (const VerifiedOperation& one : tested) {
      const Assumption& of = assumed.assumption;
      if (one.operation != of.operation || one.trait != of.trait) continue;
      if (assumed.clause.empty()) assumed.clause = one.operation + ": " + one.trait;
      assumed.holds = assumed.holds && !one.failed;
    }
  }
}

std::vector<AssumedTrait> traits_behind(const Verdict& verdict,
                                        const std::vector<ComponentContract>& all) {
  std::vector<AssumedTrait> traits;
  for (const Assumption& assumption : verdict.assumes) {
    traits.push_back({.assumption = assumption, .clause = {}});
    find_clause(traits.back(), all);
  }
  return traits;
}

}  // namespace mixwell
