// Generates the JSON schema (draft 2020-12) for manifests from the declarations of all plugins.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"
#include "manifest/effective.hpp"
#include "manifest/manifest_dims.hpp"
#include "manifest/run_settings.hpp"

#include <mixwell/lab/manifest.hpp>

#include <nlohmann/json.hpp>

#include <cmath>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

/// A finite bound as "minimum", "exclusiveMaximum", ...
void add_bound(Json& schema, double bound, bool open, const char* inclusive,
               const char* exclusive) {
  if (std::isfinite(bound)) schema[open ? exclusive : inclusive] = bound;
}

Json scalar(const Field& field, const char* type) {
  Json schema = {{"type", type}};
  add_bound(schema, field.low(), field.low_is_open(), "minimum", "exclusiveMinimum");
  add_bound(schema, field.high(), field.high_is_open(), "maximum", "exclusiveMaximum");
  return schema;
}

Json text(const Field& field) {
  if (field.is_free_text()) return {{"type", {"string", "integer"}}};
  Json schema = {{"type", "string"}};
  if (!field.choices().empty() && !field.is_file()) schema["enum"] = field.choices();
  return schema;
}

Json list(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

Json pair(Json items) {
  Json schema = list(std::move(items));
  schema["minItems"] = 2;
  schema["maxItems"] = 2;
  return schema;
}

Json table_of(Json values) {
  return {{"type", "object"}, {"additionalProperties", std::move(values)}};
}

Json properties_of(const Fields& fields);

/// Adds the keys of required fields to `required`. Leaves out references, because Mixwell can find
/// the component without the key.
Json with_required(const Fields& fields, Json required) {
  for (const Field& field : fields.all()) {
    const bool is_reference = std::holds_alternative<ComponentReference>(field.target());
    if (field.is_required() && !is_reference) required.push_back(field.key());
  }
  return required;
}

/// The schema of a field's type, with the current value of the field as the default.
class TypeSchema {
 public:
  explicit TypeSchema(const Field& field) : field_(field) {}

  template <class T>
  Json operator()(T* v) const {
    return with_default(of(*v), *v);
  }
  template <class T>
  Json operator()(std::optional<T>* v) const {
    return with_default(of(T{}), *v ? Json(**v) : Json());
  }
  Json operator()(NamedPoints*) const {
    return table_of(table_of({{"type", {"number", "string"}}}));
  }
  Json operator()(NamedTexts*) const { return table_of(list({{"type", "string"}})); }
  Json operator()(const TableList& tables) const {
    Fields fields;
    tables.append(fields);
    Json item = {{"type", "object"},
                 {"properties", properties_of(fields)},
                 {"required", with_required(fields, Json::array())},
                 {"additionalProperties", false}};
    return {{"type", "array"}, {"items", std::move(item)}, {"minItems", 1}};
  }
  Json operator()(const ComponentReference& reference) const {
    if (!reference.many) return {{"type", "string"}};
    return {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}};
  }

 private:
  Json of(double) const { return scalar(field_, "number"); }
  Json of(std::int64_t) const { return scalar(field_, "integer"); }
  Json of(bool) const { return {{"type", "boolean"}}; }
  Json of(const std::string&) const { return text(field_); }
  Json of(const std::vector<std::string>&) const { return list(text(field_)); }
  Json of(const Interval&) const { return pair(scalar(field_, "number")); }
  Json of(const std::vector<double>& numbers) const {
    Json schema = list(scalar(field_, "number"));
    if (field_.is_required() || !numbers.empty()) schema["minItems"] = 1;
    return schema;
  }

  Json with_default(Json schema, const Json& value) const {
    if (!field_.is_required() && !value.is_null()) schema["default"] = value;
    return schema;
  }

  const Field& field_;
};

std::string described(const Field& field) {
  const auto* const reference = std::get_if<ComponentReference>(&field.target());
  const std::string comment = comment_for(field);
  if (reference == nullptr) return comment;
  return comment + (comment.empty() ? "" : "; ") + "name of " + one_of_kind(reference->kind) +
         " of this manifest";
}

Json schema_of(const Field& field) {
  Json schema = std::visit(TypeSchema(field), field.target());
  const std::string description = described(field);
  if (!description.empty()) schema["description"] = description;
  return schema;
}

Json properties_of(const Fields& fields) {
  Json properties = Json::object();
  for (const Field& field : fields.all()) properties[field.key()] = schema_of(field);
  return properties;
}

/// Pairs of keys that a manifest may not give together.
Json exclusions_of(const Fields& fields) {
  Json rules = Json::array();
  for (const Field& field : fields.all()) {
    if (field.replaced().empty()) continue;
    rules.push_back({{"not", {{"required", Json::array({field.replaced(), field.key()})}}}});
  }
  return rules;
}

/// If use = id, then exactly these keys are allowed.
Json rule_for(const Entry& entry) {
  const auto blueprint = entry.blueprint();
  const Fields& fields = blueprint->fields();
  Json then = {{"description", entry.description.summary},
               {"properties", properties_of(fields)},
               {"required", with_required(fields, Json::array({"use"}))},
               {"additionalProperties", false}};
  if (entry.kind == Kind::model) {
    ManifestDims dims;
    for (const Field& field : dims.fields()) then["properties"][field.key()] = schema_of(field);
  }
  const Json exclusions = exclusions_of(fields);
  if (!exclusions.empty()) then["allOf"] = exclusions;
  then["properties"]["use"] = {{"const", entry.description.id},
                               {"description", entry.description.summary}};
  return {{"if",
           {{"properties", {{"use", {{"const", entry.description.id}}}}},
            {"required", Json::array({"use"})}}},
          {"then", std::move(then)}};
}

Json component(const Registry& registry, Kind kind) {
  Json schema = {{"type", "object"},
                 {"required", Json::array({"use"})},
                 {"properties", {{"use", {{"type", "string"}, {"enum", registry.ids(kind)}}}}}};
  Json rules = Json::array();
  for (const Entry& entry : registry.entries()) {
    if (entry.kind == kind) rules.push_back(rule_for(entry));
  }
  if (!rules.empty()) schema["allOf"] = std::move(rules);
  return schema;
}

/// A table with exactly one key.
Json single(const char* key, Json value) {
  return {{"type", "object"},
          {"properties", {{key, std::move(value)}}},
          {"required", Json::array({key})},
          {"additionalProperties", false}};
}

Json init_schema() {
  return {
      {"description", init_help},
      {"default", "model"},
      {"oneOf",
       {{{"enum", {"model", "exact", "prior"}}},
        single("uniform", {{"type", "number"}, {"exclusiveMinimum", 0.0}}),
        single("file", {{"type", "string"}, {"minLength", 1}}),
        single("file", {{"type", "array"},
                        {"items", {{"type", "string"}, {"minLength", 1}}},
                        {"minItems", 1}}),
        single("value", {{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 1}})}}};
}

Json run_schema() {
  RunSettings settings;
  Json properties = properties_of(run_fields(settings));
  properties["block_width"]["multipleOf"] = 8;
  properties["init"] = init_schema();
  return {{"type", "object"},
          {"description",
           "settings of the run, such as its length and the starting points of its chains"},
          {"properties", std::move(properties)},
          {"additionalProperties", false}};
}

}  // namespace

std::string manifest_schema(const Registry& registry) {
  Json properties = {{"mixwell", {{"const", 1}, {"description", "format version of the manifest"}}},
                     {"run", run_schema()}};
  for (const Kind kind : all_kinds) {
    const std::string name(to_string(kind));
    properties[name] = table_of(component(registry, kind));
    properties[name]["propertyNames"] = {{"pattern", "^[A-Za-z0-9_-]+$"}};
  }
  const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"title", "Mixwell manifest"},
                       {"type", "object"},
                       {"required", Json::array({"mixwell"})},
                       {"properties", std::move(properties)},
                       {"additionalProperties", false}};
  return json_text(schema, 2) + "\n";
}

}  // namespace mixwell
