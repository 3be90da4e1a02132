// Loads the manifest and plugins that a command line names.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/manifest_arguments.hpp"

#include "base/shortened.hpp"
#include "base/split.hpp"
#include "component/toml_text.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace mixwell {
namespace {

/// Parses `KEY=VALUE` or `KEY = VALUE`, the form in which Mixwell prints suggested fixes.
Override parse_override(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) {
    throw InputError({"--set " + shortened(setting), 0, 0},
                     "must have the form KIND.NAME.KEY=VALUE or run.KEY=VALUE");
  }
  const std::string_view text = setting;
  return {std::string(trimmed(text.substr(0, equals))),
          std::string(trimmed(text.substr(equals + 1)))};
}

bool is_program(const std::string& path) { return path.ends_with(".stan"); }

/// A manifest that samples a Stan program with all defaults. It uses the data file next to the
/// program if there is one: NAME.data.json, or NAME.json.
std::string manifest_around(const std::string& path) {
  namespace fs = std::filesystem;
  require_file(path, "program");
  std::string text = fmt::format("mixwell = 1\n[model.stan]\nuse = \"stan\"\nprogram = {}\n",
                                 toml_text(fs::path(path).filename().string()));
  for (const char* const ending : {".data.json", ".json"}) {
    const fs::path data = fs::path(path).replace_extension(ending);
    if (!fs::exists(data)) continue;
    return text + fmt::format("data = {}\n", toml_text(data.filename().string()));
  }
  return text;
}

}  // namespace

Registry load_registry() { return Registry::load(Registry::default_folders()); }

void require_file(const std::string& path, const char* what) {
  namespace fs = std::filesystem;
  if (fs::is_directory(path))
    throw InputError({path, 0, 0},
                     fmt::format("this is a folder, not a {0}. Give the path of a {0}.", what));
  if (!fs::is_regular_file(path))
    throw InputError({path, 0, 0},
                     fmt::format("there is no {} at this path. Check the path.", what));
}

Composition load(const ManifestArguments& arguments, const Registry& registry, Ranks* ranks) {
  std::vector<Override> overrides;
  for (const std::string& setting : arguments.settings) {
    overrides.push_back(parse_override(setting));
  }
  if (is_program(arguments.path))
    return parse_manifest(manifest_around(arguments.path), arguments.path, registry, overrides);
  return load_manifest(arguments.path, registry, overrides, ranks);
}

}  // namespace mixwell
