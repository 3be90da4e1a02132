// Parses the command line. Only this file includes CLI11, which takes seconds to compile.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.hpp"

#include "app/text_layout.hpp"
#include "base/removed_names.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <type_traits>

namespace mixwell::app {
namespace {

template <class Value>
CLI::Option* add_value(CLI::App& app, const Argument& argument, Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return app.add_flag(argument.name, value, argument.help);
  } else {
    return app.add_option(argument.name, value, argument.help);
  }
}

/// The reason why a value is invalid, or "" if it is valid. CLI11 itself refuses text where a
/// number is required.
std::string fault_of(const Argument& argument, const std::string& word) {
  const auto& choices = argument.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), word) == choices.end())
    return fmt::format("\"{}\" is not a valid value{}", word, suggestion(word, choices));
  if (!argument.is_positive && !argument.range) return "";
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0') return "";
  if (argument.is_positive && !(number > 0.0)) return fmt::format("must be above 0 (got {})", word);
  if (!argument.range || (number >= argument.range->first && number <= argument.range->second))
    return "";
  return fmt::format("must be {} (got {})", range_words(*argument.range), word);
}

void describe(CLI::Option& option, const Argument& argument) {
  option.required(must_be_given(argument));
  option.check([argument](const std::string& word) { return fault_of(argument, word); });
  if (argument.comma_separates) option.delimiter(',');
  if (std::holds_alternative<std::vector<std::string>*>(argument.value))
    option.allow_extra_args(argument.takes_many);
}

void add(CLI::App& app, const Argument& argument) {
  CLI::Option* const option =
      std::visit([&](auto* value) { return add_value(app, argument, *value); }, argument.value);
  describe(*option, argument);
  for (const std::string& name : argument.excludes) option->excludes(app.get_option(name));
  for (const std::string& name : argument.needs) option->needs(app.get_option(name));
}

/// Formats help with the texts of command_words.cpp, in lines that fit the terminal.
class Formatter final : public CLI::Formatter {
 public:
  explicit Formatter(const Command& command) : command_(command) {}

  std::string make_option_opts(const CLI::Option* option) const override {
    const Argument* const argument = argument_of(option);
    if (argument == nullptr || !takes_value(*argument)) return "";
    const bool is_list = std::holds_alternative<std::vector<std::string>*>(argument->value);
    return " " + value_words(*argument) + (is_list ? " ..." : "");
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    const Argument* const argument = argument_of(option);
    return beside(argument == nullptr ? option->get_description()
                                      : help_words(*argument, command_));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_display_name(true),
                             beside(command->get_description()), get_column_width());
    return out.str();
  }

 private:
  /// The text in lines that fit the right column.
  std::string beside(const std::string& text) const {
    return wrapped(text, terminal_width() - get_column_width());
  }

  const Argument* argument_of(const CLI::Option* option) const {
    for (const Argument& argument : command_.arguments)
      if (option->check_name(option_names(argument).front())) return &argument;
    return nullptr;
  }

  const Command& command_;
};

void declare(CLI::App& app, const Command& command) {
  app.formatter(std::make_shared<Formatter>(command));
  for (const Argument& argument : command.arguments) add(app, argument);
  app.footer(help_footer(command, terminal_width()));
  if (command.is_hidden) app.group("");
  for (const Command& inner : command.commands)
    declare(*app.add_subcommand(inner.name, inner.purpose), inner);
}

/// The command that the command line names: the subcommand, if there is one.
const Command& chosen(const CLI::App& app, const Command& command) {
  const auto named = app.get_subcommands();
  if (named.empty()) return command;
  const auto inner =
      std::find_if(command.commands.begin(), command.commands.end(),
                   [&](const Command& other) { return other.name == named.front()->get_name(); });
  return chosen(*named.front(), *inner);
}

const Argument& find(const Command& command, const std::string& name) {
  return *std::find_if(command.arguments.begin(), command.arguments.end(),
                       [&](const Argument& argument) { return argument.name == name; });
}

bool is_given(const Argument& argument) { return !std::get<std::string*>(argument.value)->empty(); }

/// Checks `required_unless`, a rule that CLI11 does not have.
void check_alternatives(const Command& command) {
  for (const Argument& argument : command.arguments) {
    if (argument.required_unless.empty()) continue;
    const Argument& other = find(command, argument.required_unless);
    if (is_given(argument) || is_given(other)) continue;
    throw CLI::RequiredError(argument.name + ", or " + other.name + " " + other.type + ",");
  }
}

/// The full name of the typed command: "mixwell", "mixwell plugins show".
std::string typed_name(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return app.get_name() + (named.empty() ? "" : " " + typed_name(*named.front()));
}

/// Words to suggest for an unknown word: the options of the command, or its subcommands.
std::vector<std::string> known_words(const Command& command, bool are_options) {
  std::vector<std::string> words;
  if (!are_options) {
    for (const Command* const inner : shown_commands(command)) words.push_back(inner->name);
    return words;
  }
  for (const Argument& argument : command.arguments) {
    if (!is_option(argument)) continue;
    for (std::string& name : option_names(argument)) words.push_back(std::move(name));
  }
  words.emplace_back("--help");
  return words;
}

/// A message about the first word that is neither an option nor a command; "" if there is none.
std::string unknown_word(const CLI::App& app, const Command& program) {
  const std::vector<std::string> left = app.remaining(true);
  if (left.empty()) return "";
  const Command& command = chosen(app, program);
  const bool is_option = left.front().starts_with('-');
  const std::string word = left.front().substr(0, left.front().find('='));
  if (!is_option && shown_commands(command).empty())
    return fmt::format("{} accepts no further arguments (got \"{}\")", typed_name(app), word);
  const std::string typed = typed_name(app);
  return fmt::format("{} has no {} \"{}\"{}", typed, is_option ? "option" : "command", word,
                     suggestion_for(typed + " " + word, word, known_words(command, is_option)));
}

/// Turns an exception of CLI11 into a request. Help and version are successes, and everything else
/// is invalid input.
Request explain(const CLI::App& app, const Command& program, const CLI::ParseError& fault) {
  if (fault.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    app.exit(fault);
    return {};
  }
  const std::string unknown = unknown_word(app, program);
  return {nullptr, fmt::format("{} (see {} --help)", unknown.empty() ? fault.what() : unknown,
                               typed_name(app))};
}

}  // namespace

Request parse(const Command& program, const std::string& version, int count, char** words) {
  CLI::App app(program.purpose, program.name);
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  declare(app, program);
  try {
    app.parse(count, words);
    const Command& command = chosen(app, program);
    check_alternatives(command);
    return {&command};
  } catch (const CLI::ParseError& fault) {
    return explain(app, program, fault);
  }
}

}  // namespace mixwell::app
