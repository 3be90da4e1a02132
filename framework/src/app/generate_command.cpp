// mixwell generate: computes the generated quantities of another Stan program from a run's draws.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/signals.hpp"
#include "component/toml_text.hpp"
#include "manifest/effective.hpp"
#include "manifest/manifest_arguments.hpp"

#include <mixwell/lab/generate.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace mixwell::app {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string run;
  std::string program;
  std::string data;
  std::string folder;
  bool quiet = false;
};

/// Throws InputError if the table of the run's model has no key `program`.
void require_programmable(const Arguments& arguments, const Composition& run) {
  const std::string heading = "model." + run.model()->name();
  for (const EffectiveTable& table : read_effective(run.effective_manifest))
    for (const EffectiveLine& line : table.lines)
      if (table.heading == heading && line.key == "program") return;
  throw InputError(
      {arguments.run, 0, 0},
      fmt::format("the model `{}` of the run is not a Stan program. `mixwell generate` needs a run "
                  "whose model is a Stan program. Give the folder of such a run",
                  run.model()->name()));
}

/// The composition of the run with the given program, and with the given data if there are any.
Composition with_program(const Arguments& arguments, const Composition& run,
                         const Registry& registry) {
  const auto file = [](const std::string& path) { return toml_text(fs::absolute(path).string()); };
  const std::string table = "model." + run.model()->name();
  const Location where{"--program " + arguments.program, 0, 0};
  std::vector<Override> changes = {
      {.key = table + ".library", .value = "", .where = where, .effect = Override::Effect::clear},
      {.key = table + ".program", .value = file(arguments.program), .where = where}};
  if (!arguments.data.empty())
    changes.push_back({.key = table + ".data",
                       .value = file(arguments.data),
                       .where = {"--data " + arguments.data, 0, 0}});
  return load_manifest(arguments.run + "/manifest.toml", registry, changes);
}

std::set<std::string> parameters_of(const Model& model) {
  std::set<std::string> names;
  if (const NamedPositions* const positions = model.offers<NamedPositions>())
    for (const Parameter& one : positions->named()) names.insert(one.name);
  return names;
}

/// The file of the run's program. If the manifest names no file, a description of the program.
std::string program_of(const Arguments& arguments, const Composition& run) {
  const toml::table root = toml::parse(run.effective_manifest);
  return root["model"][run.model()->name()]["program"].value_or("the program of " + arguments.run);
}

/// Throws InputError if the program lacks a parameter of the run. generate_from() finds parameters
/// that the run lacks.
void require_parameters(const Arguments& arguments, const Composition& run, const Model& model) {
  const std::set<std::string> known = parameters_of(model);
  std::vector<std::string> missing;
  for (const std::string& name : parameters_of(*run.model()))
    if (!known.contains(name)) missing.push_back("`" + name + "`");
  if (missing.empty()) return;
  throw InputError(
      {arguments.program, 0, 0},
      fmt::format(
          "the program does not declare all parameters of the run (folder {}). These parameters "
          "are missing: {}. The program must declare them even if it does not use them. Copy the "
          "block `parameters` from {}.",
          arguments.run, fmt::join(missing, ", "), program_of(arguments, run)));
}

ExitCode generate(const Arguments& arguments) {
  require_file(arguments.program, "program");
  if (!arguments.data.empty()) require_file(arguments.data, "data file");
  const Registry registry = load_registry();
  const Composition run = load_manifest(arguments.run + "/manifest.toml", registry);
  require_programmable(arguments, run);
  const Composition composition = with_program(arguments, run, registry);
  require_parameters(arguments, run, *composition.model());
  const std::string folder =
      arguments.folder.empty()
          ? fmt::format("{}-{}", fs::path(arguments.run).lexically_normal().string(),
                        fs::path(arguments.program).stem().string())
          : arguments.folder;
  const StopSignal stop;
  const GeneratedDraws made = generate_from(arguments.run, composition, folder, &stop.request());
  if (arguments.quiet) return ExitCode::ok;
  for (const std::string& remark : composition.remarks_of_models()) print_note(remark);
  if (made.without_parameters > 0)
    print_note(
        fmt::format("some parameters are NaN in {} of the draws. The quantities generated from "
                    "these draws are NaN too",
                    made.without_parameters));
  fmt::print("{} draws per chain ({} chains) are in {}/draws.nc\n", made.draws, made.chains,
             made.folder);
  return ExitCode::ok;
}

}  // namespace

Command generate_command() {
  const auto given = std::make_shared<Arguments>();
  return {
      .name = "generate",
      .purpose = "Compute the generated quantities of another Stan program from the draws of a run",
      .arguments = {{"run DIR", &given->run, "Folder of a run whose model is a Stan program"},
                    {"--program PROGRAM.stan",
                     &given->program,
                     "Stan program that declares all parameters of the run's program",
                     {.required = true}},
                    {"--data FILE.json", &given->data,
                     "Data of the program (default: the data of the run)"},
                    {"--out DIR", &given->folder, "Folder for the results (default: RUN-PROGRAM)"},
                    {"--quiet", &given->quiet, "Print nothing"}},
      .example = "mixwell generate out/schools --program new-schools.stan",
      .action = [given] { return generate(*given); }};
}

}  // namespace mixwell::app
