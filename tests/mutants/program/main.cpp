// The table of mutants: which are caught, by what, and how soon.
// SPDX-License-Identifier: Apache-2.0
#include "mutants/mutants.hpp"

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

std::string name_of(const mutants::Outcome& outcome, const std::string& check) {
  return check == "verify" ? outcome.by : outcome.by + " (not verify)";
}

/// One line a mutant. True if all are caught that should be, and no right version is.
bool print_table(const Options& options, const mixwell::VerifySettings& settings) {
  std::map<std::string, mutants::Outcome> right;  // by base and check
  std::vector<double> seconds;
  int count = 0;
  int by_verify = 0;
  bool fine = true;
  fmt::print("| mutant | part | what is wrong | caught | by | s | right version |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const mutants::Mutant& mutant : mutants::read()) {
    if (mutant.name().find(options.only) == std::string::npos) continue;
    const mutants::Outcome wrong =
        mutants::check(mutant.check, mutant.base, mutant.mistake, settings);
    const std::string key = mutant.base.name + "/" + mutant.check;
    if (right.count(key) == 0)
      right[key] = mutants::check(mutant.check, mutant.base, "none", settings);
    const mutants::Outcome& beside = right[key];
    fmt::print("| {} | {} | {} | {} | {} | {:.2f} | {}{} |\n", mutant.name(), mutant.part,
               mutant.wrong, wrong.wrong ? "yes" : "**no** " + mutant.escapes,
               name_of(wrong, mutant.check), wrong.seconds, beside.verdict,
               beside.wrong ? " (**false alarm**)" : "");
    std::fflush(stdout);
    ++count;
    if (wrong.wrong) seconds.push_back(wrong.seconds);
    if (wrong.wrong && mutant.check == "verify") ++by_verify;
    if (!wrong.wrong && mutant.escapes.empty()) fine = false;
    if (beside.wrong) fine = false;
  }
  fmt::print(
      "\n{} of {} mutants are caught, {} of them by `verify`; median {:.2f} seconds of processor "
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
  const std::vector<mutants::Base> all = mutants::bases(mutants::read());
  std::vector<std::string> alarms;
  std::vector<double> seconds;
  std::vector<double> p;
  for (std::int64_t k = 0; k < options.false_alarms; ++k) {
    const mutants::Base& base = all[static_cast<std::size_t>(k) % all.size()];
    const mutants::Outcome outcome = mutants::check("verify", base, "none", settings, 1001 + k);
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
  CLI::App app{"Runs verify on every mutant and its right version; prints a Markdown table."};
  app.add_option("--only", options.only, "mutants whose name has this in it");
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
    fmt::print(stderr, "mutants: {}\n", error.what());
    return 2;
  }
}
