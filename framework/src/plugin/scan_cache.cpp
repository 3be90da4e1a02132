// What scans of libraries found, remembered over processes in the user's cache folder.
// SPDX-License-Identifier: Apache-2.0
#include "plugin/scan_cache.hpp"

#include "files/input_descriptor.hpp"
#include "files/json.hpp"
#include "files/own_library.hpp"
#include "files/sealed_text.hpp"
#include "files/sha256.hpp"
#include "files/user_folder.hpp"
#include "files/whole_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace mixwell {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Builds side by side have files of their own.
std::string file_in(const std::string& folder) {
  return folder.empty() ? "" : folder + "/scan-" + sha256(own_library()).substr(0, 16);
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return fmt::format("{} {}.{:09} {}", found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec,
                     found.st_ino);
}

ScanCache::ScanCache() : file_(file_in(user_folder("XDG_CACHE_HOME", ".cache"))) {
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

void ScanCache::read() {
  if (!why_no_file(file_).empty()) return;
  std::ifstream in(file_, std::ios::binary);
  const std::string sealed{std::istreambuf_iterator<char>(in), {}};
  const auto text = unsealed_text(sealed);
  if (!text) return;
  const Json json = parse_json(std::string(*text));
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
  fs::create_directories(fs::path(file_).parent_path());
  const std::string own = fmt::format("{}.{}", file_, ::getpid());
  write_whole_file(own, sealed_text(json_text(json)));
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
