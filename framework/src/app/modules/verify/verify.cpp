// mixwell verify: puts a composition's certificate to the test.
// SPDX-License-Identifier: Apache-2.0
#include "app/modules/verify.hpp"

#include "app/modules/verify/component_contracts.hpp"
#include "files/json.hpp"
#include "run/tested.hpp"

#include <mixwell/lab/sampler.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace mixwell::app {
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

/// What the contracts of components say, beside what was tested of the whole.
struct ContractEvidence {
  std::vector<ComponentContract> components;
  std::vector<AssumedTrait> traits;

  /// The certificate rests on a trait that its component does not have.
  bool breaks_certificate() const {
    return std::any_of(traits.begin(), traits.end(), [](const auto& t) { return !t.holds; });
  }
};

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

Json json_of(const Verification& found, const ContractEvidence& evidence) {
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
  json.update(json_of(evidence));
  return json;
}

void print_rungs(const VerifiedTarget& target) {
  fmt::print("  {:<17} error of {} in its standard deviations\n", target.name, target.statistic);
  for (const VerifiedRung& rung : target.rungs) {
    fmt::print("    steps x {:<8g} {:>8.4f} +- {:.4f}", rung.step_factor, rung.bias, rung.error);
    if (rung.ratio != 0.0) fmt::print("   ratio {:.2f} +- {:.2f}", rung.ratio, rung.ratio_error);
    fmt::print("\n");
  }
  if (target.drifts) {
    fmt::print("    the second of them grows by {:.4f} in thrice the time\n", target.limit);
    return;
  }
  fmt::print("    tends to {:>14.4f}, seen if above {:.4f}\n", target.limit, target.visible_bias);
}

/// The clearest ones.
void print_failures(std::vector<VerifiedStatistic> tests) {
  constexpr std::size_t shown = 5;
  std::erase_if(tests, [](const VerifiedStatistic& s) { return !s.failed; });
  std::stable_sort(tests.begin(), tests.end(),
                   [](const auto& a, const auto& b) { return a.p < b.p; });
  for (std::size_t k = 0; k < std::min(shown, tests.size()); ++k) {
    const VerifiedStatistic& s = tests[k];
    fmt::print("  FAILED on {}: {}, z = {:.3g}, p = {:.2g}\n", s.target, s.name, s.z, s.p);
  }
  if (tests.size() > shown) fmt::print("  ... and {} more\n", tests.size() - shown);
}

/// A line for each trait, and how many slots it stands for, in order of the first.
std::vector<std::string> lines_of(const std::vector<AssumedTrait>& traits) {
  std::vector<std::string> lines;
  for (const AssumedTrait& trait : traits) {
    lines.push_back(trait.assumption.in_words() + ": " +
                    (trait.clause.empty() ? "only tested by the whole, above"
                     : trait.holds        ? "tested, holds"
                                          : "tested, BROKEN"));
  }
  return fold_slots(lines);
}

void print_evidence(const ContractEvidence& evidence) {
  for (const ComponentContract& component : evidence.components) {
    const auto broken = std::count_if(component.findings.begin(), component.findings.end(),
                                      [](const auto& f) { return !f.holds; });
    fmt::print("  contract of {}: {} of {} hold\n", component.component,
               component.findings.size() - static_cast<std::size_t>(broken),
               component.findings.size());
    for (const auto& finding : component.findings) {
      if (!finding.holds) fmt::print("    BROKEN {}: {}\n", finding.clause, finding.detail);
    }
  }
  for (const std::string& line : lines_of(evidence.traits)) fmt::print("  assumed {}\n", line);
}

/// What holds is one line.
void print_operations(const std::vector<VerifiedOperation>& all) {
  if (all.empty()) return;
  std::set<std::string> names;
  for (const VerifiedOperation& o : all) names.insert(o.operation);
  const auto failed =
      std::count_if(all.begin(), all.end(), [](const VerifiedOperation& o) { return o.failed; });
  fmt::print("  {} operations by themselves: {}\n", names.size(),
             failed == 0 ? fmt::format("{} looks, all hold", all.size())
                         : fmt::format("{} of {} looks FAILED", failed, all.size()));
}

void print_untested(const std::vector<VerifiedOperation>& all) {
  std::vector<std::string> lines;
  for (const VerifiedOperation& o : all) {
    lines.push_back(fmt::format("{}: {}: {}", o.operation, o.trait, o.untested));
  }
  if (!all.empty()) fmt::print("  cannot be tested by themselves: {}\n", all.size());
  for (const std::string& line : fold_slots(lines)) fmt::print("    {}\n", line);
}

/// For a statistician: what was looked at, at which error rate, and what would have been seen.
void print_power(const Verification& found, double alpha) {
  if (found.tested == "untested" || found.looks == 0.0) return;
  fmt::print(
      "{:.0f} looks in all, chance of a false alarm at most {:g}; smallest adjusted p = {:.2g}",
      found.looks, alpha, found.adjusted_p);
  const auto first = std::find_if(found.targets.begin(), found.targets.end(),
                                  [](const VerifiedTarget& t) { return t.skipped.empty(); });
  if (first == found.targets.end() || found.tested == "biased") {
    fmt::print("\n");
    return;
  }
  const double own = first->long_sweeps > 0 ? first->long_visible_bias : first->visible_bias;
  fmt::print(
      "; on {} a bias of any statistic above {:.2g} sd would have been seen, on all targets above "
      "{:.2g} sd\n",
      first->name, own, found.smallest_visible_bias);
}

void print_text(const Verification& found, const ContractEvidence& evidence, double alpha) {
  fmt::print("certificate  {}\ntested       {}\n", found.certificate.label(), found.tested);
  for (const VerifiedTarget& target : found.targets) {
    if (!target.skipped.empty()) {
      fmt::print("  {:<13} skipped: {}\n", target.name, target.skipped);
      continue;
    }
    if (!target.rungs.empty()) {
      print_rungs(target);
      continue;
    }
    fmt::print(
        "  {:<13} {}{} sweeps{}{}, went {:.2g} variances, sees shifts above {:.2g} sd\n",
        target.name, target.redraws_data ? "prior and data drawn, " : "", target.sweeps,
        target.step_factor == 1.0 ? "" : fmt::format(" with steps x {:g}", target.step_factor),
        std::isnan(target.acceptance) ? "" : fmt::format(", accepted {:.2f}", target.acceptance),
        target.moved, target.visible_bias);
    if (target.long_sweeps > 0) {
      fmt::print("  {:<13} averages over {} sweeps, sees shifts above {:.2g} sd\n", "",
                 target.long_sweeps, target.long_visible_bias);
    }
  }
  print_operations(found.operations);
  print_untested(found.untested);
  print_failures(found.tests);
  if (!found.arrival.target.empty()) {
    fmt::print(
        "  from starts 1.5 times too far out: {:.0f} % of the excess is left after {} sweeps\n",
        100.0 * found.arrival.left, found.arrival.sweeps);
  }
  print_evidence(evidence);
  for (const std::string& remark : found.remarks) fmt::print("note: {}\n", remark);
  if (!found.mobile) {
    fmt::print("{}: invariant, and of no use.\n", found.arrival.arrives
                                                      ? "It stays where it is"
                                                      : "It does not find back from far out");
  }
  fmt::print("{}\n", !found.conclusive ? "inconclusive"
                     : found.agrees    ? "the test agrees with the certificate"
                                       : "the test DISAGREES with the certificate");
  print_power(found, alpha);
}

void tell_seconds(double seconds, double budget) {
  fmt::print(stderr, "verify: a budget of {:g} gradients, about {:.0f} s (--budget)\n", budget,
             std::ceil(seconds));
}

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

struct TestOutcome {
  Verification found;
  ContractEvidence evidence;
};

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

}  // namespace

void mixwell_verify_json(const VerifyRequest& request, std::string& json) {
  const TestOutcome outcome = put_to_the_test(request.composition, request.path, request.registry,
                                              request.settings, request.threads);
  json = json_text(json_of(outcome.found, outcome.evidence));
}

ExitCode mixwell_verify_command(const VerifyArguments& arguments) {
  const Registry registry = load_registry();
  const Composition composition = load(arguments.manifest, registry);
  VerifySettings settings = arguments.settings;
  settings.expects = [&](double seconds) { tell_seconds(seconds, settings.budget); };
  const auto [found, evidence] =
      put_to_the_test(composition, arguments.manifest.path, registry, settings, arguments.threads);
  if (arguments.json) {
    fmt::print("{}\n", json_text(json_of(found, evidence), 2));
  } else {
    print_text(found, evidence, settings.alpha);
  }
  if (found.conclusive && (!found.agrees || !found.mobile)) return ExitCode::disagrees;
  return found.conclusive ? ExitCode::ok : ExitCode::failed;
}

}  // namespace mixwell::app
