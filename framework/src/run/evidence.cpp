// Evidence for a certificate: stored results of `mixwell verify`, and publications.
// SPDX-License-Identifier: Apache-2.0
#include "run/evidence.hpp"

#include "base/clock.hpp"
#include "certificate/record_json.hpp"
#include "files/json.hpp"
#include "files/own_files.hpp"
#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "law/prior_target.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>

namespace mixwell {
namespace {

/// The folder with one file for each composition; empty if the user has no such folder.
std::string record_folder() {
  const std::string state = user_folder("XDG_STATE_HOME", ".local/state");
  return state.empty() ? "" : state + "/verified";
}

std::string record_of(const std::string& sha256) {
  return record_folder() + "/" + sha256 + ".json";
}

/// The part of a manifest that determines the transitions: without the length of the run and
/// without recorders.
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

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// "Geyer 1991, CSS 23 (the idea)" -> "Geyer 1991, CSS 23".
std::string without_remarks(const std::string& source) {
  std::string text = source.substr(0, source.find_first_of("(;"));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// Authors and year: the text up to the first number of four digits, or the whole text.
std::string work(const std::string& citation) {
  for (std::size_t k = 3; k < citation.size(); ++k) {
    const auto year = citation.begin() + static_cast<std::ptrdiff_t>(k) - 3;
    if (std::all_of(year, year + 4, is_digit)) return citation.substr(0, k + 1);
  }
  return citation;
}

bool draws_prior(const Composition& composition) {
  return composition.run.prior && prior_source(*composition.model()) == PriorSource::draws;
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
        fmt::format("{}: cannot create the folder for the results of `mixwell verify`: {}. Set "
                    "XDG_STATE_HOME to a folder with write permission.",
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
    certificate.now.notes.push_back(
        fmt::format("{}: this record of an earlier `mixwell verify` is damaged ({}). Run `mixwell "
                    "verify` again to replace it.",
                    path, damage.what()));
  }
}

std::vector<Publication> published(const Composition& composition, const Certificate& certificate) {
  std::vector<Publication> all;
  if (certificate.now.accuracy == Accuracy::none || draws_prior(composition)) return all;
  std::string seen = certificate.now.citation;
  for (const auto& [component, source] : composition.sources) {
    if (seen.find(work(source)) != std::string::npos) continue;
    all.push_back({component, without_remarks(source)});
    seen += "; " + source;
  }
  return all;
}

}  // namespace mixwell
