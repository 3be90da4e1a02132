// What a run leaves so that it can go on.
// SPDX-License-Identifier: Apache-2.0
#include "run/checkpoint.hpp"

#include "files/json.hpp"
#include "files/own_library.hpp"
#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "plugin/abi_tag.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "mixwell checkpoint 1";

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

[[noreturn]] void damaged(const std::string& file) {
  throw InputError(file + ": this is no whole checkpoint; run the manifest again with --force");
}

Json to_json(const Checkpoint& checkpoint, const std::string& sha) {
  const Origin& o = checkpoint.origin;
  return {{"name", o.name},         {"created_at", checkpoint.created_at},
          {"version", o.version},   {"files", o.files},
          {"manifest", o.manifest}, {"bytes", checkpoint.state.size()},
          {"sha256", sha}};
}

Checkpoint parse(std::istream& in, const std::string& file) {
  std::string line;
  if (!std::getline(in, line) || line != format_name || !std::getline(in, line)) damaged(file);
  const Json json = parse_json_or_discard(line);
  if (json.is_discarded()) damaged(file);
  Checkpoint found;
  found.state.resize(json.at("bytes").get<std::size_t>());
  in.read(found.state.data(), static_cast<std::streamsize>(found.state.size()));
  if (!in || sha256({found.state.data(), found.state.size()}) != json.at("sha256")) damaged(file);
  found.created_at = json.at("created_at");
  found.origin = {json.at("name"), json.at("manifest"), json.at("version"), json.at("files")};
  return found;
}

/// The first line that differs, with the table it is in.
std::string differing_line(const std::string& saved, const std::string& now) {
  std::istringstream a(saved);
  std::istringstream b(now);
  std::string table;
  for (std::string before, after;;) {
    const bool more_before = static_cast<bool>(std::getline(a, before));
    const bool more_after = static_cast<bool>(std::getline(b, after));
    if (!more_before) before = "nothing";
    if (!more_after) after = "nothing";
    if (before != after) return fmt::format("{} `{}` was `{}`", table, after, before);
    if (before.rfind('[', 0) == 0) table = before;
  }
}

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw InputError(fmt::format(
      "{}: a run goes on only with what it was begun with, but {}; put that back, or run the "
      "manifest anew with --force",
      file, what));
}

}  // namespace

Origin origin_of(const Composition& composition) {
  Origin origin{composition.name, composition.effective_manifest, build_tag(), {}};
  const std::string own = own_library();
  origin.files.emplace_back("Mixwell's own binary " + base_name(own), file_sha256(own));
  for (const std::string& library : composition.libraries) {
    origin.files.emplace_back("the plugin library " + base_name(library), file_sha256(library));
  }
  for (const std::string& file : composition.files) {
    origin.files.emplace_back("the data file " + file, file_sha256(file));
  }
  return origin;
}

std::string checkpoint_file(const std::string& folder) { return folder + "/checkpoint"; }

void save_checkpoint(const std::string& folder, const Checkpoint& checkpoint) {
  const std::string_view state(checkpoint.state.data(), checkpoint.state.size());
  std::string text =
      fmt::format("{}\n{}\n", format_name, json_text(to_json(checkpoint, sha256(state))));
  text += state;
  write_whole_file(checkpoint_file(folder), text);
  sync_folder(folder);
}

std::optional<Checkpoint> read_checkpoint(const std::string& folder) {
  const std::string file = checkpoint_file(folder);
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  try {
    return parse(in, file);
  } catch (const Json::exception&) {
    damaged(file);
  }
}

void check_same_origin(const Origin& saved, const Origin& now, const std::string& file) {
  if (saved.version != now.version) {
    refuse(file, fmt::format("Mixwell was {} and is {}", saved.version, now.version));
  }
  if (saved.name != now.name) {
    refuse(file, fmt::format("it is of the run `{}`, not of `{}`", saved.name, now.name));
  }
  if (saved.manifest != now.manifest) {
    refuse(file, "the manifest is another: " + differing_line(saved.manifest, now.manifest));
  }
  for (std::size_t k = 0; k < std::max(saved.files.size(), now.files.size()); ++k) {
    if (k >= now.files.size()) refuse(file, saved.files[k].first + " is no longer used");
    if (k >= saved.files.size()) refuse(file, now.files[k].first + " was not used");
    if (saved.files[k].second == now.files[k].second) continue;
    refuse(file,
           fmt::format("{} has other contents than {} had", now.files[k].first,
                       saved.files[k].first == now.files[k].first ? "it" : saved.files[k].first));
  }
}

}  // namespace mixwell
