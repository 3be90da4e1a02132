// The rules of certificates: the page is made from them, and their examples are what they say.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

using namespace mixwell;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path manifest_of(std::string_view name) {
  const fs::path source = MIXWELL_SOURCE_DIR;
  const bool counter = name.starts_with("counterexamples/");
  return source / (counter ? "tests" : "examples") / (std::string(name) + ".toml");
}

Verdict verdict_of(std::string_view name) {
  const fs::path path = manifest_of(name);
  const Composition composition = parse_manifest(read(path), path.string(), composing::registry());
  return compose(*composition.compositor).certificate.now;
}

bool is_refused(const Verdict& v) { return v.label() == "biased" || v.label() == "none"; }

/// The rows of the table in docs/certificate.md.
std::string table() {
  std::string text;
  for (const Rule& rule : rules()) {
    const auto example = [](std::string_view name) {
      return name.empty() ? std::string()
                          : "`" + std::string(name.substr(name.find('/') + 1)) + "`";
    };
    text += "| " + std::string(rule.id) + " | " + std::string(rule.statement) + " | " +
            std::string(rule.verdict) + " | " + std::string(rule.why) + " | " +
            example(rule.right) + " | " + example(rule.wrong) + " |\n";
  }
  return text;
}

}  // namespace

TEST_CASE("the table of rules in docs is made from the rules") {
  const std::string page = read(fs::path(MIXWELL_SOURCE_DIR) / "docs" / "certificate.md");
  std::ofstream(fs::path(MIXWELL_BUILD_DIR) / "rules.md") << table();
  INFO("the rows that belong there are in rules.md of the build folder");
  CHECK(page.find(table()) != std::string::npos);
}

TEST_CASE("every rule lets its right example pass, and decides against its wrong one") {
  for (const Rule& rule : rules()) {
    if (!rule.right.empty()) {
      INFO("rule " << rule.id << " on " << rule.right);
      CHECK_FALSE(is_refused(verdict_of(rule.right)));
    }
    if (rule.wrong.empty()) continue;
    const Verdict v = verdict_of(rule.wrong);
    INFO("rule " << rule.id << " on " << rule.wrong << ": " << v.rule << ", " << v.reason);
    CHECK(is_refused(v));
    // The choice of a branch is judged as the parameter that it is; a path is judged by its noise.
    const std::string decided = rule.id == "7" ? "2" : rule.id == "P" ? "N" : std::string(rule.id);
    CHECK(v.rule == decided);
  }
}

TEST_CASE("rules have names of their own") {
  std::set<std::string_view> names;
  for (const Rule& rule : rules()) CHECK(names.insert(rule.id).second);
}
