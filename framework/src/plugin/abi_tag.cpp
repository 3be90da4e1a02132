// Reads the ABI tag of a library without loading the library.
// SPDX-License-Identifier: Apache-2.0
#include "plugin/abi_tag.hpp"

#include "base/split.hpp"
#include "files/reading.hpp"
#include "system/system.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/registry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace mixwell {
namespace {

/// The section of a plugin's file that holds the tag, or nothing.
std::string tag_section(const std::string& path) {
  if (const std::string why = why_no_file(path); !why.empty())
    throw InputError(path + ": this file cannot be read: " + why +
                     ". Check the path and the permissions");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw InputError(path + ": this file cannot be read. Check the path and the permissions");
  try {
    return section_of_library(file, MIXWELL_ABI_SECTION_);
  } catch (const std::runtime_error& fault) {
    throw InputError(fmt::format(
        "{}: this file is not a library: {}. Build the plugin again, or remove this file", path,
        fault.what()));
  }
}

/// "a=1;b=2;" as a map.
std::map<std::string, std::string> fields_of(std::string_view tag) {
  std::map<std::string, std::string> fields;
  for (const std::string_view pair : split(tag, ';')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.empty()) continue;
    fields.emplace(pair.substr(0, equals), pair.substr(std::min(equals + 1, pair.size())));
  }
  return fields;
}

/// The fields that differ, with the wanted and the found value. Empty if the tags are equal.
std::string abi_difference(const std::string& wanted, const std::string& found) {
  constexpr const char* absent = "not set";
  std::map<std::string, std::pair<std::string, std::string>> all;
  for (const auto& [name, value] : fields_of(wanted)) all[name] = {value, absent};
  for (const auto& [name, value] : fields_of(found))
    all.try_emplace(name, absent, absent).first->second.second = value;
  std::vector<std::string> differences;
  for (const auto& [name, values] : all) {
    if (values.first == values.second) continue;
    differences.push_back(
        fmt::format("{} must be {}, but is {}", name, values.first, values.second));
  }
  return fmt::format("{}", fmt::join(differences, "; "));
}

}  // namespace

std::string instruction_set_in(const std::string& build_tag) {
  const auto fields = fields_of(build_tag);
  const auto found = fields.find("isa");
  return found == fields.end() ? "" : found->second;
}

std::string host_abi_tag() { return MIXWELL_ABI_TAG; }

std::string read_abi_tag(const std::string& path) {
  const std::string section = tag_section(path);
  const std::size_t end = section.find('\0');
  if (end == 0 || end == std::string::npos) {
    throw InputError(path +
                     ": this file is not a Mixwell plugin, because it has no ABI tag. End the "
                     "plugin's source with MIXWELL_PLUGIN(registrar) { ... }");
  }
  return section.substr(0, end);
}

void check_abi_tag(const std::string& path) {
  const std::string difference = abi_difference(host_abi_tag(), read_abi_tag(path));
  if (difference.empty()) return;
  throw InputError(path + ": this plugin was built for a different build of Mixwell: " +
                   difference + ". Rebuild it with mixwell_add_plugin() against this installation");
}

}  // namespace mixwell
