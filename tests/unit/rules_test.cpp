// The rules of certificates: their page is made from them, and their examples have the stated
// verdicts.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "toy_graphs.hpp"

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

/// What one branch of a mixture makes is a parameter of an update outside of it.
Verdict verdict_on_a_number_of_a_branch() {
  KernelGraph graph;
  const toy::Slots s = toy::add_slots(graph, 1);
  const auto made_from = [&](const char* noise, const char* made) {
    return graph
        .add(made, OperationKind::pure, {}, {{graph.noise(noise), Role::noise}},
             {Output::derived(made, 1)}, std::make_shared<toy::Nothing>())
        .front();
  };
  graph.set_guard({made_from("u", "choice"), 0});
  const Value size = made_from("z", "size");
  graph.set_guard();
  toy::add_update(graph, "a", {.slot = s.slot[0], .law = s.law[0], .parameters = {size}});
  return certify(graph);
}

bool is_refused(const Verdict& v) { return v.label() == "biased" || v.label() == "none"; }

/// The rows of the table in docs/certificate.md.
std::string table() {
  std::string text;
  for (const RuleInfo& rule : rules()) {
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
  for (const RuleInfo& rule : rules()) {
    if (!rule.right.empty()) {
      INFO("rule " << rule.id << " on " << rule.right);
      CHECK_FALSE(is_refused(verdict_of(rule.right)));
    }
    if (rule.wrong.empty()) continue;
    const Verdict v = verdict_of(rule.wrong);
    INFO("rule " << rule.id << " on " << rule.wrong << ": " << to_string(v.rule) << ", "
                 << v.reason);
    CHECK(is_refused(v));
    CHECK(v.rule == rule.rule);
  }
}

TEST_CASE("a rule that is in the table is one that some certificate was concluded by") {
  std::set<Rule> used{verdict_on_a_number_of_a_branch().rule,
                      composing::verdict("[model.m]\nuse = \"quartic\"\ndimension = 2\n[kernel.k]\n"
                                         "use = \"map\"\n")
                          .rule};
  for (const RuleInfo& rule : rules())
    for (const std::string_view example : {rule.right, rule.wrong})
      if (!example.empty())
        for (const Verdict& part : verdict_of(example).parts) used.insert(part.rule);
  for (const RuleInfo& rule : rules()) {
    INFO("rule " << rule.id);
    CHECK(used.contains(rule.rule));
  }
}

TEST_CASE("rules have names of their own, and no other name is one of a rule") {
  for (const RuleInfo& rule : rules()) {
    CHECK(to_string(rule.rule) == rule.id);
    CHECK(rule_from(rule.id) == rule.rule);
  }
  for (const char* other : {"", "6", "n", "N ", "11"}) CHECK_FALSE(rule_from(other).has_value());
}
