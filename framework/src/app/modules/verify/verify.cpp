// mixwell verify: tests the certificate of a composition by sampling, and prints the outcome.
// SPDX-License-Identifier: Apache-2.0
#include "app/modules.hpp"
#include "files/json.hpp"
#include "tested/test_outcome.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace mixwell::app {
namespace {

void print_rungs(const VerifiedTarget& target) {
  fmt::print("  {:<17} error of {} in standard deviations\n", target.name, target.statistic);
  for (const VerifiedRung& rung : target.rungs) {
    fmt::print("    steps x {:<8g} {:>8.4f} +- {:.4f}", rung.step_factor, rung.bias, rung.error);
    if (rung.ratio != 0.0) fmt::print("   ratio {:.2f} +- {:.2f}", rung.ratio, rung.ratio_error);
    fmt::print("\n");
  }
  if (target.drifts) {
    fmt::print(
        "    tripling the simulated time changes the error at the second step size by {:.4f}\n",
        target.limit);
    return;
  }
  fmt::print("    limit {:>17.4f}, detectable above {:.4f}\n", target.limit, target.visible_bias);
}

/// Prints the failed statistics with the smallest p values.
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

/// A line for each trait with the number of slots that have it, in order of the first slot.
std::vector<std::string> lines_of(const std::vector<AssumedTrait>& traits) {
  std::vector<std::string> lines;
  for (const AssumedTrait& trait : traits) {
    lines.push_back(trait.assumption.in_words() + ": " +
                    (trait.clause.empty() ? "tested only as part of the whole composition"
                     : trait.holds        ? "tested, holds"
                                          : "tested, VIOLATED"));
  }
  return fold_slots(lines);
}

void print_evidence(const ContractEvidence& evidence) {
  for (const ComponentContract& component : evidence.components) {
    const auto broken = std::count_if(component.findings.begin(), component.findings.end(),
                                      [](const auto& f) { return !f.holds; });
    fmt::print("  contract of {}: {} of {} clauses hold\n", component.component,
               component.findings.size() - static_cast<std::size_t>(broken),
               component.findings.size());
    for (const auto& finding : component.findings) {
      if (!finding.holds) fmt::print("    VIOLATED {}: {}\n", finding.clause, finding.detail);
    }
  }
  for (const std::string& line : lines_of(evidence.traits)) fmt::print("  assumed {}\n", line);
}

/// Prints one line for all operations.
void print_operations(const std::vector<VerifiedOperation>& all) {
  if (all.empty()) return;
  std::set<std::string> names;
  for (const VerifiedOperation& o : all) names.insert(o.operation);
  const auto failed =
      std::count_if(all.begin(), all.end(), [](const VerifiedOperation& o) { return o.failed; });
  fmt::print("  {} operations tested separately: {}\n", names.size(),
             failed == 0 ? fmt::format("{} checks, all passed", all.size())
                         : fmt::format("{} of {} checks FAILED", failed, all.size()));
}

void print_untested(const std::vector<VerifiedOperation>& all) {
  std::vector<std::string> lines;
  for (const VerifiedOperation& o : all) {
    lines.push_back(fmt::format("{}: {}: {}", o.operation, o.trait, o.untested));
  }
  if (!all.empty()) fmt::print("  not testable separately: {}\n", all.size());
  for (const std::string& line : fold_slots(lines)) fmt::print("    {}\n", line);
}

/// Prints the number of checks, the probability of a false alarm, and the smallest biases that the
/// test would have detected.
void print_power(const Verification& found, double alpha) {
  if (found.tested == "untested" || found.looks == 0.0) return;
  fmt::print(
      "The test made {:.0f} checks. The probability of a false alarm is at most {:g}. The smallest "
      "adjusted p-value is {:.2g}",
      found.looks, alpha, found.adjusted_p);
  const auto first = std::find_if(found.targets.begin(), found.targets.end(),
                                  [](const VerifiedTarget& t) { return t.skipped.empty(); });
  if (first == found.targets.end() || found.tested == "biased") {
    fmt::print("\n");
    return;
  }
  const double own = first->long_sweeps > 0 ? first->long_visible_bias : first->visible_bias;
  fmt::print(
      ". The smallest detectable bias of a statistic is {1:.2g} sd on {0}, and at most {2:.2g} sd "
      "on every target\n",
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
        "  {:<13} {}{} sweeps{}{}, squared jump distance {:.2g} times the variance, smallest "
        "detectable bias {:.2g} sd\n",
        target.name,
        target.redraws_data ? "parameters drawn from the prior, data drawn given the parameters, "
                            : "",
        target.sweeps,
        target.step_factor == 1.0 ? "" : fmt::format(" with steps x {:g}", target.step_factor),
        std::isnan(target.acceptance) ? "" : fmt::format(", acceptance {:.2f}", target.acceptance),
        target.moved, target.visible_bias);
    if (target.long_sweeps > 0) {
      fmt::print("  {:<13} averages over {} sweeps, smallest detectable bias {:.2g} sd\n", "",
                 target.long_sweeps, target.long_visible_bias);
    }
  }
  print_operations(found.operations);
  print_untested(found.untested);
  print_failures(found.tests);
  if (!found.arrival.target.empty()) {
    fmt::print(
        "  chains started 1.5 times as far from the mean as exact draws. {:.0f} % of the excess in "
        "squared distance remained after {} sweeps\n",
        100.0 * found.arrival.left, found.arrival.sweeps);
  }
  print_evidence(evidence);
  for (const std::string& remark : found.remarks) fmt::print("note: {}\n", remark);
  if (!found.mobile) {
    fmt::print(
        "The composition {}, so it is useless even if it leaves the target invariant.\n",
        found.arrival.arrives
            ? "does not move"
            : "does not bring chains that start far from the mean back to the bulk of the target");
  }
  fmt::print("{}\n", !found.conclusive ? "inconclusive"
                     : found.agrees    ? "the test agrees with the certificate"
                                       : "the test DISAGREES with the certificate");
  print_power(found, alpha);
}

void tell_seconds(double seconds, double budget) {
  fmt::print(stderr, "verify: {:g} gradient evaluations (--budget) need about {:.0f} s\n", budget,
             std::ceil(seconds));
}

}  // namespace

ExitCode mixwell_verify_command(const VerifyArguments& arguments) {
  const Registry registry = load_registry();
  const Composition composition = load(arguments.manifest, registry);
  VerifySettings settings = arguments.settings;
  settings.expects = [&](double seconds) { tell_seconds(seconds, settings.budget); };
  const TestOutcome outcome =
      put_to_the_test(composition, arguments.manifest.path, registry, settings, arguments.threads);
  const auto& [found, evidence] = outcome;
  if (arguments.json) {
    fmt::print("{}\n", json_text(json_of(outcome), 2));
  } else {
    print_text(found, evidence, settings.alpha);
  }
  if (found.conclusive && (!found.agrees || !found.mobile)) return ExitCode::disagrees;
  return found.conclusive ? ExitCode::ok : ExitCode::failed;
}

}  // namespace mixwell::app
