// mixwell manual: generates the manual pages of all commands from the commands' declarations.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "files/whole_file.hpp"

#include <mixwell/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

namespace mixwell::app {
namespace {

/// Characters that roff(7) interprets or changes, with the escape sequences that print them.
constexpr std::array<std::pair<char, std::string_view>, 7> special = {{{'\\', "\\[rs]"},
                                                                       {'-', "\\-"},
                                                                       {'\'', "\\[aq]"},
                                                                       {'"', "\\[dq]"},
                                                                       {'`', "\\[ga]"},
                                                                       {'^', "\\[ha]"},
                                                                       {'~', "\\[ti]"}}};

/// Escapes text so that roff prints it unchanged. A line that begins with `.` is not a macro.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '.' && (out.empty() || out.back() == '\n')) out += "\\&";
    const auto* const found = std::find_if(special.begin(), special.end(),
                                           [&](const auto& one) { return one.first == letter; });
    out += found == special.end() ? std::string_view(&letter, 1) : found->second;
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string upper(std::string text) {
  for (char& letter : text)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

/// A section of the page, or "" if the text is empty.
std::string section(const char* title, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

/// Text whose line breaks and spaces are kept.
std::string verbatim(const std::string& text) {
  return text.empty() ? "" : ".EX\n" + escaped(text) + "\n.EE\n";
}

/// A term with its meaning indented below it.
std::string tagged(const std::string& thing, const std::string& meaning) {
  return fmt::format(".TP\n{}\n{}\n", thing, escaped(meaning));
}

std::string synopsis(const Command& command, const std::string& typed) {
  std::string line = bold(typed) + " [options]";
  for (const Argument& argument : command.arguments) {
    if (is_option(argument) && must_be_given(argument))
      line += " " + bold(argument.name) + " " + italic(value_words(argument));
    if (is_option(argument)) continue;
    const std::string words = italic(upper(argument.name));
    line += must_be_given(argument) ? " " + words : " [" + words + "]";
  }
  if (shown_commands(command).empty()) return line + "\n";
  return line + "\n.br\n" + bold(typed) + " " + italic("command") + " ...\n";
}

std::string described(const Argument& argument, const Command& command) {
  std::vector<std::string> names;
  for (const std::string& name : option_names(argument))
    names.push_back(is_option(argument) ? bold(name) : italic(upper(name)));
  std::string thing = fmt::format("{}", fmt::join(names, ", "));
  if (takes_value(argument)) thing += " " + italic(value_words(argument));
  return tagged(thing, help_words(argument, command));
}

/// The positionals of the command if `positional` is true, else its options.
std::string arguments(const Command& command, bool positional) {
  std::string text;
  for (const Argument& argument : command.arguments)
    if (is_option(argument) != positional) text += described(argument, command);
  return text;
}

std::string commands(const Command& command, const std::string& page) {
  std::string text;
  for (const Command* const inner : shown_commands(command))
    text += tagged(".BR " + escaped(page + "-" + inner->name) + " (1)", inner->purpose + ".");
  return text;
}

std::string exit_status() {
  std::string text;
  for (const ExitCodeWords& one : exit_code_words)
    text += tagged(bold(std::to_string(static_cast<int>(one.code))), one.meaning);
  return text;
}

std::string environment() {
  std::string text;
  for (const VariableWords& one : variable_words)
    text += tagged(bold(one.name), std::string(one.meaning) + ".");
  return text;
}

/// The page of a command. `typed`: its full name, as in "mixwell plugins show". `name`: the page's
/// name.
std::string page(const Command& command, const std::string& typed, const std::string& name) {
  const std::size_t last = name.rfind('-');
  const bool is_program = last == name.npos;
  std::string purpose = command.purpose;
  std::replace(purpose.begin(), purpose.end(), '\n', ' ');
  std::string options =
      arguments(command, false) + tagged(bold("-h") + ", " + bold("--help"), "Print help.");
  if (is_program) options += tagged(bold("--version"), "Print the version.");
  const std::string above = is_program ? "" : ".BR " + escaped(name.substr(0, last)) + " (1)\n";
  return fmt::format(".TH {} 1 \"\" \"mixwell {}\" \"Mixwell\"\n", escaped(upper(name)),
                     MIXWELL_VERSION) +
         section("NAME", escaped(name) + " \\- " + escaped(purpose) + "\n") +
         section("SYNOPSIS", synopsis(command, typed)) +
         section("ARGUMENTS", arguments(command, true)) + section("OPTIONS", options) +
         section("COMMANDS", commands(command, name)) + section("NOTES", verbatim(command.notes)) +
         section("EXAMPLES", verbatim(command.example)) + section("EXIT STATUS", exit_status()) +
         section("ENVIRONMENT", environment()) + section("SEE ALSO", above);
}

/// Writes the page of the command and the pages of its subcommands, except hidden ones.
void write_pages(const Command& command, const std::string& above, const std::string& folder) {
  const std::string typed = above + command.name;
  std::string name = typed;
  std::replace(name.begin(), name.end(), ' ', '-');
  write_whole_file(folder + "/" + name + ".1", page(command, typed, name), Flush::later);
  for (const Command* const inner : shown_commands(command))
    write_pages(*inner, typed + " ", folder);
}

}  // namespace

Command manual_command(Command (*program)()) {
  const auto folder = std::make_shared<std::string>();
  return {.name = "manual",
          .purpose = "Write the manual pages of all commands, for `man`",
          .arguments = {{"folder DIR", folder.get(), "Folder for the pages, created if necessary"}},
          .example = "mixwell manual ~/.local/share/man/man1",
          .action = [folder, program] {
            std::filesystem::create_directories(*folder);
            write_pages(program(), "", *folder);
            return ExitCode::ok;
          }};
}

}  // namespace mixwell::app
