// mixwell schema: the JSON schema of manifests, for editors.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <mixwell/manifest.hpp>

#include "command.hpp"

namespace mixwell::app {

void add_schema(CLI::App& program, Invocation& invocation) {
  CLI::App* const command = program.add_subcommand(
      "schema", "Print a JSON schema of manifests, made from all plugins at hand, for editors");
  command->footer(footer("mixwell schema > mixwell.schema.json"));
  command->callback([&invocation] {
    invocation.action = [] {
      fmt::print("{}", manifest_schema(load_registry()));
      return ExitCode::ok;
    };
  });
}

}  // namespace mixwell::app
