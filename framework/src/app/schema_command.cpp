// mixwell schema: the JSON schemas of manifests and studies, for editors.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"

#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/study.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace mixwell::app {

void add_schema(CLI::App& program, Invocation& invocation) {
  CLI::App* const command = program.add_subcommand(
      "schema", "Print a JSON schema of manifests, made from all plugins at hand, for editors");
  const auto study = std::make_shared<bool>(false);
  command->add_flag("--study", *study, "Of study files instead");
  command->footer(footer("mixwell schema > mixwell.schema.json"));
  command->callback([&invocation, study] {
    invocation.action = [study] {
      fmt::print("{}", (*study ? study_schema : manifest_schema)(load_registry()));
      return ExitCode::ok;
    };
  });
}

}  // namespace mixwell::app
