// The manual pages, made of what the commands declare.
// SPDX-License-Identifier: Apache-2.0
#include "app/manual.hpp"

#include "app/command_words.hpp"
#include "base/split.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace mixwell::app {
namespace {

/// A character as roff(7) prints it: its own ones mean something, and others become typographic.
std::string escaped(char letter) {
  switch (letter) {
    case '\\':
      return "\\[rs]";
    case '-':
      return "\\-";
    case '\'':
      return "\\[aq]";
    case '"':
      return "\\[dq]";
    case '`':
      return "\\[ga]";
    case '^':
      return "\\[ha]";
    case '~':
      return "\\[ti]";
    default:
      return std::string(1, letter);
  }
}

/// Text as it is; a line that begins with a point is no macro.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '.' && (out.empty() || out.back() == '\n')) out += "\\&";
    out += escaped(letter);
  }
  return out;
}

/// Lines whose breaks and spaces are kept.
std::string verbatim(const std::string& text) { return ".EX\n" + escaped(text) + "\n.EE\n"; }

std::string section(const char* title) { return fmt::format(".SH {}\n", title); }

/// A thing, and indented below it what it means.
std::string tagged(const std::string& thing, const std::string& meaning) {
  return fmt::format(".TP\n{}\n{}\n", thing, escaped(meaning));
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return text;
}

bool may_be_left_out(const Argument& argument) {
  return is_option(argument) || !argument.required || !argument.required_unless.empty();
}

std::string synopsis(const Command& command, const std::string& name) {
  std::string line = bold(name) + " [options]";
  for (const Argument& argument : command.arguments) {
    if (is_option(argument) && !argument.required) continue;
    const std::string words = is_option(argument)
                                  ? bold(argument.name) + " " + italic(value_words(argument))
                                  : italic(upper(argument.name));
    line += is_option(argument) || !may_be_left_out(argument) ? " " + words : " [" + words + "]";
  }
  std::string text = section("SYNOPSIS") + line + "\n";
  if (!shown_commands(command).empty())
    text += ".br\n" + bold(name) + " " + italic("command") + " ...\n";
  return text;
}

std::string described(const Argument& argument, const Command& command) {
  std::vector<std::string> names;
  if (is_option(argument)) {
    for (const std::string& name : option_names(argument)) names.push_back(bold(name));
  } else {
    names.push_back(italic(upper(argument.name)));
  }
  std::string thing = fmt::format("{}", fmt::join(names, ", "));
  if (takes_value(argument)) thing += " " + italic(value_words(argument));
  return tagged(thing, help_words(argument, command));
}

std::string arguments(const Command& command) {
  std::string places;
  std::string options;
  for (const Argument& argument : command.arguments)
    (is_option(argument) ? options : places) += described(argument, command);
  options += tagged(bold("-h") + ", " + bold("--help"), "Print help.");
  return (places.empty() ? "" : section("ARGUMENTS") + places) + section("OPTIONS") + options;
}

std::string commands(const Command& command, const std::string& page) {
  const std::vector<const Command*> shown = shown_commands(command);
  if (shown.empty()) return "";
  std::string text = section("COMMANDS");
  for (const Command* const inner : shown)
    text += tagged(".BR " + escaped(page + "-" + inner->name) + " (1)", inner->purpose + ".");
  return text;
}

std::string ends(const Command& command) {
  std::string text;
  if (!command.notes.empty()) text += section("NOTES") + verbatim(command.notes);
  text += section("EXAMPLES") + verbatim(command.example) + section("EXIT STATUS");
  for (const ExitCodeWords& one : exit_code_words())
    text += tagged(bold(std::to_string(static_cast<int>(one.code))), one.meaning);
  text += section("ENVIRONMENT");
  for (const VariableWords& one : variable_words())
    text += tagged(bold(one.name), std::string(one.meaning) + ".");
  return text;
}

/// `typed` are the names of the commands that lead to this one, and its own; `name` the page's.
std::string page(const Command& command, const std::string& typed, const std::string& name,
                 const std::string& version) {
  const bool is_program = typed == command.name;
  const std::vector<std::string_view> purpose = split(command.purpose, '\n');
  std::string text =
      fmt::format(".TH {} 1 \"\" \"{}\" \"Mixwell\"\n", escaped(upper(name)), version);
  text += section("NAME") + escaped(name) + " \\- " +
          escaped(fmt::format("{}", fmt::join(purpose, " "))) + "\n";
  text += synopsis(command, typed) + arguments(command);
  if (is_program) text += tagged(bold("--version"), "Print the version.");
  text += commands(command, name) + ends(command);
  if (!is_program) {
    const std::size_t last = name.rfind('-');
    text += section("SEE ALSO") + ".BR " + escaped(name.substr(0, last)) + " (1)\n";
  }
  return text;
}

void add(std::vector<ManualPage>& pages, const Command& command, const std::string& above,
         const std::string& version) {
  const std::string typed = (above.empty() ? "" : above + " ") + command.name;
  std::string name = typed;
  std::replace(name.begin(), name.end(), ' ', '-');
  pages.push_back({name + ".1", page(command, typed, name, version)});
  for (const Command* const inner : shown_commands(command)) add(pages, *inner, typed, version);
}

}  // namespace

std::vector<ManualPage> manual_pages(const Command& program, const std::string& version) {
  std::vector<ManualPage> pages;
  add(pages, program, "", version);
  return pages;
}

}  // namespace mixwell::app
