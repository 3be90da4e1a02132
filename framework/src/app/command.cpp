// Functions that the commands of the program share.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"

#include "files/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <iterator>

namespace mixwell::app {
std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const Kind kind : all_kinds) names.emplace_back(to_string(kind));
  return names;
}

Kind kind_called(const std::string& word) {
  if (const std::optional<Kind> kind = kind_from(word)) return *kind;
  throw InputError(fmt::format("unknown kind \"{}\"{}", word, suggestion(word, kind_names())));
}

void print_line(std::FILE* to, const std::string& text) { std::fputs((text + "\n").c_str(), to); }

void print_note(const std::string& text) { print_line(stderr, "mixwell: note: " + text); }

ExitCode print_only(nlohmann::ordered_json json, const std::optional<Error>& fault) {
  if (fault) json.update({{"error", fault->what()}, {"code", static_cast<int>(fault->code())}});
  fmt::print("{}\n", json_text(json));
  if (!fault) return ExitCode::ok;
  print_line(stderr, std::string("mixwell: error: ") + fault->what());
  return fault->code();
}

std::vector<Argument> manifest_and(ManifestArguments& values, std::vector<Argument> others) {
  std::vector<Argument> all = {
      {"manifest MANIFEST.toml|PROGRAM.stan", &values.path, "Manifest file (TOML) or Stan program"},
      {"--set KEY=VALUE", &values.settings,
       "Set one key of the manifest, for example kernel.hmc.steps=5 (repeatable)"}};
  all.insert(all.end(), std::make_move_iterator(others.begin()),
             std::make_move_iterator(others.end()));
  return all;
}

}  // namespace mixwell::app
