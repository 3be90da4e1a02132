// Tests the draws of a composition and the contracts of its components.
// SPDX-License-Identifier: Apache-2.0
#include "tested/test_outcome.hpp"

#include "run/evidence.hpp"

#include <mixwell/contracts/integrator.hpp>
#include <mixwell/contracts/model.hpp>
#include <mixwell/contracts/preconditioner.hpp>
#include <mixwell/contracts/sampler.hpp>
#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace mixwell {
namespace {

/// Stores the outcome for later certificates of this composition. The outcome is valid even if it
/// cannot be stored.
void keep(const Composition& composition, const Verification& found, double alpha) {
  try {
    keep_tested(origin_of(composition), {.agrees = found.agrees,
                                         .alpha = alpha,
                                         .smallest_visible_bias = found.smallest_visible_bias});
  } catch (const Error& error) {
    fmt::print(stderr, "verify: Mixwell could not store the outcome for later certificates: {}\n",
               error.what());
  }
}

/// The findings of a component's contract. Empty for a kind without contracts in the installed
/// library `Mixwell::contracts`.
ComponentContract contract_of(const Component& component) {
  if (const auto* model = dynamic_cast<const Model*>(&component))
    return {"model." + component.name(), contracts::check_model(*model)};
  if (const auto* scheme = dynamic_cast<const Integrator*>(&component))
    return {"integrator." + component.name(), contracts::check_integrator(*scheme)};
  if (const auto* estimator = dynamic_cast<const Estimator*>(&component))
    return {"estimator." + component.name(), contracts::check_estimator(*estimator)};
  return {};
}

/// Records the clauses of `all` that test the trait.
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

/// Runs the contracts of the components and of the composition itself. This takes seconds for large
/// data.
std::vector<ComponentContract> run_component_contracts(const Composition& composition) {
  std::vector<ComponentContract> all;
  for (const auto& component : composition.components) {
    ComponentContract contract = contract_of(*component);
    if (!contract.findings.empty()) all.push_back(std::move(contract));
  }
  all.push_back({"composition", contracts::check_sampler(composition)});
  return all;
}

/// Adds the results of the tests of single operations. If an operation failed its test, its trait
/// does not hold, even if the contract of its component confirmed the trait.
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

using Json = nlohmann::ordered_json;

Json json_of(const VerifiedTarget& target) {
  if (!target.skipped.empty()) return {{"name", target.name}, {"skipped", target.skipped}};
  Json json{{"name", target.name},
            {"starts", target.redraws_data ? "prior and data" : "exact draws"},
            {"sweeps", target.sweeps},
            {"step_factor", target.step_factor},
            {"moved", target.moved},
            {"acceptance", std::isnan(target.acceptance) ? Json(nullptr) : Json(target.acceptance)},
            {"visible_bias", target.visible_bias}};
  if (target.long_sweeps > 0) {
    json["long_look"] = {{"sweeps", target.long_sweeps},
                         {"visible_bias", target.long_visible_bias}};
  }
  if (target.rungs.empty()) return json;
  json["statistic"] = target.statistic;
  json[target.drifts ? "drift" : "limit"] = target.limit;
  json["ladder"] = Json::array();
  for (const VerifiedRung& rung : target.rungs) {
    json["ladder"].push_back(
        {{"step_factor", rung.step_factor}, {"bias", rung.bias}, {"error", rung.error}});
    if (rung.ratio == 0.0) continue;
    json["ladder"].back().update({{"ratio", rung.ratio}, {"ratio_error", rung.ratio_error}});
  }
  return json;
}

Json json_of(const ContractEvidence& evidence) {
  Json json{{"components", Json::array()}, {"traits", Json::array()}};
  for (const ComponentContract& component : evidence.components) {
    Json clauses = Json::array();
    for (const auto& finding : component.findings) {
      clauses.push_back(
          {{"law", finding.clause}, {"holds", finding.holds}, {"detail", finding.detail}});
    }
    json["components"].push_back({{"name", component.component}, {"laws", std::move(clauses)}});
  }
  for (const AssumedTrait& trait : evidence.traits) {
    json["traits"].push_back({{"trait", trait.assumption.in_words()},
                              {"run", !trait.clause.empty()},
                              {"law", trait.clause.empty() ? Json(nullptr) : Json(trait.clause)},
                              {"holds", trait.clause.empty() ? Json(nullptr) : Json(trait.holds)}});
  }
  return json;
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
    found.remarks.emplace_back(
        "a component violates a trait that it declares, and the certificate relies on this trait");
  }
  add_operations(outcome.evidence.traits, found.operations);
  if (found.conclusive && settings.targets.empty()) keep(composition, found, settings.alpha);
  return outcome;
}

Json json_of(const TestOutcome& outcome) {
  const Verification& found = outcome.found;
  Json json{{"certificate", found.certificate.label()},
            {"tested", found.tested},
            {"agree", found.agrees},
            {"conclusive", found.conclusive},
            {"mobile", found.mobile}};
  json["tests"] = Json::array();
  for (const VerifiedStatistic& s : found.tests) {
    json["tests"].push_back(
        {{"name", s.name}, {"target", s.target}, {"failed", s.failed}, {"z", s.z}, {"p", s.p}});
  }
  json["operations"] = Json::array();
  for (const VerifiedOperation& o : found.operations) {
    json["operations"].push_back({{"operation", o.operation},
                                  {"tests", o.trait},
                                  {"found", o.what},
                                  {"failed", o.failed},
                                  {"z", o.z},
                                  {"p", o.p}});
  }
  json["untested"] = Json::array();
  for (const VerifiedOperation& o : found.untested) {
    json["untested"].push_back(
        {{"operation", o.operation}, {"tests", o.trait}, {"why", o.untested}});
  }
  json["targets"] = Json::array();
  for (const VerifiedTarget& target : found.targets) json["targets"].push_back(json_of(target));
  if (!found.arrival.target.empty()) {
    json["arrival"] = {{"target", found.arrival.target},
                       {"left", found.arrival.left},
                       {"sweeps", found.arrival.sweeps},
                       {"arrives", found.arrival.arrives}};
  }
  json["smallest_visible_bias"] = found.smallest_visible_bias;
  json["looks"] = found.looks;
  json["adjusted_p"] = found.adjusted_p;
  json["gradients"] = found.gradients;
  json["remarks"] = found.remarks;
  json.update(json_of(outcome.evidence));
  return json;
}

}  // namespace mixwell
