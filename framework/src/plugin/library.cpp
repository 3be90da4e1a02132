// Loads the code of a library, and collects the components that the library registers.
// SPDX-License-Identifier: Apache-2.0
#include "plugin/library.hpp"

#define BOOST_DLL_USE_STD_FS
#include <mixwell/base/error.hpp>

#include <boost/dll/shared_library.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace mixwell {
namespace {

namespace fs = std::filesystem;
using RegisterFunction = void(Registrar&);
constexpr const char* entry_symbol = "mixwell_register";

/// Collects the components that one library registers.
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

/// Handles of all libraries ever loaded. Never destroyed, because components and exceptions of a
/// plugin may outlive everything else.
std::vector<boost::dll::shared_library>& loaded_libraries() {
  static auto& libraries = *new std::vector<boost::dll::shared_library>;
  return libraries;
}

boost::dll::shared_library open_library(const std::string& path) {
  try {
    return boost::dll::shared_library(fs::absolute(path), boost::dll::load_mode::rtld_now);
  } catch (const std::exception& fault) {
    throw InputError(path + ": cannot be loaded: " + fault.what() +
                     ". Rebuild the plugin, and install the libraries that it needs");
  }
}

bool is_kebab_case(const std::string& id) {
  const auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !id.empty() && id.front() != '-' && std::all_of(id.begin(), id.end(), fine);
}

void check_declaration(const Entry& entry) {
  std::set<std::string> keys = {"use"};
  const auto blueprint = entry.blueprint();
  for (const Field& field : blueprint->fields().all()) {
    if (keys.insert(field.key()).second) continue;
    throw InputError(
        fmt::format("{} declares the key \"{}\" twice. Remove one of the two declarations",
                    label(entry.kind, entry.description.id), field.key()));
  }
}

}  // namespace

Blueprint::~Blueprint() = default;
Registrar::~Registrar() = default;

void Registrar::add(Kind kind, const Description& description,
                    std::unique_ptr<Blueprint> (*blueprint)(), const Traits* declared) {
  Entry entry;
  entry.kind = kind;
  entry.description = description;
  entry.blueprint = blueprint;
  if (declared != nullptr) entry.traits = describe(*declared);
  add(std::move(entry));
}

std::shared_ptr<Component> detail::owned(Component* made) {
  return std::shared_ptr<Component>(made);
}

std::string label(Kind kind, const std::string& id) {
  return fmt::format("{} \"{}\"", to_string(kind), id);
}

std::vector<Entry> registered_by(const std::string& path) {
  const boost::dll::shared_library& library = loaded_libraries().emplace_back(open_library(path));
  if (!library.has(entry_symbol))
    throw InputError(
        fmt::format("{}: this file is not a Mixwell plugin, because it has no symbol {}. End the "
                    "plugin's source with MIXWELL_PLUGIN(registrar) {{ ... }}",
                    path, entry_symbol));
  Collector collector(path);
  try {
    library.get<RegisterFunction>(entry_symbol)(collector);
  } catch (const std::exception& fault) {
    throw InputError(path + ": this plugin failed to register its components: " + fault.what() +
                     ". Correct the plugin, or remove it");
  } catch (...) {
    throw InputError(
        path +
        ": this plugin failed to register its components. It threw an exception of an "
        "unknown type, so there is no error message. Correct the plugin, or remove it");
  }
  if (collector.entries.empty())
    throw InputError(path +
                     ": this plugin registers no component. Register one, or remove the file");
  return std::move(collector.entries);
}

void check_entry(const Entry& entry) {
  const std::string& id = entry.description.id;
  if (!is_kebab_case(id)) {
    throw InputError(
        fmt::format("the id \"{}\" is not in kebab-case. Use only a-z, 0-9 and -", id));
  }
  if (!entry.blueprint)
    throw InputError(label(entry.kind, id) +
                     " has no Entry::blueprint. Set it, or register the component with "
                     "registrar.add<T>(description)");
  check_declaration(entry);
}

}  // namespace mixwell
