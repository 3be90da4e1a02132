// Finding, checking and loading plugins.
// SPDX-License-Identifier: Apache-2.0
#define BOOST_DLL_USE_STD_FS
#include "files/own_library.hpp"
#include "plugin/abi_tag.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/registry.hpp>

#include <boost/dll/shared_library.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace mixwell {
namespace {

namespace fs = std::filesystem;
using RegisterFunction = void(Registrar&);

/// Keeps what one library offers apart until all of it is known to be sound.
class Collector final : public Registrar {
 public:
  explicit Collector(std::string library) : library_(std::move(library)) {}

  void add(Entry entry) override {
    entry.library = library_;
    entries.push_back(std::move(entry));
  }

  std::vector<Entry> entries;

 private:
  std::string library_;
};

std::string label(Kind kind, const std::string& id) {
  return fmt::format("{} \"{}\"", to_string(kind), id);
}

/// Handles of all libraries ever loaded. Never destroyed: components and exceptions of a plugin may
/// outlive everything else.
std::vector<boost::dll::shared_library>& loaded_libraries() {
  static auto& libraries = *new std::vector<boost::dll::shared_library>;
  return libraries;
}

void check_tag(const std::string& path) {
  const std::string difference = abi_difference(host_abi_tag(), read_abi_tag(path));
  if (difference.empty()) return;
  throw InputError(path + ": built unlike this Mixwell: " + difference +
                   "; rebuild it with mixwell_add_plugin() against this installation");
}

void check_entry_symbol(const std::string& path) {
  if (exports_symbol(path, "mixwell_register")) return;
  throw InputError(path +
                   ": not a Mixwell plugin: it has no symbol mixwell_register (a plugin's source "
                   "ends in MIXWELL_PLUGIN(registrar) { ... })");
}

boost::dll::shared_library open_library(const std::string& path) {
  try {
    return boost::dll::shared_library(fs::absolute(path), boost::dll::load_mode::rtld_now);
  } catch (const std::exception& fault) {
    throw InputError(path + ": cannot be loaded: " + fault.what());
  }
}

std::vector<Entry> registered_by(const std::string& path) {
  loaded_libraries().push_back(open_library(path));
  Collector collector(path);
  try {
    loaded_libraries().back().get<RegisterFunction>("mixwell_register")(collector);
  } catch (const std::exception& fault) {
    throw InputError(path + ": failed while registering: " + fault.what());
  } catch (...) {
    throw InputError(path + ": failed while registering with an exception of an unknown type");
  }
  if (collector.entries.empty()) throw InputError(path + ": registers no component");
  return std::move(collector.entries);
}

bool is_kebab_case(const std::string& id) {
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !id.empty() && id.front() != '-' && std::all_of(id.begin(), id.end(), fine);
}

/// Makes a blueprint once: its declaration must hold before anybody relies on it.
void check_declaration(const Entry& entry) {
  std::set<std::string> keys = {"use"};
  const auto blueprint = entry.blueprint();
  for (const Field& field : blueprint->fields().all()) {
    if (keys.insert(field.key()).second) continue;
    throw InputError(fmt::format("{} declares the key \"{}\" twice",
                                 label(entry.kind, entry.description.id), field.key()));
  }
}

void check_entry(const Entry& entry) {
  const std::string& id = entry.description.id;
  if (!is_kebab_case(id)) {
    throw InputError(fmt::format("the id \"{}\" is not in kebab-case (a-z, 0-9, -)", id));
  }
  if (!entry.blueprint) throw InputError(label(entry.kind, id) + " has no blueprint");
  check_declaration(entry);
}

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
                   ": no such folder; name folders that exist in MIXWELL_PLUGIN_PATH, separated "
                   "by \":\"");
}

void append_path_list(std::vector<std::string>& folders, const char* list) {
  std::string_view rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (!folder.empty()) folders.emplace_back(folder);
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
}

}  // namespace

Registry Registry::load(const std::vector<std::string>& folders) {
  Registry registry;
  std::set<fs::path> seen;
  for (const std::string& folder : folders) {
    check_folder(folder);
    if (!seen.insert(fs::canonical(folder)).second) continue;
    for (const std::string& path : libraries_in(folder)) registry.load_library(path);
  }
  return registry;
}

std::vector<std::string> Registry::default_folders() {
  const fs::path library = own_library();
  std::vector<std::string> folders = {library.parent_path() / "mixwell" / "plugins"};
  append_path_list(folders, std::getenv("MIXWELL_PLUGIN_PATH"));
  return folders;
}

void Registry::load_library(const std::string& path) {
  try {
    check_tag(path);
    check_entry_symbol(path);
    Registry grown = *this;
    for (Entry& entry : registered_by(path)) grown.add(std::move(entry));
    *this = std::move(grown);
  } catch (const std::exception& fault) {
    broken_.push_back({path, fault.what()});
  }
}

void Registry::add(Entry entry) {
  try {
    check_entry(entry);
  } catch (const std::exception& fault) {
    throw InputError(fmt::format("{}: {}", entry.library, fault.what()));
  }
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), entry, before);
  if (place != entries_.end() && !before(entry, *place)) {
    throw InputError(fmt::format("{}: {} is already offered by {}; remove one of the two files",
                                 entry.library, label(entry.kind, entry.description.id),
                                 place->library));
  }
  entries_.insert(place, std::move(entry));
}

const Entry& Registry::find(Kind kind, const std::string& id) const {
  for (const Entry& entry : entries_) {
    if (entry.kind == kind && entry.description.id == id) return entry;
  }
  std::string message = "no " + label(kind, id) + suggestion(id, ids(kind));
  if (!broken_.empty()) {
    message += fmt::format(
        "; {} could not be used, see `mixwell plugins`",
        broken_.size() == 1 ? "1 library" : fmt::format("{} libraries", broken_.size()));
  }
  throw InputError(message);
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
