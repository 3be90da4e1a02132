// Finds, checks and loads plugins.
// SPDX-License-Identifier: Apache-2.0
#include "base/removed_names.hpp"
#include "base/shortened.hpp"
#include "files/file_finder.hpp"
#include "files/own_files.hpp"
#include "plugin/abi_tag.hpp"
#include "plugin/library.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/registry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace mixwell {
namespace {

namespace fs = std::filesystem;

bool before(const Entry& a, const Entry& b) {
  return std::tie(a.kind, a.description.id) < std::tie(b.kind, b.description.id);
}

std::vector<std::string> libraries_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    if (file.path().extension() == ".so") paths.push_back(file.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void check_folder(const std::string& folder) {
  if (fs::is_directory(folder)) return;
  throw InputError("plugin folder " + folder +
                   ": this folder does not exist. Correct MIXWELL_PLUGIN_PATH, which must name "
                   "existing folders, separated by \":\"");
}

/// The folder beside libmixwell. Its plugins were built and tested with libmixwell.
std::string own_folder() { return fs::path(own_library()).parent_path() / "mixwell" / "plugins"; }

/// The end of a message about a missing component: the libraries that could not be loaded. One of
/// them may offer the component.
std::string broken_text(const std::vector<BrokenLibrary>& broken) {
  if (broken.empty()) return "";
  std::string text =
      fmt::format(". {} could not be loaded, and may contain this component:",
                  broken.size() == 1 ? "1 library" : fmt::format("{} libraries", broken.size()));
  for (const BrokenLibrary& library : broken) text += "\n  " + library.reason;
  return text;
}

}  // namespace

Registry Registry::load(const std::vector<std::string>& folders) {
  Registry registry;
  std::set<fs::path> seen;
  for (const std::string& folder : folders) {
    check_folder(folder);
    if (!seen.insert(fs::canonical(folder)).second) continue;
    const bool is_own = fs::weakly_canonical(own_folder()) == fs::canonical(folder);
    for (const std::string& path : libraries_in(folder)) registry.load_library(path, is_own);
  }
  return registry;
}

std::vector<std::string> Registry::default_folders() {
  std::vector<std::string> folders = folders_in("MIXWELL_PLUGIN_PATH");
  folders.insert(folders.begin(), own_folder());
  return folders;
}

void Registry::load_library(const std::string& path, bool is_own) {
  try {
    if (!is_own) try_to_load(path);
    add_library(path);
  } catch (const std::exception& fault) {
    broken_.push_back({path, fault.what()});
  }
}

void Registry::add_library(const std::string& path) {
  check_abi_tag(path);
  Registry grown = *this;
  for (Entry& entry : registered_by(path)) grown.add(std::move(entry));
  *this = std::move(grown);
}

void Registry::ProgramRegistrar::add(Entry entry) {
  entry.library = library_of(code_);
  registry_.add(std::move(entry));
}

void Registry::add(Entry entry) {
  try {
    check_entry(entry);
  } catch (const std::exception& fault) {
    throw InputError(fmt::format("{}: {}", entry.library, fault.what()));
  }
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), entry, before);
  if (place != entries_.end() && !before(entry, *place)) {
    throw InputError(
        fmt::format("{}: {} is already offered by {}. Remove one of the two files, or give one of "
                    "the components a different id",
                    entry.library, label(entry.kind, entry.description.id), place->library));
  }
  entries_.insert(place, std::move(entry));
}

const Entry& Registry::find(Kind kind, const std::string& id) const {
  for (const Entry& entry : entries_) {
    if (entry.kind == kind && entry.description.id == id) return entry;
  }
  throw InputError("no " + label(kind, shortened(id)) +
                   suggestion_for(fmt::format("{}/{}", to_string(kind), id), id, ids(kind)) +
                   broken_text(broken_));
}

bool Registry::has(Kind kind, const std::string& id) const noexcept {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.kind == kind && entry.description.id == id;
  });
}

std::vector<std::string> Registry::ids(Kind kind) const {
  std::vector<std::string> found;
  for (const Entry& entry : entries_) {
    if (entry.kind == kind) found.push_back(entry.description.id);
  }
  return found;
}

}  // namespace mixwell
