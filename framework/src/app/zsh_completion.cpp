// Completion for zsh: a function for each command, which calls zsh's own _arguments.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_words.hpp"
#include "app/completion.hpp"
#include "app/completions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mixwell::app {
namespace {

/// Within single quotes, in which _arguments reads brackets and colons.
std::string zsh_word(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\'') {
      out += "'\\''";
    } else {
      if (letter == '\\' || letter == '[' || letter == ']' || letter == ':') out += '\\';
      out += letter;
    }
  }
  return out;
}

/// Within double quotes in such a specification, which the shell reads once more.
std::string zsh_word_twice(const std::string& text) {
  std::string out;
  for (const char letter : zsh_word(text)) {
    if (letter == '"' || letter == '`' || letter == '$') out += '\\';
    out += letter;
  }
  return out;
}

/// Folders are on the way to files.
std::string files(const Completions& completions) {
  if (completions.has_files) return "_files";
  if (!completions.endings.empty())
    return fmt::format("_files -g \"*.({})\"", fmt::join(completions.endings, "|"));
  return completions.has_folders ? "_files -/" : "";
}

/// What follows the last colon of a specification.
std::string action(const Argument& argument) {
  const Completions completions = completions_of(argument);
  const std::string paths = files(completions);
  if (completions.has_components) return "_mixwell_components";
  if (argument.comma_separates && !completions.words.empty())
    return fmt::format("_sequence compadd - {}", fmt::join(completions.words, " "));
  if (completions.words.empty()) return paths.empty() ? " " : paths;
  if (paths.empty()) return fmt::format("({})", fmt::join(completions.words, " "));
  return fmt::format(
      "_alternative \"words\\:word\\:({})\" {}", fmt::join(completions.words, " "),
      fmt::format("\"files\\:file\\:{}\"", completions.endings.empty() ? "_files" : paths));
}

/// Of an option, once for each of its names; of a positional, once.
std::vector<std::string> specifications(const Argument& argument) {
  const std::string value =
      takes_value(argument) ? ":" + zsh_word(value_words(argument)) + ":" + action(argument) : "";
  if (!is_option(argument)) return {":" + zsh_word(argument.name) + ":" + action(argument)};
  const bool repeats = std::holds_alternative<std::vector<std::string>*>(argument.value);
  std::vector<std::string> all;
  for (const std::string& name : option_names(argument))
    all.push_back((repeats ? "*" : "") + name + "[" + zsh_word(argument.help) + "]" + value);
  return all;
}

std::string names_and_purposes(const Command& command) {
  std::string text;
  for (const Command* const inner : shown_commands(command))
    text += fmt::format(" {}\\:\"{}\"", inner->name, zsh_word_twice(inner->purpose));
  return "((" + text.substr(1) + "))";
}

std::string function_name(const std::string& above, const Command& command) {
  return (above.empty() ? "_" : above + "_") + command.name;
}

/// `words` are in the way of a command below this one: the first is its name.
std::string function(const Command& command, const std::string& above) {
  const std::vector<const Command*> shown = shown_commands(command);
  const std::string name = function_name(above, command);
  std::string text = name + "() {\n  local curcontext=$curcontext state line\n";
  if (above.empty()) text += "  local mixwell=$words[1]\n";
  text += "  _arguments -C \\\n";
  if (above.empty()) text += "    '(- : *)--version[Print the version]' \\\n";
  text += "    '(- : *)'{-h,--help}'[Print help]'";
  for (const Argument& argument : command.arguments) {
    if (!shown.empty() && !is_option(argument)) continue;
    for (const std::string& one : specifications(argument)) text += " \\\n    '" + one + "'";
  }
  if (shown.empty()) return text + "\n}\n\n";
  text += " \\\n    '1:command:->first' '*::argument:->rest'\n  case $state in\n    first)\n";
  text += "      _alternative 'commands:command:" + names_and_purposes(command) + "'";
  for (const Argument& argument : command.arguments)
    if (!is_option(argument))
      text += " \\\n        '" + zsh_word(argument.name) + ":" + zsh_word(argument.name) + ":" +
              action(argument) + "'";
  text += " ;;\n    rest)\n      case $words[1] in\n";
  for (const Command* const inner : shown)
    text += fmt::format("        {}) {} ;;\n", inner->name, function_name(name, *inner));
  text += "      esac ;;\n  esac\n}\n\n";
  for (const Command* const inner : shown) text += function(*inner, name);
  return text;
}

constexpr const char* components =
    R"zsh(# The table that the program prints of its plugins: id, kind, and more.
_mixwell_components() {
  local -a found
  found=(${(f)"$(${~mixwell} plugins 2>/dev/null | awk 'NR > 1 { if (NF == 0) exit; print $2 "/" $1 }')"})
  compadd -a found
}

)zsh";

}  // namespace

std::string zsh_completion(const Command& program) {
  return "#compdef mixwell\n# Completion of mixwell for zsh, as `mixwell completion zsh` prints "
         "it.\n\n" +
         (components + function(program, "")) +
         "if [[ $funcstack[1] == _mixwell ]]; then\n  _mixwell \"$@\"\nelse\n"
         "  compdef _mixwell mixwell\nfi\n";
}

}  // namespace mixwell::app
