// What a cell is: SHA-256 over everything its results depend on.
// SPDX-License-Identifier: Apache-2.0
#include "study/content_hash.hpp"

#include "files/json.hpp"
#include "files/own_library.hpp"
#include "files/sha256.hpp"
#include "manifest/text.hpp"
#include "plugin/abi_tag.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>
#include <sys/stat.h>
#include <toml++/toml.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

namespace mixwell::study {
namespace {

using Json = nlohmann::ordered_json;

const char* const ignored_keys[] = {"run.checkpoint_seconds"};

bool counts(const std::string& key) {
  for (const char* const ignored : ignored_keys) {
    if (key == ignored) return false;
  }
  return true;
}

/// Sorted lines of a manifest.
struct HashedLines {
  std::string text;
  std::size_t seed_from = 0, seed_to = 0;  ///< the value of run.seed

  void append(const std::string& key, const std::string& value) {
    text += key + " = " + value;
    if (key == "run.seed") {
      seed_to = text.size();
      seed_from = seed_to - value.size();
    }
    text += "\n";
  }
};

void append_lines(const toml::table& table, const std::string& prefix, int depth,
                  HashedLines& lines) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (depth > 0 && node.is_table()) {
      append_lines(*node.as_table(), name + ".", name == "run" ? 0 : depth - 1, lines);
    } else if (counts(name)) {
      lines.append(name, value_text(node));
    }
  }
}

HashedLines lines_of(const toml::table& manifest) {
  HashedLines lines;
  append_lines(manifest, "", 2, lines);
  return lines;
}

/// Names of files in a manifest say where they are; their contents are what counts.
void hide(toml::node& node, const std::set<std::string>& names) {
  if (toml::table* const table = node.as_table()) {
    for (auto&& [key, one] : *table) hide(one, names);
  } else if (toml::array* const list = node.as_array()) {
    for (toml::node& one : *list) hide(one, names);
  } else if (auto* const text = node.as_string(); text != nullptr && names.contains(**text)) {
    *text = "data";
  }
}

/// The normalised manifest of a plan, whose files are hidden.
SeededText normalised_of(const CellPlan& plan) {
  std::set<std::string> names;
  for (const DataFile& file : plan.files) names.insert({file.named, file.path});
  toml::table manifest = toml::parse(plan.manifest);
  hide(manifest, names);
  const HashedLines lines = lines_of(manifest);
  return {lines.text, lines.seed_from, lines.seed_to};
}

}  // namespace

FileHashes::Known FileHashes::stamp(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) {
    throw InputError({path, 0, 0}, std::string("cannot be read: ") + std::strerror(errno));
  }
  return {
      found.st_size, found.st_mtim.tv_sec * std::int64_t{1000000000} + found.st_mtim.tv_nsec, {}};
}

std::string FileHashes::of(const std::string& path) {
  const auto earlier = known_.find(path);
  if (earlier != known_.end()) return earlier->second.sha256;
  Known now = stamp(path);
  const std::string key = fmt::format("file {} {} {}", now.size, now.changed_ns, path);
  if (remembered_ != nullptr) now.sha256 = remembered_->text(key);
  if (now.sha256.empty()) {
    now.sha256 = file_sha256(path);
    if (remembered_ != nullptr) remembered_->know(key, now.sha256);
  }
  return known_.emplace(path, std::move(now)).first->second.sha256;
}

std::vector<std::string> FileHashes::changed() const {
  std::vector<std::string> paths;
  for (const auto& [path, known] : known_) {
    Known now;
    try {
      now = stamp(path);
    } catch (const InputError&) {  // gone
    }
    if (now.size != known.size || now.changed_ns != known.changed_ns) paths.push_back(path);
  }
  return paths;
}

std::string framework_hash(FileHashes& hashes) {
  static const char inside = 0;
  return sha256(hashes.of(own_library()) + hashes.of(library_of(&inside)));
}

std::string normalised(const std::string& effective_manifest) {
  return lines_of(toml::parse(effective_manifest)).text;
}

SeededText seeded(const std::string& effective_manifest) {
  const toml::table parsed = toml::parse(effective_manifest);
  const toml::source_region& seed = parsed["run"]["seed"].node()->source();
  std::size_t line = 0;
  for (auto k = seed.begin.line; k > 1; --k) line = effective_manifest.find('\n', line) + 1;
  return {effective_manifest, line + seed.begin.column - 1, line + seed.end.column - 1};
}

Ingredients::Ingredients(const CellPlan& plan, FileHashes& hashes, bool by_hash)
    : manifest_(seeded(plan.manifest)), normalised_(normalised_of(plan)) {
  const std::string framework = by_hash ? framework_hash(hashes) : build_tag();
  Json plugins = Json::object(), files = Json::object();
  for (const std::string& path : plan.libraries)
    plugins[std::filesystem::path(path).filename().string()] = hashes.of(path);
  others_ = framework + "\n" + json_text(plugins) + "\n";
  for (const DataFile& file : plan.files) {
    files[file.path] = hashes.of(file.path);
    others_ += hashes.of(file.path) + "\n";
  }
  others_ += "\n";
  const Json others = {{"mixwell", framework}, {"plugins", plugins}, {"files", files}};
  other_ingredients_ = json_text(others).substr(1);
}

Identity Ingredients::with_seed(std::int64_t seed) const {
  const std::string manifest = normalised_.with(seed);
  return {sha256("mixwell cell 1\n" + manifest + "\n" + others_),
          fmt::format(R"({{"manifest":"{}",{})", sha256(manifest), other_ingredients_)};
}

}  // namespace mixwell::study
