// Writes the JSON schema (draft 2020-12) of study files: a manifest plus a table [study].
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"

#include <mixwell/lab/study.hpp>

#include <nlohmann/json.hpp>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

Json described(const char* type, const char* description) {
  return {{"type", type}, {"description", description}};
}

Json one_of(std::vector<std::string> words, const char* description) {
  return {{"enum", std::move(words)}, {"description", description}};
}

Json above_zero(const char* description) {
  return {{"type", "number"}, {"exclusiveMinimum", 0}, {"description", description}};
}

Json at_least(const char* type, int low, const char* description) {
  return {{"type", type}, {"minimum", low}, {"description", description}};
}

Json object(Json properties, std::vector<std::string> required = {}) {
  Json schema = {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

/// [study.variant.NAME] and [study.model.NAME].
Json changes() {
  Json properties = {{"run", {{"$ref", "#/properties/run"}}}};
  for (const Kind kind : all_kinds) {
    const std::string name(to_string(kind));
    properties[name] = {{"$ref", "#/properties/" + name}};
  }
  properties["manifest"] = described(
      "string",
      "a variant's own manifest instead of study.base ({model} is replaced by the model's name)");
  properties["remove"] = {{"type", "array"}, {"items", described("string", "KIND.NAME")}};
  properties["axes"] =
      described("object", "KIND.NAME.KEY = [values], only for this model or variant");
  properties["zip"] = {{"type", "array"}, {"items", {{"type", "object"}}}};
  properties["tune"] =
      described("object", "KIND.NAME.KEY = [values] or { from, to, scale, integer }");
  properties["quick"] =
      described("object", "changes under --quick, made after the changes in [study.quick]");
  return {{"type", "object"}, {"additionalProperties", object(std::move(properties))}};
}

Json tune() {
  return object(
      {{"gradients",
        above_zero(
            "tuning budget in gradients, for each combination of variant, model and axis values")},
       {"objective", one_of({"min_ess_per_gradient", "mean_ess_per_gradient", "min_ess_per_second"},
                            "the quantity that tuning maximises")},
       {"seed",
        at_least("integer", 0,
                 "seed for drawing the candidates and for the random numbers of their trials")},
       {"candidates", at_least("integer", 2, "number of candidates in the first rung")},
       {"rungs", at_least("integer", 1, "number of rungs of successive halving")},
       {"keys", described("object", "KIND.NAME.KEY = [values] or { from, to, scale, integer }")}},
      {"gradients"});
}

Json paper() {
  return {
      {"type", "array"},
      {"items", object({{"where", {{"type", "object"}}},
                        {"metric", described("string", "name of a column in the study's table")},
                        {"value", {{"type", "number"}}},
                        {"source", {{"type", "string"}}}},
                       {"metric", "value", "source"})}};
}

Json study() {
  const Json tables = {{"type", "array"}, {"items", {{"type", "object"}}}};
  return object(
      {{"base", described("string", "the manifest that all cells start from")},
       {"seeds",
        {{"type", "array"}, {"items", at_least("integer", 0, "one seed for each repeat")}}},
       {"repeats", at_least("integer", 1, "number of repeats, with seeds from run.seed upwards")},
       {"pair_random_numbers",
        described("boolean", "use the same random numbers in all cells with the same seed")},
       {"keep", one_of({"draws", "summary"},
                       "data to keep for each cell (`summary` keeps only the record)")},
       {"framework",
        one_of({"hash", "version"},
               "property of libmixwell (hash or version) that the id of a cell depends on")},
       {"cell_seconds", above_zero("time limit for each cell, in seconds (a slower cell fails)")},
       {"memory", above_zero("memory that a worker may allocate, in MiB")},
       {"threads", at_least("integer", 1, "number of threads of each worker")},
       {"disk_wait",
        at_least("number", 0, "time to wait for free space on a full disk, in seconds")},
       {"dead_after", at_least("number", 1,
                               "seconds without a heartbeat from a worker before other workers "
                               "take over its cell")},
       {"reference",
        {{"type", {"string", "object"}}, {"description", "draws to compare the cells with"}}},
       {"reference_variant", described("string", "the variant whose draws are the reference")},
       {"model", changes()},
       {"variant", changes()},
       {"axes", described("object", "KIND.NAME.KEY = [values] for each axis of the grid")},
       {"zip", tables},
       {"alias", described("object", "NAME = [KIND.NAME.KEY, ...]: one name for several axes")},
       {"exclude", tables},
       {"paper", paper()},
       {"quick",
        described("object", "changes to every cell under --quick, which uses only one seed")},
       {"tune", tune()}});
}

}  // namespace

std::string study_schema(const Registry& registry) {
  Json schema = parse_json(manifest_schema(registry));
  schema["title"] = "Mixwell study";
  schema["required"].push_back("study");
  // A table without `use` changes keys of an existing component.
  for (const Kind kind : all_kinds)
    schema["properties"][std::string(to_string(kind))]["additionalProperties"].erase("required");
  schema["properties"]["study"] = study();
  return json_text(schema, 2) + "\n";
}

}  // namespace mixwell
