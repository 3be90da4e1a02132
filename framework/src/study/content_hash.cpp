// What a cell is: SHA-256 over everything its results depend on.
// SPDX-License-Identifier: Apache-2.0
#include "study/content_hash.hpp"

#include "component/toml_text.hpp"
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

void append_lines(const toml::table& table, const std::string& prefix, int depth,
                  std::string& text) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (depth > 0 && node.is_table()) {
      append_lines(*node.as_table(), name + ".", name == "run" ? 0 : depth - 1, text);
    } else if (counts(name)) {
      text += name + " = " + value_text(node) + "\n";
    }
  }
}

/// Names of files in a manifest say where they are; their contents are what counts.
std::string without_places(std::string manifest, const std::vector<DataFile>& files) {
  for (const DataFile& file : files) {
    for (const std::string& name : {file.named, file.path}) {
      const std::string quoted = toml_text(name);
      for (std::size_t at = manifest.find(quoted); at != std::string::npos;
           at = manifest.find(quoted, at + 1)) {
        manifest.replace(at, quoted.size(), "\"data\"");
      }
    }
  }
  return manifest;
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
  if (ledger_ != nullptr) now.sha256 = ledger_->known_hash(path, now.size, now.changed_ns);
  if (now.sha256.empty()) {
    now.sha256 = file_sha256(path);
    if (ledger_ != nullptr) ledger_->know_hash(path, now.size, now.changed_ns, now.sha256);
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
  std::string text;
  append_lines(toml::parse(effective_manifest), "", 2, text);
  return text;
}

Ingredients::Ingredients(const CellPlan& plan, FileHashes& hashes, bool by_hash) {
  const std::string manifest = without_places(normalised(plan.manifest), plan.files);
  const std::string seed = "\nrun.seed = ";
  const std::size_t from = manifest.find(seed) + seed.size();
  before_seed_ = manifest.substr(0, from);
  after_seed_ = manifest.substr(manifest.find('\n', from));
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

Identity Ingredients::with_seed(const std::string& seed) const {
  const std::string manifest = before_seed_ + seed + after_seed_;
  return {sha256("mixwell cell 1\n" + manifest + "\n" + others_),
          fmt::format(R"({{"manifest":"{}",{})", sha256(manifest), other_ingredients_)};
}

}  // namespace mixwell::study
