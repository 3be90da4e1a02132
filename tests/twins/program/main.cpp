// The table of wrong twins: which are caught, by what, and how soon.
// SPDX-License-Identifier: Apache-2.0
#include "twins/twins.hpp"

#include <mixwell/base/error.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

struct Options {
  std::string only;
  std::int64_t false_alarms = 0;
  double budget = mixwell::VerifySettings{}.budget;
  double budget_of_right = 1e6;
};

double median(std::vector<double> all) {
  if (all.empty()) return 0.0;
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

std::string name_of(const twins::Outcome& outcome, const std::string& check) {
  return check == "verify" ? outcome.by : outcome.by + " (not verify)";
}

/// One line a twin. True if all are caught that should be, and no right version is.
bool print_table(const Options& options, const mixwell::VerifySettings& settings) {
  std::map<std::string, twins::Outcome> right;  // by base and check
  std::vector<double> seconds;
  int count = 0;
  int by_verify = 0;
  bool fine = true;
  fmt::print("| twin | part | what is wrong | caught | by | s | right version |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const twins::Twin& twin : twins::read()) {
    if (twin.name().find(options.only) == std::string::npos) continue;
    const twins::Outcome wrong = twins::check(twin.check, twin.base, twin.mistake, settings);
    const std::string key = twin.base.name + "/" + twin.check;
    if (right.count(key) == 0) right[key] = twins::check(twin.check, twin.base, "none", settings);
    const twins::Outcome& beside = right[key];
    fmt::print("| {} | {} | {} | {} | {} | {:.2f} | {}{} |\n", twin.name(), twin.part, twin.wrong,
               wrong.wrong ? "yes" : "**no** " + twin.escapes, name_of(wrong, twin.check),
               wrong.seconds, beside.verdict, beside.wrong ? " (**false alarm**)" : "");
    std::fflush(stdout);
    ++count;
    if (wrong.wrong) seconds.push_back(wrong.seconds);
    if (wrong.wrong && twin.check == "verify") ++by_verify;
    if (!wrong.wrong && twin.escapes.empty()) fine = false;
    if (beside.wrong) fine = false;
  }
  fmt::print(
      "\n{} of {} twins are caught, {} of them by `verify`; median {:.2f} seconds of processor "
      "time, longest {:.2f}.\n",
      seconds.size(), count, by_verify, median(seconds),
      seconds.empty() ? 0.0 : *std::max_element(seconds.begin(), seconds.end()));
  return fine;
}

/// How far the share of p below x is above x at most, and below it at most.
struct Uniformity {
  double above = 0.0;
  double below = 0.0;
};

Uniformity uniformity(std::vector<double> p) {
  std::sort(p.begin(), p.end());
  const auto n = static_cast<double>(p.size());
  Uniformity worst;
  for (std::size_t k = 0; k < p.size(); ++k) {
    worst.above = std::max(worst.above, static_cast<double>(k + 1) / n - p[k]);
    worst.below = std::max(worst.below, p[k] - static_cast<double>(k) / n);
  }
  return worst;
}

/// The chance that n uniform numbers are so far off to one side, at most (Smirnov; Massart 1990).
double chance(double distance, std::size_t n) {
  return std::exp(-2.0 * static_cast<double>(n) * distance * distance);
}

void print_uniformity(const std::vector<double>& p) {
  const Uniformity off = uniformity(p);
  fmt::print(
      "Smallest adjusted p of a run: {:.2g} at least; their share below x is above x by {:.3f} at "
      "most (Kolmogorov-Smirnov, p = {:.2g}), and below it by {:.3f} at most (p = {:.2g}).\n",
      *std::min_element(p.begin(), p.end()), off.above, chance(off.above, p.size()), off.below,
      chance(off.below, p.size()));
}

/// Runs of verify on right versions in turn, with another seed each. True if none is called wrong.
bool print_false_alarms(const Options& options, const mixwell::VerifySettings& settings) {
  const std::vector<twins::Base> all = twins::bases(twins::read());
  std::vector<std::string> alarms;
  std::vector<double> seconds;
  std::vector<double> p;
  for (std::int64_t k = 0; k < options.false_alarms; ++k) {
    const twins::Base& base = all[static_cast<std::size_t>(k) % all.size()];
    const twins::Outcome outcome = twins::check("verify", base, "none", settings, 1001 + k);
    seconds.push_back(outcome.seconds);
    p.push_back(outcome.adjusted_p);
    if (outcome.wrong) {
      alarms.push_back(fmt::format("{} with seed {}: {}", base.name, 1001 + k, outcome.by));
    }
  }
  fmt::print(
      "\n{} runs of `verify` on {} right versions, each with its own seed, alpha = {} and a budget "
      "of {:g} gradients: {} false alarms, median {:.2f} seconds of processor time.\n",
      options.false_alarms, all.size(), settings.alpha, settings.budget, alarms.size(),
      median(seconds));
  for (const std::string& alarm : alarms) fmt::print("- {}\n", alarm);
  print_uniformity(p);
  return alarms.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Runs verify on every wrong twin and its right version; prints a Markdown table."};
  app.add_option("--only", options.only, "twins whose name has this in it");
  app.add_option("--false-alarms", options.false_alarms, "runs on right versions after the table");
  app.add_option("--budget", options.budget, "gradients of each run of the table");
  app.add_option("--budget-of-right", options.budget_of_right, "and of those after it");
  CLI11_PARSE(app, argc, argv);
  try {
    mixwell::VerifySettings settings;
    settings.budget = options.budget;
    bool fine = print_table(options, settings);
    settings.budget = options.budget_of_right;
    if (options.false_alarms > 0) fine = print_false_alarms(options, settings) && fine;
    return fine ? 0 : 1;
  } catch (const mixwell::InputError& error) {
    fmt::print(stderr, "twins: {}\n", error.what());
    return 2;
  }
}
