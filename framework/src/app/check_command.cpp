// mixwell check: validates and composes a manifest, and says what it is guaranteed to sample.
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
  return fmt::format("constraint: {}: {}; {} from {}, the Jacobian {}", report.parameter,
                     report.constraint, counted(report.values, "value"),
                     counted(report.coordinates, "coordinate"),
                     report.is_added ? "is added to the model's U" : "is a part of the model's U");
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

/// The script that was asked for; that there is none, or no place for it, ends the command.
void write_example(const std::string& file, Checked& found) try {
  if (found.worlds->script.empty())
    throw RunError("there is no counter-example to write: " + found.worlds->why_no_script);
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
        fmt::format("Compare the model's gradient with central differences of its potential at {} "
                    "points; exit code 1 if the relative error of any parameter is above {:g}. "
                    "Lists the constraints of parameters. A model with two implementations is "
                    "compared with the other one, too (limit {:g})",
                    gradient_points, gradient_limit, second_limit)},
       {"--no-worlds", &given->no_worlds,
        "Do not read the composition on finite worlds (docs/worlds.md), which takes some "
        "milliseconds"},
       {"--counterexample FILE.py",
        &given->example,
        "Write a finite world that leaves the target as a Python script, which prints the "
        "probability of one state before and after; exit code 1 if there is none",
        {.excludes = {"--no-worlds"}}},
       {"--json", &given->json, "Print certificate.json"}});
  return {.name = "check",
          .purpose = "Validate a manifest and say what its composition is guaranteed to sample",
          .arguments = std::move(arguments),
          .example = "mixwell check manifest.toml --gradient",
          .json = &given->json,
          .action = [given] { return check_manifest(*given); }};
}

}  // namespace mixwell::app
