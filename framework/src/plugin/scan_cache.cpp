// What scans of libraries found, remembered over processes in the user's cache folder.
// SPDX-License-Identifier: Apache-2.0
#include "plugin/scan_cache.hpp"

#include "files/json.hpp"
#include "files/own_library.hpp"
#include "files/sha256.hpp"
#include "files/whole_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace mixwell {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Empty where neither variable names an absolute path, as the XDG base directories want it.
fs::path cache_folder() {
  const auto variable = [](const char* name) -> fs::path {
    const char* const value = std::getenv(name);
    return value != nullptr && value[0] == '/' ? value : "";
  };
  const fs::path caches = variable("XDG_CACHE_HOME");
  if (!caches.empty()) return caches / "mixwell";
  const fs::path home = variable("HOME");
  return home.empty() ? home : home / ".cache" / "mixwell";
}

/// Builds side by side have files of their own.
std::string file_in(const fs::path& folder) {
  return folder.empty() ? "" : folder / ("scan-" + sha256(own_library()).substr(0, 16));
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return fmt::format("{} {}.{:09} {}", found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec,
                     found.st_ino);
}

ScanCache::ScanCache() : file_(file_in(cache_folder())) {
  try {
    read();
  } catch (const std::exception&) {
    findings_.clear();
  }
}

ScanCache::~ScanCache() {
  if (!is_new_ || file_.empty()) return;
  try {
    write();
  } catch (const std::exception&) {
    return;  // the next process looks again
  }
}

/// The first line is the SHA-256 of what follows.
void ScanCache::read() {
  std::ifstream in(file_, std::ios::binary);
  std::string sum;
  if (!std::getline(in, sum)) return;
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (sha256(text) != sum) return;
  const Json json = parse_json(text);
  if (json.at("mixwell") != stamp_of(own_library())) return;
  for (const auto& [path, finding] : json.at("libraries").items())
    findings_[path] = {finding.at("stamp"), finding.at("fault")};
}

void ScanCache::write() const {
  Json json = {{"mixwell", stamp_of(own_library())}, {"libraries", Json::object()}};
  for (const auto& [path, finding] : findings_) {
    if (stamp_of(path) != finding.stamp) continue;
    json["libraries"][path] = {{"stamp", finding.stamp}, {"fault", finding.fault}};
  }
  const std::string text = lenient_json_text(json);
  fs::create_directories(fs::path(file_).parent_path());
  const std::string own = fmt::format("{}.{}", file_, ::getpid());
  write_whole_file(own, sha256(text) + "\n" + text);
  fs::rename(own, file_);
}

const std::string* ScanCache::find(const std::string& path, const FileStamp& stamp) const {
  const auto found = findings_.find(fs::absolute(path).lexically_normal());
  return found == findings_.end() || found->second.stamp != stamp ? nullptr : &found->second.fault;
}

const std::string& ScanCache::keep(const std::string& path, const FileStamp& stamp,
                                   std::string fault) {
  is_new_ = true;
  ScanVerdict& finding = findings_[fs::absolute(path).lexically_normal()];
  finding = {stamp, std::move(fault)};
  return finding.fault;
}

}  // namespace mixwell
