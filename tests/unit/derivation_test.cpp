// The derivation of a certificate: its conclusion follows from its parts.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/record_json.hpp"
#include "certificate/without_rule.hpp"
#include "composing.hpp"

#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace mixwell;
namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> manifests() {
  std::vector<std::string> found;
  for (const char* folder :
       {"examples/certificates", "tests/counterexamples", "examples/undeclared"})
    for (const auto& entry : fs::directory_iterator(fs::path(MIXWELL_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".toml") found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

Program composed(const std::string& path) {
  return compose(*load_manifest(path, composing::registry()).compositor);
}

Json json_of(const std::string& path) { return Json(record_of(composed(path).certificate)); }

Json example(const std::string& name) {
  return json_of(MIXWELL_SOURCE_DIR "/examples/certificates/" + name + ".toml");
}

/// From the best to the worst; docs/certificate.md has this table.
int rank(const Json& part) {
  if (part["class"] == "none") return 5;
  if (part["accuracy"] == "none") return part["evidence"] == "unproven" ? 3 : 4;
  if (part["accuracy"] == "asymptotic") return 2;
  return part["time"] == "adaptive" ? 1 : 0;
}

/// The fields of the whole that follow from the parts.
Json recomputed(const Json& parts) {
  Json whole{{"accuracy", "exact"}, {"order", nullptr}, {"density", "pi"}, {"time", "fixed"}};
  int worst = 0;
  bool is_declared = false;
  for (const Json& part : parts) {
    worst = std::max(worst, rank(part));
    is_declared = is_declared || !part["declared"].empty();
    if (part["time"] == "adaptive") whole["time"] = "adaptive";
    if (whole["density"] == "pi") whole["density"] = part["density"];
    const Json& order = part["order"];
    if (!order.is_null() && (whole["order"].is_null() || order < whole["order"]))
      whole["order"] = order;
  }
  whole["accuracy"] = worst > 2 ? "none" : worst == 2 ? "asymptotic" : "exact";
  if (worst != 2) whole["order"] = nullptr;
  whole["evidence"] = worst == 3 ? "unproven" : worst < 3 && is_declared ? "declared" : "proved";
  whole["class"] = worst == 5                    ? Json("none")
                   : worst > 2                   ? Json("biased")
                   : whole["time"] == "adaptive" ? Json("adaptive")
                   : whole["density"] != "pi"    ? Json("approximate")
                                                 : whole["accuracy"];
  return whole;
}

/// Parts that a rule concluded.
std::vector<Json> parts_of(const Json& certificate, const std::string& rule) {
  std::vector<Json> found;
  for (const Json& part : certificate["derivation"])
    if (part["rule"] == rule) found.push_back(part);
  return found;
}

bool has_premise(const std::vector<Json>& parts, const std::string& standing, bool feeds_back) {
  return std::any_of(parts.begin(), parts.end(), [&](const Json& part) {
    return std::any_of(part["premises"].begin(), part["premises"].end(), [&](const Json& one) {
      return one["standing"] == standing && one["feeds_back"] == feeds_back;
    });
  });
}

}  // namespace

TEST_CASE("the certificate of every example follows from the parts of its derivation") {
  int compared = 0;
  for (const std::string& path : manifests()) {
    INFO(path);
    const Json certificate = json_of(path);
    const Json whole = recomputed(certificate["derivation"]);
    for (const auto& [key, value] : whole.items()) {
      INFO(key);
      CHECK(certificate[key] == value);
    }
    ++compared;
  }
  CHECK(compared > 90);
}

TEST_CASE("without its worst part a derivation leads to another class") {
  for (const char* name : {"ensemble-simultaneous", "cycle-densities", "carried-mass"}) {
    INFO(name);
    const Json certificate = example(name);
    Json rest = Json::array();
    for (const Json& part : certificate["derivation"])
      if (rank(part) < 3) rest.push_back(part);
    CHECK(rest.size() < certificate["derivation"].size());
    CHECK(recomputed(rest)["class"] != certificate["class"]);
  }
}

TEST_CASE("every part of a derivation says what it is about, by which rule and why") {
  for (const std::string& path : manifests()) {
    INFO(path);
    const Json certificate = json_of(path);
    CHECK_FALSE(certificate["derivation"].empty());
    for (const Json& part : certificate["derivation"]) {
      INFO(part.dump());
      CHECK_FALSE(part["about"].get<std::string>().empty());
      CHECK_FALSE(part["rule"].get<std::string>().empty());
      CHECK_FALSE(part["reason"].get<std::string>().empty());
    }
  }
}

TEST_CASE("premises say how what is read stands to the update") {
  CHECK(has_premise(parts_of(example("hmc-bfgs-sequential"), "1"), "current", true));
  CHECK(has_premise(parts_of(example("ensemble-simultaneous"), "1s"), "stale", true));
  CHECK(has_premise(parts_of(example("pilot"), "P"), "past", false));
  CHECK(has_premise(parts_of(example("hmc"), "N"), "noise", false));
}

TEST_CASE("traits in the parts are those that the certificate assumes") {
  for (const std::string& path : manifests()) {
    INFO(path);
    const Json certificate = json_of(path);
    std::vector<std::string> in_parts;
    for (const Json& part : certificate["derivation"])
      for (const Json& one : part["assumes"]) in_parts.push_back(one.get<std::string>());
    for (const Json& one : certificate["assumes"]) {
      INFO(one.dump());
      CHECK(std::count(in_parts.begin(), in_parts.end(), one.get<std::string>()) > 0);
    }
  }
}

TEST_CASE("a derivation is read back as it was written") {
  const Json written = example("ensemble-simultaneous");
  CHECK(Json(written.get<CertificateRecord>()) == written);
}

TEST_CASE("a certificate by a rule that there is not is refused where it is read") {
  const Json written = example("hmc");
  Json whole = written;
  whole["rule"] = "6";
  CHECK_THROWS_WITH(whole.get<CertificateRecord>(), Catch::Contains("there is no rule \"6\""));
  Json part = written;
  part["derivation"][0]["rule"] = "";
  CHECK_THROWS_WITH(part.get<CertificateRecord>(), Catch::Contains("there is no rule \"\""));
}

TEST_CASE("a rule that is not asked finds nothing, and all others find what they find") {
  const Program wrong =
      composed(MIXWELL_SOURCE_DIR "/examples/certificates/ensemble-simultaneous.toml");
  CHECK(certify(wrong.sampling).label() == "biased");
  CHECK(certify_without(wrong.sampling, Rule::stale_value).label() == "exact");
  CHECK(certify_without(wrong.sampling, Rule::own_value).label() == "biased");
  const Program right = composed(MIXWELL_SOURCE_DIR "/examples/certificates/hmc.toml");
  CHECK(certify_without(right.sampling, Rule::stale_value).label() == "exact");
}
