// Writes and reads the checkpoint of a run, from which the run can continue.
// SPDX-License-Identifier: Apache-2.0
#include "run/checkpoint.hpp"

#include "base/utf8.hpp"
#include "files/json.hpp"
#include "files/own_files.hpp"
#include "files/reading.hpp"
#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "plugin/abi_tag.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "mixwell checkpoint 2";

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

[[noreturn]] void damaged(const std::string& file) {
  throw InputError(file +
                   ": this checkpoint is damaged or incomplete, or an earlier version of Mixwell "
                   "wrote it. Restore a copy of the checkpoint, or run the manifest again with "
                   "--force.");
}

Json to_json(const std::vector<SavedPart>& parts) {
  Json all = Json::array();
  for (const auto& [name, bytes, sha256] : parts) all.push_back({name, bytes, sha256});
  return all;
}

std::vector<SavedPart> parts_from(const Json& json) {
  std::vector<SavedPart> parts;
  for (const Json& one : json) parts.push_back({one.at(0), one.at(1), one.at(2)});
  return parts;
}

std::string header(const Checkpoint& checkpoint) {
  Json json = checkpoint.origin;
  json.update({{"created_at", checkpoint.created_at},
               {"folder", checkpoint.folder},
               {"parts", to_json(checkpoint.parts)}});
  return json_text(json) + "\n";
}

/// The text after the first line and the seal. It consists of a header and the state.
std::string_view content_of(std::string_view text, const std::string& file) {
  const std::string first = std::string(format_name) + "\n";
  if (!text.starts_with(first)) damaged(file);
  const auto content = unsealed_text(text.substr(first.size()));
  if (!content) damaged(file);
  return *content;
}

Checkpoint parse(std::string_view text, const std::string& file) {
  const std::string_view content = content_of(text, file);
  const std::size_t end = std::min(content.find('\n'), content.size());
  const Json json = parse_json(std::string(content.substr(0, end)));
  const std::string_view state = content.substr(std::min(end + 1, content.size()));
  return {json.get<Origin>(),
          json.at("created_at"),
          json.value("folder", ""),
          parts_from(json.at("parts")),
          {state.begin(), state.end()}};
}

/// The first line that differs, with the table that contains it.
std::string differing_line(const std::string& saved, const std::string& now) {
  std::istringstream a(saved);
  std::istringstream b(now);
  std::string table;
  for (std::string before, after;;) {
    const bool more_before = static_cast<bool>(std::getline(a, before));
    const bool more_after = static_cast<bool>(std::getline(b, after));
    if (!more_before) before = "nothing";
    if (!more_after) after = "nothing";
    if (before != after) return fmt::format("{} `{}` instead of `{}`", table, after, before);
    if (before.rfind('[', 0) == 0) table = before;
  }
}

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw InputError(
      fmt::format("{}: a run can continue only if nothing has changed since its start, but {}. "
                  "Undo the change, or run the manifest again with --force.",
                  file, what));
}

constexpr std::size_t most_bytes = std::size_t{1} << 20;

[[noreturn]] void refuse_part(const std::string& file, const std::string& what) {
  throw InputError(
      fmt::format("{}: {}, so the run cannot continue. Restore a copy of the original file, or run "
                  "the manifest again with --force.",
                  file, what));
}

}  // namespace

Origin origin_of(const Composition& composition) {
  Origin origin{as_utf8(composition.name), composition.effective_manifest, build_tag(), {}};
  const std::string own = own_library();
  origin.files.emplace_back("Mixwell's own binary " + base_name(own), file_sha256(own));
  for (const std::string& library : composition.libraries) {
    origin.files.emplace_back("the plugin library " + as_utf8(base_name(library)),
                              file_sha256(library));
  }
  for (const std::string& file : composition.files) {
    origin.files.emplace_back(std::string(Origin::data_file) + as_utf8(file), file_sha256(file));
  }
  return origin;
}

void to_json(Json& json, const Origin& origin) {
  json = {{"name", origin.name},
          {"version", origin.version},
          {"files", origin.files},
          {"manifest", origin.manifest}};
}

void from_json(const Json& json, Origin& origin) {
  origin = {json.at("name"), json.at("manifest"), json.at("version"), json.at("files")};
}

std::string checkpoint_file(const std::string& folder) { return folder + "/checkpoint"; }

void save_checkpoint(const std::string& folder, const Checkpoint& checkpoint) {
  std::string content = header(checkpoint);
  content.append(checkpoint.state.data(), checkpoint.state.size());
  write_whole_file(checkpoint_file(folder),
                   fmt::format("{}\n{}", format_name, sealed_text(content)));
  sync_folder(folder);
}

std::optional<Checkpoint> read_checkpoint(const std::string& folder) {
  const std::string file = checkpoint_file(folder);
  const auto found = std::filesystem::symlink_status(file);
  if (!std::filesystem::exists(found)) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  if (!std::filesystem::is_regular_file(found) || !in) damaged(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  try {
    return parse(text, file);
  } catch (const Json::exception&) {
    damaged(file);
  }
}

std::string difference(const Origin& saved, const Origin& now) {
  if (saved.version != now.version)
    return fmt::format("the version of Mixwell is {1} instead of {0}", saved.version, now.version);
  if (saved.name != now.name)
    return fmt::format("the name of the run is `{1}` instead of `{0}`", saved.name, now.name);
  if (saved.manifest != now.manifest)
    return "the manifest differs: " + differing_line(saved.manifest, now.manifest);
  for (std::size_t k = 0; k < std::max(saved.files.size(), now.files.size()); ++k) {
    if (k >= now.files.size()) return saved.files[k].first + " is no longer used";
    if (k >= saved.files.size()) return now.files[k].first + " was added";
    if (saved.files[k].second == now.files[k].second) continue;
    return fmt::format(
        "the contents of {} differ from {}", now.files[k].first,
        saved.files[k].first == now.files[k].first ? "the original" : saved.files[k].first);
  }
  return "";
}

void check_same_origin(const Origin& saved, const Origin& now, const std::string& file) {
  const std::string found = difference(saved, now);
  if (!found.empty()) refuse(file, found);
}

namespace fs = std::filesystem;

std::vector<SavedPart> PartHashes::now() {
  std::vector<SavedPart> parts;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename();
    if (name.find(".partial") == std::string::npos || name.starts_with("checkpoint")) continue;
    if (const std::string why = why_no_file(entry.path().string()); !why.empty())
      throw RunError(fmt::format("`{}` is not a file of this run: {}. Remove it from the folder.",
                                 entry.path().string(), why));
    const std::uint64_t bytes = entry.file_size();
    if (!read_up_to(name, bytes)) {
      throw RunError(fmt::format("Mixwell cannot read `{}`, which this run wrote. Check the disk.",
                                 entry.path().string()));
    }
    parts.push_back({name, bytes, hashed_[name].hash.hexadecimal()});
  }
  return parts;
}

void PartHashes::check(const std::vector<SavedPart>& parts) {
  for (const auto& [name, bytes, sha256] : parts) {
    const std::string file = folder_ + "/" + name;
    if (!fs::exists(file)) refuse_part(file, "this file is missing");
    if (const std::string why = why_no_file(file); !why.empty()) refuse_part(file, why);
    if (!read_up_to(name, bytes))
      refuse_part(file, fmt::format("this file had {} bytes, but is now shorter", bytes));
    if (hashed_[name].hash.hexadecimal() != sha256) {
      refuse_part(
          file, fmt::format("this file is damaged (the SHA-256 of its first {} bytes has changed)",
                            bytes));
    }
  }
}

bool PartHashes::have_sizes(const std::string& folder, const std::vector<SavedPart>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const SavedPart& part) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(folder + "/" + part.name, error);
    return !error && size >= part.bytes;
  });
}

bool PartHashes::read_up_to(const std::string& name, std::uint64_t bytes) {
  auto& [hash, done] = hashed_[name];
  if (done == bytes) return true;
  std::ifstream in(folder_ + "/" + name, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(done));
  std::vector<char> piece(most_bytes);
  while (in && done < bytes) {
    in.read(piece.data(),
            static_cast<std::streamsize>(std::min<std::uint64_t>(piece.size(), bytes - done)));
    const auto found = static_cast<std::size_t>(in.gcount());
    hash.add({piece.data(), found});
    done += found;
  }
  return done == bytes;
}

}  // namespace mixwell
