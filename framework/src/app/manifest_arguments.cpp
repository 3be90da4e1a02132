// A manifest as the command line names it, and the plugins to read it with.
// SPDX-License-Identifier: Apache-2.0
#include "app/manifest_arguments.hpp"

#include "base/shortened.hpp"

#include <mixwell/error.hpp>

namespace mixwell::app {
namespace {

Override parse_override(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) {
    throw InputError({"--set " + shortened(setting), 0, 0},
                     "wants KIND.NAME.KEY=VALUE or run.KEY=VALUE");
  }
  return {setting.substr(0, equals), setting.substr(equals + 1)};
}

}  // namespace

Registry load_registry() { return Registry::load(Registry::default_folders()); }

Composition load(const ManifestArguments& arguments, const Registry& registry) {
  std::vector<Override> overrides;
  for (const std::string& setting : arguments.settings) {
    overrides.push_back(parse_override(setting));
  }
  return load_manifest(arguments.path, registry, overrides);
}

}  // namespace mixwell::app
