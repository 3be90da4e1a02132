// mixwell check: validates a manifest and states what its composition is guaranteed to sample.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/modules.hpp"
#include "files/whole_file.hpp"

#include <mixwell/lab/check.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace mixwell::app {
namespace {

struct Arguments {
  ManifestArguments manifest;
  CheckSettings settings;
  bool no_worlds = false;
  std::string example;
  bool json = false;
};

std::string counted(Index n, const std::string& word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

std::string constraint_line(const ConstraintReport& report) {
  return fmt::format("constraint: {}: {}; {} from {}; {}", report.parameter, report.constraint,
                     counted(report.values, "value"), counted(report.coordinates, "coordinate"),
                     report.is_added ? "Mixwell adds the Jacobian term to the model's U"
                                     : "the model's U includes the Jacobian term");
}

void print_text(const Checked& found) {
  for (const std::string& remark : found.remarks) fmt::print("note: {}\n", remark);
  const std::string text = certificate_text(found);
  fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  for (const auto& [component, source] : found.certificate.published)
    fmt::print("published  {}: {}\n", component, source);
  if (found.worlds && !found.worlds->example.empty())
    fmt::print("example    {}\n", found.worlds->example);
  for (const Cure& cure : found.cures)
    fmt::print("cure       {}: {}\n", cure.change, cure.in_words());
  if (!found.gradient) return;
  fmt::print("{}\n", text_of(*found.gradient));
  for (const ConstraintReport& one : found.gradient->constraints)
    fmt::print("{}\n", constraint_line(one));
  if (found.gradient->second) fmt::print("{}\n", text_of(*found.gradient->second));
}

/// Writes the script of the counterexample. If there is no counterexample or the file cannot be
/// written, sets `found.fault`, which ends the command.
void write_example(const std::string& file, Checked& found) try {
  if (found.worlds->script.empty())
    throw RunError("there is no counterexample to write: " + found.worlds->why_no_script +
                   ". Run the command without --counterexample");
  write_whole_file(file, found.worlds->script);
  found.worlds->example += "; written to " + file;
} catch (const Error& fault) {
  found.fault = fault;
}

WorldsReport read_on_worlds(const Program& program, const std::string& name, bool wants_example) {
  WorldsReport report;
  from_module<decltype(mixwell_read_on_worlds)>("worlds", "mixwell_read_on_worlds")(
      program, name, wants_example, report);
  return report;
}

CheckSettings settings_of(const Arguments& arguments) {
  CheckSettings settings = arguments.settings;
  settings.example = !arguments.example.empty();
  if (!arguments.no_worlds) settings.worlds = read_on_worlds;
  return settings;
}

ExitCode check_manifest(const Arguments& arguments) {
  const Registry registry = load_registry();
  const Composition composition = load(arguments.manifest, registry);
  Checked found = check(composition, registry, settings_of(arguments));
  if (!arguments.example.empty()) write_example(arguments.example, found);
  if (arguments.json) {
    fmt::print("{}\n", check_json(found));
    if (!found.fault) return ExitCode::ok;
    fmt::print(stderr, "mixwell: error: {}\n", found.fault->what());
    return found.fault->code();
  }
  print_text(found);
  if (found.fault) throw *found.fault;
  return ExitCode::ok;
}

}  // namespace

Command check_command() {
  const auto given = std::make_shared<Arguments>();
  std::vector<Argument> arguments = manifest_and(
      given->manifest,
      {{"--gradient", &given->settings.gradient,
        "Check the model's gradient (see below) and list the constraints on the parameters"},
       {"--no-worlds", &given->no_worlds,
        "Skip the check on finite worlds (docs/worlds.md), which takes a few milliseconds"},
       {"--counterexample FILE.py",
        &given->example,
        "Write a counterexample as a Python script (see below); exit with code 1 if there is none",
        {.excludes = {"--no-worlds"}}},
       {"--json", &given->json, "Print the results as JSON, with the fields of certificate.json"}});
  return {.name = "check",
          .purpose = "Validate a manifest and state what its composition is guaranteed to sample",
          .arguments = std::move(arguments),
          .example = "mixwell check manifest.toml --gradient",
          .notes = fmt::format(
              "--gradient compares the model's gradient with central differences of the model's\n"
              "potential at {} points. The exit code is 1 if any component of the gradient has a\n"
              "relative error above {:g}. If the model has a second implementation, --gradient\n"
              "also compares the two implementations. The relative differences between their\n"
              "gradients and between their potentials must be at most {:g}.\n"
              "\n"
              "--counterexample writes a Python script with a finite world (docs/worlds.md) in\n"
              "which the composition does not leave its target invariant. The script prints\n"
              "the probability of one state under the target, and the probability of this state\n"
              "after a few sweeps that start from the target.",
              gradient_points, gradient_limit, second_limit),
          .json = &given->json,
          .action = [given] { return check_manifest(*given); }};
}

}  // namespace mixwell::app
