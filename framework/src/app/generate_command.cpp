// mixwell generate: what another program generates from the draws that a run has kept.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "component/toml_text.hpp"

#include <mixwell/lab/generate.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <memory>

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

/// The run's composition with another program, and other data if there are any.
Composition with_program(const Arguments& arguments, const Registry& registry) {
  const std::string manifest = arguments.run + "/manifest.toml";
  const std::string model = load_manifest(manifest, registry).model()->name();
  const auto file = [](const std::string& path) { return toml_text(fs::absolute(path).string()); };
  std::vector<Override> changes = {
      {.key = "model." + model + ".library", .value = "", .effect = Override::Effect::clear},
      {.key = "model." + model + ".program", .value = file(arguments.program)}};
  if (!arguments.data.empty())
    changes.push_back({.key = "model." + model + ".data", .value = file(arguments.data)});
  return load_manifest(manifest, registry, changes);
}

ExitCode generate(const Arguments& arguments) {
  const Composition composition = with_program(arguments, load_registry());
  const std::string folder =
      arguments.folder.empty()
          ? fmt::format("{}-{}", fs::path(arguments.run).lexically_normal().string(),
                        fs::path(arguments.program).stem().string())
          : arguments.folder;
  const GeneratedDraws made = generate_from(arguments.run, composition, folder);
  if (arguments.quiet) return ExitCode::ok;
  for (const std::string& remark : composition.remarks_of_models()) print_note(remark);
  if (made.without_parameters > 0)
    print_note(fmt::format("parameters of {} draws are NaN, and so is what is generated there",
                           made.without_parameters));
  fmt::print("{} draws of {} chains are in {}/draws.nc\n", made.draws, made.chains, made.folder);
  return ExitCode::ok;
}

}  // namespace

Command generate_command() {
  const auto given = std::make_shared<Arguments>();
  return {.name = "generate",
          .purpose = "Draw what another program generates at the draws that a run has kept",
          .arguments = {{.name = "run",
                         .value = &given->run,
                         .help = "Folder of a run whose model is made of a program",
                         .type = "DIR",
                         .required = true},
                        {.name = "--program",
                         .value = &given->program,
                         .help = "The program, with the same parameters as the run's",
                         .type = "PROGRAM.stan",
                         .required = true},
                        {.name = "--data",
                         .value = &given->data,
                         .help = "Its data (default: those of the run)",
                         .type = "FILE.json"},
                        {.name = "--out",
                         .value = &given->folder,
                         .help = "Folder for the results (default: RUN-PROGRAM)",
                         .type = "DIR"},
                        {.name = "--quiet", .value = &given->quiet, .help = "Print nothing"}},
          .example = "mixwell generate out/schools --program new-schools.stan",
          .action = [given] { return generate(*given); }};
}

}  // namespace mixwell::app
