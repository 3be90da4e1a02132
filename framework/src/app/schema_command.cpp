// mixwell schema: prints the JSON schemas of manifests and studies, for editors.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/modules.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace mixwell::app {
namespace {

ExitCode schema(bool of_studies) {
  if (of_studies)
    return from_module<decltype(mixwell_study_schema)>("study", "mixwell_study_schema")();
  fmt::print("{}", manifest_schema(load_registry()));
  return ExitCode::ok;
}

}  // namespace

Command schema_command() {
  const auto of_studies = std::make_shared<bool>(false);
  return {
      .name = "schema",
      .purpose =
          "Print a JSON schema that lets editors check manifests; it covers all available plugins",
      .arguments = {{"--study", of_studies.get(), "Print the schema of study files instead"}},
      .example = "mixwell schema > mixwell.schema.json",
      .action = [of_studies] { return schema(*of_studies); }};
}

}  // namespace mixwell::app
