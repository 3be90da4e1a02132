// What `mixwell verify` found of a composition, for its certificate to tell afterwards.
// SPDX-License-Identifier: Apache-2.0
#include "run/tested.hpp"

#include "base/clock.hpp"
#include "files/json.hpp"
#include "files/own_library.hpp"
#include "files/sha256.hpp"
#include "files/text_file.hpp"
#include "files/whole_file.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// What its transitions are, without how many of them one run takes and who writes them down.
std::string transitions_of(const std::string& effective_manifest) {
  toml::table manifest = toml::parse(effective_manifest);
  manifest.erase("recorder");
  if (toml::table* const run = manifest["run"].as_table()) {
    const auto warmup = (*run)["warmup"].value<std::int64_t>();
    run->clear();
    if (warmup) run->insert("warmup", *warmup);
  }
  std::ostringstream text;
  text << manifest;
  return std::move(text).str();
}

std::string record_of(const std::string& sha256) {
  return tested_folder() + "/" + sha256 + ".json";
}

Tested read_record(const std::string& path) {
  const Json json = parse_json(read_text_file(path, "record of verify"));
  return {.agrees = json.at("agrees").get<bool>(),
          .alpha = json.at("alpha").get<double>(),
          .smallest_visible_bias = json.at("smallest_visible_bias").get<double>(),
          .date = json.at("date").get<std::string>(),
          .composition = json.at("composition").get<std::string>()};
}

}  // namespace

std::string tested_folder() {
  if (const std::string state = variable("XDG_STATE_HOME"); !state.empty())
    return state + "/mixwell/verified";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.local/state/mixwell/verified";
}

std::string composition_sha256(const Composition& composition) {
  Sha256 hash;
  hash.add(transitions_of(composition.effective_manifest));
  hash.add(file_sha256(own_library()));
  std::vector<std::string> libraries = composition.libraries;
  std::sort(libraries.begin(), libraries.end());
  for (const std::string& library : libraries) hash.add(file_sha256(library));
  for (const std::string& file : composition.files) hash.add(file_sha256(file));
  return hash.hexadecimal();
}

void keep_tested(const Composition& composition, Tested tested) {
  const std::string folder = tested_folder();
  if (folder.empty()) return;
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    throw RunError(
        fmt::format("{}: the folder for what verify found cannot be made: {}; set "
                    "XDG_STATE_HOME to a folder that can be written",
                    folder, failure.message()));
  }
  tested.composition = composition_sha256(composition);
  tested.date = timestamp();
  write_whole_file(record_of(tested.composition), tested.to_json() + "\n");
}

void find_tested(const Composition& composition, Certificate& certificate) {
  const std::string folder = tested_folder();
  std::error_code ignored;
  if (folder.empty() || !std::filesystem::is_directory(folder, ignored)) return;
  const std::string path = record_of(composition_sha256(composition));
  if (!std::filesystem::exists(path, ignored)) return;
  try {
    certificate.tested = read_record(path);
  } catch (const std::exception& damage) {
    certificate.now.notes.push_back(fmt::format(
        "{}: this record of an earlier `mixwell verify` is damaged ({}); verify replaces it", path,
        damage.what()));
  }
}

}  // namespace mixwell
