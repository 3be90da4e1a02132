// The list of mutants.
// SPDX-License-Identifier: Apache-2.0
#include "mutants.hpp"

#include "composing.hpp"

#include <mixwell/base/error.hpp>

#include <toml++/toml.h>

#include <algorithm>

namespace mutants {
namespace {

std::string text(const toml::table& table, const char* key) {
  const auto value = table[key].value<std::string>();
  if (!value) throw mixwell::InputError(std::string("tests/wrong/mutants.toml: lacks ") + key);
  return *value;
}

Base base_of(const toml::table& root, const std::string& name) {
  const toml::table* const table = root["base"][name].as_table();
  if (table == nullptr) throw mixwell::InputError("tests/wrong/mutants.toml: no base " + name);
  Base base{name, text(*table, "certificate"), text(*table, "manifest"), {}};
  if (const toml::array* const targets = (*table)["targets"].as_array()) {
    for (const toml::node& target : *targets)
      base.targets.push_back(target.value_or(std::string()));
  }
  return base;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

std::vector<Mutant> read() {
  const toml::table root = toml::parse_file(MIXWELL_SOURCE_DIR "/tests/wrong/mutants.toml");
  std::vector<Mutant> all;
  for (const toml::node& node : *root["mutant"].as_array()) {
    const toml::table& table = *node.as_table();
    all.push_back({base_of(root, text(table, "base")), text(table, "mistake"), text(table, "part"),
                   text(table, "wrong"), table["check"].value_or(std::string("verify")),
                   table["escapes"].value_or(std::string())});
  }
  return all;
}

std::vector<Base> bases(const std::vector<Mutant>& mutants) {
  std::vector<Base> all;
  for (const Mutant& mutant : mutants) {
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const Base& b) { return b.name == mutant.base.name; });
    if (!known) all.push_back(mutant.base);
  }
  return all;
}

mixwell::Composition compose(const Base& base, const std::string& mistake, std::int64_t seed) {
  std::string manifest = replaced(base.manifest, "SOURCE", MIXWELL_SOURCE_DIR);
  manifest = replaced(replaced(manifest, "MISTAKE", mistake), "SEED", std::to_string(seed));
  mixwell::Composition composition = composing::compose(manifest);
  composition.run.seed = seed;
  return composition;
}

}  // namespace mutants
