// Descriptions of components, as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_json.hpp"

#include <nlohmann/json.hpp>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

Json field_json(const Field& field, const std::string& key) {
  return {{"key", key},
          {"type", field.type()},
          {"unit", field.unit()},
          {"range", field.range()},
          {"required", field.is_required()},
          {"default", default_text(field)},
          {"only_with", field.condition()},
          {"help", field.help()}};
}

}  // namespace

std::string default_text(const Field& field) {
  if (field.is_required()) return "required";
  if (const auto* const reference = std::get_if<ComponentReference>(&field.target())) {
    if (reference->many) return "all components of this kind";
    if (reference->optional) return "the only component of this kind, or none";
    if (reference->fallback.empty()) return "the only component of this kind";
    const std::string learnt =
        reference->learnt.empty() ? "" : reference->learnt + " if it can adapt during warmup, or ";
    return "the only component of this kind, or " + learnt + reference->fallback;
  }
  if (!field.replaced().empty()) return "instead of " + field.replaced();
  const std::string value = field.value_text();
  return value.empty() ? "not set" : value;
}

Json list_json(const Registry& registry, const std::vector<Entry>& entries) {
  Json plugins = Json::array();
  for (const Entry& entry : entries) {
    plugins.push_back({{"id", entry.description.id},
                       {"kind", to_string(entry.kind)},
                       {"summary", entry.description.summary},
                       {"library", entry.library}});
  }
  Json broken = Json::array();
  for (const BrokenLibrary& library : registry.broken()) {
    broken.push_back({{"library", library.library}, {"reason", library.reason}});
  }
  return {{"plugins", std::move(plugins)}, {"broken", std::move(broken)}};
}

Json entry_json(const Entry& entry) {
  const auto blueprint = entry.blueprint();
  Json parameters = Json::array();
  each_field(blueprint->fields(), "", [&](const Field& field, const std::string& key) {
    parameters.push_back(field_json(field, key));
  });
  return {{"id", entry.description.id},           {"kind", to_string(entry.kind)},
          {"summary", entry.description.summary}, {"details", entry.description.details},
          {"parameters", std::move(parameters)},  {"traits", entry.traits},
          {"sources", entry.description.sources}, {"library", entry.library}};
}

}  // namespace mixwell
