// The JSON schema of manifests: its structure follows the declarations.
// SPDX-License-Identifier: Apache-2.0
#include "toy_components.hpp"

#include <mixwell/lab/manifest.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace mixwell;
using Json = nlohmann::json;

namespace {

Json schema() { return Json::parse(manifest_schema(toy::registry())); }

/// The required form of a table of that kind if `use` is that id.
Json rule(const std::string& kind, const std::string& id) {
  const Json component = schema()["properties"][kind]["additionalProperties"];
  for (const Json& candidate : component["allOf"]) {
    if (candidate["if"]["properties"]["use"]["const"] == id) return candidate["then"];
  }
  FAIL("no rule for " << kind << "/" << id);
  return {};
}

}  // namespace

TEST_CASE("The schema is of draft 2020-12 and closed at the top") {
  const Json s = schema();
  CHECK(s["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(s["type"] == "object");
  CHECK(s["additionalProperties"] == false);
  CHECK(s["required"] == Json::array({"mixwell"}));
  CHECK(s["properties"]["mixwell"]["const"] == 1);
  for (const Kind kind : all_kinds) {
    const Json table = s["properties"][std::string(to_string(kind))];
    CHECK(table["type"] == "object");
    CHECK(table["additionalProperties"]["required"] == Json::array({"use"}));
  }
}

TEST_CASE("use takes the ids of its kind") {
  const Json s = schema();
  const Json kernels = s["properties"]["kernel"]["additionalProperties"];
  CHECK(kernels["properties"]["use"]["enum"] == Json::array({"pair", "step"}));
  const Json oracles = s["properties"]["oracle"]["additionalProperties"];
  CHECK(oracles["properties"]["use"]["enum"] == Json::array());
}

TEST_CASE("A component's keys have type, range, default and description") {
  const Json flat = rule("model", "flat");
  CHECK(flat["additionalProperties"] == false);
  CHECK(flat["required"] == Json::array({"use"}));
  const Json& p = flat["properties"];
  CHECK(p["scale"] == Json({{"type", "number"},
                            {"exclusiveMinimum", 0.0},
                            {"default", 1.0},
                            {"description", "width of the target [nats]"}}));
  CHECK(p["size"] == Json({{"type", "integer"},
                           {"minimum", 1.0},
                           {"maximum", 64.0},
                           {"default", 2},
                           {"description", "coordinates"}}));
  CHECK(p["centred"]["type"] == "boolean");
  CHECK(p["centred"]["default"] == false);
  CHECK(p["shape"]["enum"] == Json::array({"round", "square"}));
  CHECK(p["weights"]["items"]["minimum"] == 0.0);
  CHECK(p["weights"]["default"] == Json::array({0.5, 0.25}));
  CHECK(p["labels"]["items"]["type"] == Json::array({"string", "integer"}));
  CHECK(p["shape"]["type"] == "string");
  CHECK(p["data"]["type"] == "string");
  CHECK_FALSE(p["level"].contains("default"));
  CHECK(p["span"]["minItems"] == 2);
  CHECK(p["span"]["maxItems"] == 2);
  CHECK(p["predict"]["additionalProperties"]["additionalProperties"]["type"] ==
        Json::array({"number", "string"}));
  CHECK(p["use"]["const"] == "flat");
}

TEST_CASE("Required keys are required and have no default; references say of what") {
  const Json pair = rule("kernel", "pair");
  CHECK(pair["required"] == Json::array({"use", "title"}));
  CHECK_FALSE(pair["properties"]["title"].contains("default"));
  CHECK(pair["properties"]["first"]["type"] == "string");
  CHECK(pair["properties"]["first"]["description"] ==
        "goes first; name of a kernel of this manifest");
}

TEST_CASE("The keys of run are those of the manifest with their defaults") {
  const Json run = schema()["properties"]["run"];
  CHECK(run["additionalProperties"] == false);
  CHECK(run["properties"]["replicates"]["default"] == 4);
  CHECK(run["properties"]["block_width"]["multipleOf"] == 8);
  CHECK(run["properties"]["allow"]["items"]["enum"] == Json::array({"biased", "none"}));
  const Json& init = run["properties"]["init"];
  CHECK(init["default"] == "model");
  REQUIRE(init["oneOf"].size() == 5);
  CHECK(init["oneOf"][0]["enum"] == Json::array({"model", "exact", "prior"}));
  CHECK(init["oneOf"][1]["required"] == Json::array({"uniform"}));
  CHECK(init["oneOf"][2]["properties"]["file"]["type"] == "string");
  CHECK(init["oneOf"][3]["properties"]["file"]["items"]["type"] == "string");
  CHECK(init["oneOf"][4]["properties"]["value"]["items"]["type"] == "number");
}
