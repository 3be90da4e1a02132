// What came of a test, as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "tested/test_outcome.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace mixwell {
namespace {

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
