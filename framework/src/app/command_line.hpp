// Commands declare their arguments with these types. Only command_line.cpp parses the command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/error.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mixwell::app {

/// Rules for the value of an argument, in addition to its type.
struct ArgumentRules {
  bool required = false;             ///< an option that must be given
  bool optional = false;             ///< a positional that may be omitted
  std::string required_unless = {};  ///< an option that replaces this positional
  bool shows_default = false;
  bool is_positive = false;
  std::optional<std::pair<double, double>> range = {};  ///< includes both ends
  std::vector<std::string> choices = {};
  std::vector<std::string> words = {};  ///< shells offer these values; the command checks the value
  /// A list option may always be repeated. With this rule, `a,b` also gives two values.
  bool comma_separates = false;
  /// With this rule, a list option takes all words up to the next option.
  bool takes_many = false;
  std::vector<std::string> excludes = {};  ///< names of arguments declared earlier
  std::vector<std::string> needs = {};     ///< names of arguments declared earlier
};

/// A positional, an option with a value, or a flag (if the target is a bool).
struct Argument : ArgumentRules {
  using Target = std::variant<bool*, int*, double*, std::string*, std::vector<std::string>*>;

  /// `usage`: the names and the type, as in "manifest MANIFEST.toml", "-o,--out DIR" or "--quiet".
  Argument(const std::string& usage, Target value, std::string help, ArgumentRules rules = {});

  std::string name;
  Target value;  ///< holds the default until the given value replaces it
  std::string help;
  /// The value as help shows it and as shells complete it: alternatives separated by `|`. Shells
  /// complete DIR, FILE, NAME.toml (a file with that ending), KIND/ID (a component) and words in
  /// lower case. They offer nothing for other types.
  std::string type;
};

struct Command {
  std::string name;
  std::string purpose;
  std::vector<Argument> arguments = {};
  std::string example = {};    ///< shown in help
  std::string notes = {};      ///< shown in help; formatted lines without a final line break
  const bool* json = nullptr;  ///< whether errors are also printed as JSON
  std::function<ExitCode()> action = {};
  std::vector<Command> commands = {};  ///< subcommands, typed after the name of this command
  bool is_hidden = false;
};

/// The result of parsing a command line: a command, an error message, or neither if help or the
/// version was printed.
struct Request {
  const Command* command = nullptr;
  std::string fault = {};
};

/// Fills in the arguments of the chosen command. `program` itself must have no arguments.
Request parse(const Command& program, const std::string& version, int count, char** words);

// Texts about a command that help, manual pages and completion share.

bool is_option(const Argument& argument);
bool must_be_given(const Argument& argument);
/// "-o" and "--out" of "-o,--out".
std::vector<std::string> option_names(const Argument& argument);
/// False for a flag.
bool takes_value(const Argument& argument);
/// The choices ("dot|svg"), or the type ("DIR"), or else INT, FLOAT or TEXT.
std::string value_words(const Argument& argument);
/// The default value, or "" if help does not show it.
std::string default_words(const Argument& argument);

/// "from 1 to 9". A lower end between 0 and 1e-200 means that the range excludes 0.
std::string range_words(const std::pair<double, double>& range);

/// The help of an argument as sentences: its text, its range, its default, the arguments that it
/// needs, and the arguments that cannot be combined with it.
std::string help_words(const Argument& argument, const Command& command);

/// The subcommands that are not hidden.
std::vector<const Command*> shown_commands(const Command& command);

struct ExitCodeWords {
  ExitCode code;
  const char* meaning;
};
inline constexpr std::array<ExitCodeWords, 5> exit_code_words = {
    {{ExitCode::ok, "success"},
     {ExitCode::failed, "failure, interruption or inconclusive outcome"},
     {ExitCode::bad_input, "invalid input"},
     {ExitCode::refused, "refused by the certificate"},
     {ExitCode::disagrees, "`mixwell verify` disagrees with the certificate"}}};

/// Environment variables that every command reads.
struct VariableWords {
  const char* name;
  const char* meaning;
};
inline constexpr std::array<VariableWords, 3> variable_words = {
    {{"MIXWELL_DATA", "Folders to search for data sets, separated by `:`"},
     {"MIXWELL_PLUGIN_PATH", "Folders with additional plugins, separated by `:`"},
     {"MIXWELL_MEMORY", "Memory limit, for example 4G (default: nine tenths of the free memory)"}}};

/// The text below the options in `--help`, in lines of at most `width` characters: the notes, an
/// example, exit codes and environment variables. "" for a command without an example.
std::string help_footer(const Command& command, std::size_t width);

}  // namespace mixwell::app
