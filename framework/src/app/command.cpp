// What the commands of the program share.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"

namespace mixwell::app {
namespace {

Override parse_override(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) {
    throw InputError({"--set " + setting, 0, 0}, "wants KIND.NAME.KEY=VALUE or run.KEY=VALUE");
  }
  return {setting.substr(0, equals), setting.substr(equals + 1)};
}

}  // namespace

std::string footer(const std::string& example) {
  return "Example:\n  " + example + "\n\n" + exit_codes;
}

void add_manifest_arguments(CLI::App& command, ManifestArguments& arguments) {
  command.add_option("manifest", arguments.path, "Manifest file (TOML)")->required();
  command
      .add_option("--set", arguments.settings,
                  "Replace one value of the manifest, as in kernel.hmc.steps=5; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

Registry load_registry() { return Registry::load(Registry::default_folders()); }

Composition load(const ManifestArguments& arguments, const Registry& registry) {
  std::vector<Override> overrides;
  for (const std::string& setting : arguments.settings) {
    overrides.push_back(parse_override(setting));
  }
  return load_manifest(arguments.path, registry, overrides);
}

}  // namespace mixwell::app
