// What `mixwell verify` found of a composition, for its certificate to tell afterwards.
// SPDX-License-Identifier: Apache-2.0
#include "run/tested.hpp"

#include "base/clock.hpp"
#include "certificate/record_json.hpp"
#include "files/json.hpp"
#include "files/sha256.hpp"
#include "files/user_folder.hpp"
#include "files/whole_file.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <filesystem>
#include <sstream>
#include <system_error>

namespace mixwell {
namespace {

/// One file for each composition; empty where a user has no folder.
std::string record_folder() {
  const std::string state = user_folder("XDG_STATE_HOME", ".local/state");
  return state.empty() ? "" : state + "/verified";
}

std::string record_of(const std::string& sha256) {
  return record_folder() + "/" + sha256 + ".json";
}

/// What its transitions are, without how many of them one run takes and who writes them down.
std::string transitions_of(const std::string& effective_manifest) {
  toml::table manifest = toml::parse(effective_manifest);
  manifest.erase("recorder");
  if (toml::table* const run = manifest["run"].as_table()) {
    const auto warmup = (*run)["warmup"].value_exact<std::int64_t>();
    run->clear();
    if (warmup) run->insert("warmup", *warmup);
  }
  std::ostringstream text;
  text << manifest;
  return std::move(text).str();
}

std::string composition_sha256(const Origin& origin) {
  Sha256 hash;
  hash.add(transitions_of(origin.manifest));
  for (const auto& [what, file_hash] : origin.files) hash.add(file_hash);
  return hash.hexadecimal();
}

}  // namespace

bool keeps_tested() {
  std::error_code ignored;
  return std::filesystem::is_directory(record_folder(), ignored);
}

void keep_tested(const Origin& origin, Tested tested) {
  const std::string folder = record_folder();
  if (folder.empty()) return;
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    throw RunError(
        fmt::format("{}: the folder for what verify found cannot be made: {}; set "
                    "XDG_STATE_HOME to a folder that can be written",
                    folder, failure.message()));
  }
  tested.composition = composition_sha256(origin);
  tested.date = timestamp();
  write_whole_file(record_of(tested.composition), json_text(tested, 2) + "\n");
}

void find_tested(const Origin& origin, Certificate& certificate) {
  const std::string path = record_of(composition_sha256(origin));
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  try {
    certificate.tested = read_json_as<Tested>(path, "record of verify");
  } catch (const std::exception& damage) {
    certificate.now.notes.push_back(fmt::format(
        "{}: this record of an earlier `mixwell verify` is damaged ({}); verify replaces it", path,
        damage.what()));
  }
}

}  // namespace mixwell
