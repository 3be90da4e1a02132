// Texts about a command, shared by its help, its manual page and the shell completion.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.hpp"
#include "app/text_layout.hpp"
#include "base/split.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace mixwell::app {

Argument::Argument(const std::string& usage, Target target, std::string purpose,
                   ArgumentRules rules)
    : ArgumentRules(std::move(rules)),
      name(usage.substr(0, usage.find(' '))),
      value(target),
      help(std::move(purpose)),
      type(usage.substr(std::min(name.size() + 1, usage.size()))) {}

bool is_option(const Argument& argument) { return argument.name.starts_with('-'); }

bool must_be_given(const Argument& argument) {
  if (is_option(argument)) return argument.required;
  return !argument.optional && argument.required_unless.empty();
}

std::vector<std::string> option_names(const Argument& argument) {
  const std::vector<std::string_view> names = split(argument.name, ',');
  return {names.begin(), names.end()};
}

bool takes_value(const Argument& argument) {
  return !std::holds_alternative<bool*>(argument.value);
}

std::string value_words(const Argument& argument) {
  if (!argument.choices.empty()) return fmt::format("{}", fmt::join(argument.choices, "|"));
  if (!argument.type.empty()) return argument.type;
  if (std::holds_alternative<int*>(argument.value)) return "INT";
  return std::holds_alternative<double*>(argument.value) ? "FLOAT" : "TEXT";
}

std::string default_words(const Argument& argument) {
  if (!argument.shows_default) return "";
  return std::visit(
      [](const auto* value) -> std::string {
        if constexpr (std::is_same_v<decltype(value), const std::vector<std::string>*>) {
          return fmt::format("{}", fmt::join(*value, ","));
        } else {
          return fmt::format("{}", *value);
        }
      },
      argument.value);
}

std::string range_words(const std::pair<double, double>& range) {
  constexpr double next_to_0 = 1e-200;
  const auto [least, largest] = range;
  if (least > 0.0 && least < next_to_0) return fmt::format("above 0 and at most {}", largest);
  return fmt::format("from {} to {}", least, largest);
}

/// The arguments that cannot be combined with `argument`: first the ones that it excludes, then the
/// ones that exclude it.
static std::vector<std::string> not_with(const Argument& argument, const Command& command) {
  std::vector<std::string> names = argument.excludes;
  const std::vector<std::string> own = option_names(argument);
  for (const Argument& other : command.arguments)
    if (std::find_first_of(own.begin(), own.end(), other.excludes.begin(), other.excludes.end()) !=
        own.end())
      names.push_back(option_names(other).back());
  return names;
}

std::string help_words(const Argument& argument, const Command& command) {
  std::string text = argument.help + ".";
  if (argument.is_positive) text += " Must be above 0.";
  if (argument.range) text += " Must be " + range_words(*argument.range) + ".";
  if (const std::string words = default_words(argument); !words.empty())
    text += fmt::format(" Default: {}.", words);
  if (const auto names = not_with(argument, command); !names.empty())
    text += fmt::format(" Cannot be combined with {}.", fmt::join(names, ", "));
  if (!argument.needs.empty())
    text += fmt::format(" Requires {}.", fmt::join(argument.needs, ", "));
  return text;
}

std::vector<const Command*> shown_commands(const Command& command) {
  std::vector<const Command*> shown;
  for (const Command& inner : command.commands)
    if (!inner.is_hidden) shown.push_back(&inner);
  return shown;
}

std::string help_footer(const Command& command, std::size_t width) {
  if (command.example.empty()) return "";
  std::vector<std::string> codes;
  for (const ExitCodeWords& one : exit_code_words)
    codes.push_back(fmt::format("{} {}", static_cast<int>(one.code), one.meaning));
  const std::string ends = fmt::format("Exit codes: {}.", fmt::join(codes, "; "));
  std::string text =
      fmt::format("{}{}Example:\n  {}\n\n{}\nEnvironment:\n", wrapped(command.notes, width),
                  command.notes.empty() ? "" : "\n\n", command.example, wrapped(ends, width));
  constexpr std::size_t column = 23;
  for (const VariableWords& one : variable_words) {
    const std::string meaning = wrapped(one.meaning, width, column);
    text += fmt::format("  {:<20} {}\n", one.name, meaning.substr(column));
  }
  return text;
}

}  // namespace mixwell::app
