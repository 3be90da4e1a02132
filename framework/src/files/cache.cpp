// The user's cache of files and folders that take a long time to make.
// SPDX-License-Identifier: Apache-2.0
#include "files/own_files.hpp"
#include "files/sha256.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/files/files.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

namespace mixwell {
namespace {

namespace fs = std::filesystem;

/// A temporary name. The destructor removes the file or folder with this name, if it still exists.
class Scratch {
 public:
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

std::string folder_of(std::string_view kind) {
  const std::string base = user_folder("XDG_CACHE_HOME", ".cache");
  if (base.empty())
    throw RunError(
        "no folder for the cache is known, because neither XDG_CACHE_HOME nor HOME is an absolute "
        "path. Set one of the two");
  const std::string folder = fmt::format("{}/{}", base, kind);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw RunError(
        fmt::format("{}: the folder for the cache cannot be created: {}. Set XDG_CACHE_HOME to a "
                    "writable folder",
                    folder, error.message()));
  return folder;
}

}  // namespace

std::string cached(std::string_view kind, std::string_view ingredients, std::string_view suffix,
                   const std::function<void(const std::string& path)>& make) {
  const std::string path = fmt::format("{}/{}{}", folder_of(kind), sha256(ingredients), suffix);
  std::error_code error;
  if (fs::exists(path, error)) return path;
  static std::atomic<int> count{0};
  const Scratch scratch(fmt::format("{}.{}-{}{}", path, ::getpid(), count++, suffix));
  make(scratch.path());
  fs::rename(scratch.path(), path, error);
  std::error_code ignored;
  if (error && fs::exists(path, ignored)) return path;  // another process has made this folder
  if (error)
    throw RunError(
        fmt::format("{}: a new entry of the cache cannot be renamed to this path: {}. Check the "
                    "folder and its permissions",
                    path, error.message()));
  return path;
}

}  // namespace mixwell
