// JSON schema (draft 2020-12) of study files: that of manifests, and a table [study].
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
      "string", "of a variant: a manifest in the place of the base; {model} is the model's name");
  properties["remove"] = {{"type", "array"}, {"items", described("string", "KIND.NAME")}};
  properties["axes"] = described("object", "KIND.NAME.KEY = [values] for this one alone");
  properties["zip"] = {{"type", "array"}, {"items", {{"type", "object"}}}};
  properties["tune"] =
      described("object", "KIND.NAME.KEY = [values] or { from, to, scale, integer }");
  properties["quick"] = described("object", "changes under --quick, after those of [study.quick]");
  return {{"type", "object"}, {"additionalProperties", object(std::move(properties))}};
}

Json tune() {
  return object(
      {{"gradients", above_zero("budget of each variant, model and point of the axes")},
       {"objective", one_of({"min_ess_per_gradient", "mean_ess_per_gradient", "min_ess_per_second"},
                            "what the best candidate has most of")},
       {"seed", at_least("integer", 0, "of the candidates and their random numbers")},
       {"candidates", at_least("integer", 2, "that the first rung tries")},
       {"rungs", at_least("integer", 1, "of successive halving")},
       {"keys", described("object", "KIND.NAME.KEY = [values] or { from, to, scale, integer }")}},
      {"gradients"});
}

Json paper() {
  return {{"type", "array"},
          {"items", object({{"where", {{"type", "object"}}},
                            {"metric", described("string", "a column of the table")},
                            {"value", {{"type", "number"}}},
                            {"source", {{"type", "string"}}}},
                           {"metric", "value", "source"})}};
}

Json study() {
  const Json tables = {{"type", "array"}, {"items", {{"type", "object"}}}};
  return object(
      {{"base", described("string", "a manifest to start from")},
       {"seeds", {{"type", "array"}, {"items", at_least("integer", 0, "one for each repeat")}}},
       {"repeats", at_least("integer", 1, "as many seeds, counted from run.seed")},
       {"pair_random_numbers", described("boolean", "cells of one seed share random numbers")},
       {"keep", one_of({"draws", "summary"}, "summary: only the record of a cell")},
       {"framework", one_of({"hash", "version"}, "what stands for libmixwell in a cell's id")},
       {"cell_seconds", above_zero("a cell that takes longer is ended and fails")},
       {"memory", above_zero("MiB that a worker may allocate")},
       {"threads", at_least("integer", 1, "of each worker")},
       {"disk_wait", at_least("number", 0, "seconds to wait for room on a full disk")},
       {"dead_after", at_least("number", 1,
                               "seconds without a sign of life after which others take a worker's "
                               "cell over")},
       {"reference", {{"type", {"string", "object"}}, {"description", "draws to compare with"}}},
       {"reference_variant", described("string", "the variant whose draws are compared with")},
       {"model", changes()},
       {"variant", changes()},
       {"axes", described("object", "KIND.NAME.KEY = [values]: a grid")},
       {"zip", tables},
       {"alias", described("object", "NAME = [KIND.NAME.KEY, ...]: one name for several axes")},
       {"exclude", tables},
       {"paper", paper()},
       {"quick", described("object", "changes of every cell under --quick, with one seed")},
       {"tune", tune()}});
}

}  // namespace

std::string study_schema(const Registry& registry) {
  Json schema = parse_json(manifest_schema(registry));
  schema["title"] = "Mixwell study";
  schema["required"].push_back("study");
  // A table without `use` changes keys of a component that is there.
  for (const Kind kind : all_kinds)
    schema["properties"][std::string(to_string(kind))]["additionalProperties"].erase("required");
  schema["properties"]["study"] = study();
  return json_text(schema, 2) + "\n";
}

}  // namespace mixwell
