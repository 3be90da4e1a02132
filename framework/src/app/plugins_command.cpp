// mixwell plugins: lists the components, or prints everything that one component declares.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/text_layout.hpp"
#include "files/json.hpp"
#include "plugin/plugin_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <memory>

namespace mixwell::app {
namespace {

/// The entries of one kind, or all entries if the word is empty.
std::vector<Entry> chosen(const Registry& registry, const std::string& word) {
  if (word.empty()) return registry.entries();
  const Kind kind = kind_called(word);
  std::vector<Entry> entries = registry.entries();
  std::erase_if(entries, [kind](const Entry& entry) { return entry.kind != kind; });
  return entries;
}

void print_list(const Registry& registry, const std::vector<Entry>& entries, bool with_paths) {
  TextTable table({"id", "kind", "summary"});
  for (const Entry& entry : entries)
    table.add({entry.description.id, std::string(to_string(entry.kind)),
               entry.description.summary + (with_paths ? "\n" + entry.library : "")});
  fmt::print("{}", table.text(terminal_width()));
  if (registry.broken().empty()) return;
  fmt::print("\nLibraries that cannot be used:\n");
  for (const BrokenLibrary& broken : registry.broken()) fmt::print("  {}\n", broken.reason);
}

/// "number in (0, inf) [time], default 0.1".
std::string facts(const Field& field) {
  std::string text = field.type();
  if (!field.range().empty()) text += (field.choices().empty() ? " in " : ", ") + field.range();
  if (!field.unit().empty()) text += " [" + field.unit() + "]";
  const bool is_value = !field.is_required() && field.replaced().empty();
  text += (is_value ? ", default: " : ", ") + default_text(field);
  const std::string condition = field.condition();
  return text + (condition.empty() ? "" : ", only with " + condition);
}

void print_parameters(const Fields& fields, std::size_t width) {
  if (fields.all().empty()) {
    fmt::print("\nThis component has no parameters.\n");
    return;
  }
  fmt::print("\nParameters:\n");
  each_field(fields, "", [&](const Field& field, const std::string& key) {
    fmt::print("{}\n", wrapped(key + ": " + facts(field), width, 2));
    if (!field.help().empty()) fmt::print("{}\n", wrapped(field.help(), width, 6));
  });
}

void print_list_of(const char* title, const std::vector<std::string>& lines, std::size_t width) {
  if (lines.empty()) return;
  fmt::print("\n{}:\n", title);
  for (const std::string& line : lines) fmt::print("{}\n", wrapped(line, width, 2));
}

void print_entry(const Entry& entry) {
  const std::size_t width = terminal_width();
  const Description& about = entry.description;
  fmt::print(
      "{}\n",
      wrapped(fmt::format("{}/{}: {}", to_string(entry.kind), about.id, about.summary), width));
  if (!about.details.empty()) fmt::print("\n{}\n", wrapped(about.details, width));
  const auto blueprint = entry.blueprint();
  print_parameters(blueprint->fields(), width);
  print_list_of("Declared traits", entry.traits, width);
  print_list_of("Sources", about.sources, width);
  fmt::print("\nLibrary: {}\n", entry.library);
}

/// The entry with the name KIND/ID. Throws InputError.
Entry named(const Registry& registry, const std::string& name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) {
    throw InputError(
        fmt::format("\"{}\" must have the form KIND/ID, for example kernel/hamiltonian", name));
  }
  return registry.find(kind_called(name.substr(0, slash)), name.substr(slash + 1));
}

struct Arguments {
  std::string kind;
  std::string name;
  bool json = false;
  bool paths = false;
};

ExitCode list(const Arguments& arguments) {
  const Registry registry = load_registry();
  const std::vector<Entry> entries = chosen(registry, arguments.kind);
  if (arguments.json) {
    fmt::print("{}\n", json_text(list_json(registry, entries), 2));
  } else {
    print_list(registry, entries, arguments.paths);
  }
  return ExitCode::ok;
}

ExitCode show(const Arguments& arguments) {
  const Entry entry = named(load_registry(), arguments.name);
  if (arguments.json) {
    fmt::print("{}\n", json_text(entry_json(entry), 2));
  } else {
    print_entry(entry);
  }
  return ExitCode::ok;
}

Command show_command(const std::shared_ptr<Arguments>& given) {
  return {.name = "show",
          .purpose = "Print everything that one component declares",
          .arguments = {{"plugin KIND/ID", &given->name,
                         "Kind and id of the component, for example kernel/hamiltonian"},
                        {"--json", &given->json, "Print JSON"}},
          .example = "mixwell plugins show kernel/hamiltonian",
          .json = &given->json,
          .action = [given] { return show(*given); }};
}

}  // namespace

Command plugins_command() {
  const auto given = std::make_shared<Arguments>();
  return {.name = "plugins",
          .purpose = "List the available components, and the libraries that cannot be used",
          .arguments = {{"kind KIND",
                         &given->kind,
                         fmt::format("Only this kind: {}", fmt::join(kind_names(), ", ")),
                         {.optional = true, .words = kind_names()}},
                        {"--paths", &given->paths,
                         "Also print the path of each component's library file"},
                        {"--json", &given->json,
                         "Print the list as JSON, with the paths of all libraries"}},
          .example = "mixwell plugins kernel",
          .json = &given->json,
          .action = [given] { return list(*given); },
          .commands = {show_command(given)}};
}

}  // namespace mixwell::app
