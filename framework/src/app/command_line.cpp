// What the program takes from its command line. The only file that compiles CLI11, which takes
// seconds. SPDX-License-Identifier: Apache-2.0
#include "app/command_line.hpp"

#include "app/command_words.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <set>
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

void check_range(CLI::Option& option, const Argument& argument) {
  const auto [least, largest] = *argument.range;
  if (std::holds_alternative<int*>(argument.value)) {
    option.check(CLI::Range(static_cast<int>(least), static_cast<int>(largest)));
  } else {
    option.check(CLI::Range(least, largest));
  }
}

void describe(CLI::Option& option, const Argument& argument) {
  option.required(argument.required);
  if (!argument.type.empty()) option.type_name(argument.type);
  if (argument.is_positive) option.check(CLI::PositiveNumber);
  if (argument.range) check_range(option, argument);
  if (!argument.choices.empty()) option.check(CLI::IsMember(argument.choices));
  if (argument.comma_separates) option.delimiter(',');
  if (argument.shows_default) option.capture_default_str();
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

/// CLI11 lists what an option excludes by address, which is chance; here it is by declaration.
class Formatter final : public CLI::Formatter {
 public:
  explicit Formatter(const CLI::App& app) : app_(app) {}

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    const std::set<CLI::Option*> excluded = option->get_excludes();
    if (excluded.empty()) return text;
    const std::string title = " " + get_label("Excludes") + ":";
    text.erase(text.find(title) + title.size());
    for (const CLI::Option* other : app_.get_options()) {
      if (excluded.count(const_cast<CLI::Option*>(other)) > 0)
        text += " " + other->get_name(true, true);
    }
    return text;
  }

 private:
  const CLI::App& app_;
};

void declare(CLI::App& app, const Command& command) {
  app.formatter(std::make_shared<Formatter>(app));
  for (const Argument& argument : command.arguments) add(app, argument);
  app.footer(help_footer(command));
  if (command.is_hidden) app.group("");
  for (const Command& inner : command.commands)
    declare(*app.add_subcommand(inner.name, inner.purpose), inner);
}

/// The one whose name came last on the command line.
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

/// What CLI11 has no word for.
void check_alternatives(const Command& command) {
  for (const Argument& argument : command.arguments) {
    if (argument.required_unless.empty()) continue;
    const Argument& other = find(command, argument.required_unless);
    if (is_given(argument) || is_given(other)) continue;
    throw CLI::RequiredError(argument.name + ", or " + other.name + " " + other.type + ",");
  }
}

/// Help and version end well; everything else that keeps a command line from being carried out is
/// bad input.
Request explain(const CLI::App& app, const CLI::ParseError& fault) {
  if (fault.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    app.exit(fault);
    return {};
  }
  const auto named = app.get_subcommands();
  const std::string command = named.empty() ? "" : " " + named.front()->get_name();
  return {nullptr, std::string(fault.what()) + " (see mixwell" + command + " --help)"};
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
    return explain(app, fault);
  }
}

}  // namespace mixwell::app
