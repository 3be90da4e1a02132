// The C interface: components at hand, and what is known of them.
// SPDX-License-Identifier: Apache-2.0
#include "c_interface/answer.hpp"
#include "c_interface/handles.hpp"
#include "files/json.hpp"
#include "manifest/manifest_arguments.hpp"
#include "plugin/abi_tag.hpp"
#include "plugin/plugin_json.hpp"

#include <mixwell/version.hpp>

#include <nlohmann/json.hpp>

using mixwell::answer;
using mixwell::handed_out;

const char* mixwell_version() { return MIXWELL_VERSION; }

const char* mixwell_abi() {
  static const std::string tag = mixwell::host_abi_tag();
  return tag.c_str();
}

int mixwell_registry_new(mixwell_registry** registry) {
  return answer([&] { *registry = new mixwell_registry{mixwell::load_registry()}; });
}

void mixwell_registry_free(mixwell_registry* registry) { delete registry; }

int mixwell_registry_add(mixwell_registry* registry, const char* path) {
  return answer([&] { registry->all.add_library(path); });
}

int mixwell_plugins(const mixwell_registry* registry, char** json) {
  return answer([&] {
    nlohmann::ordered_json all = mixwell::list_json(registry->all, registry->all.entries());
    all["plugins"] = nlohmann::ordered_json::array();
    for (const mixwell::Entry& entry : registry->all.entries())
      all["plugins"].push_back(mixwell::entry_json(entry));
    *json = handed_out(mixwell::json_text(all));
  });
}

int mixwell_schema(const mixwell_registry* registry, char** json) {
  return answer([&] { *json = handed_out(mixwell::manifest_schema(registry->all)); });
}
