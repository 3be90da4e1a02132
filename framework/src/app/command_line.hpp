// What the program takes from its command line: commands declare it here, and only one file
// parses. SPDX-License-Identifier: Apache-2.0
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

/// What an argument may be, beyond its type.
struct ArgumentRules {
  bool required = false;             ///< an option that must be given
  bool optional = false;             ///< a positional that may be left out
  std::string required_unless = {};  ///< an option that may be given instead of this positional
  bool shows_default = false;
  bool is_positive = false;
  std::optional<std::pair<double, double>> range = {};  ///< both ends belong to it
  std::vector<std::string> choices = {};
  std::vector<std::string> words = {};  ///< what shells offer, and the command itself checks
  /// Of a list, which may always be given several times: `a,b` are two values, and
  bool comma_separates = false;
  /// all words up to the next option belong to it.
  bool takes_many = false;
  std::vector<std::string> excludes = {};  ///< names of arguments that were declared before
  std::vector<std::string> needs = {};     ///< likewise
};

/// A positional, an option with a value, or a flag (which is what a bool makes it).
struct Argument : ArgumentRules {
  using Target = std::variant<bool*, int*, double*, std::string*, std::vector<std::string>*>;

  /// `usage`: name and type, "manifest MANIFEST.toml" of a positional, "-o,--out DIR", "--quiet".
  Argument(const std::string& usage, Target value, std::string help, ArgumentRules rules = {});

  std::string name;
  Target value;  ///< where what is given goes; what is there before is the default
  std::string help;
  /// What help shows as the value, and shells offer for it: alternatives between `|`, each DIR,
  /// FILE, NAME.toml (a file with that ending), KIND/ID (a component) or a word in small letters;
  /// for any other nothing is offered.
  std::string type;
};

struct Command {
  std::string name;
  std::string purpose;
  std::vector<Argument> arguments = {};
  std::string example = {};    ///< in help, as the notes are
  std::string notes = {};      ///< lines that are laid out already, without the last line's end
  const bool* json = nullptr;  ///< whether errors are printed as JSON too
  std::function<ExitCode()> action = {};
  std::vector<Command> commands = {};  ///< with a name of their own after that of this one
  bool is_hidden = false;
};

/// What a command line asks for: a command, or nothing more (help and version are printed), or a
/// fault, as a sentence.
struct Request {
  const Command* command = nullptr;
  std::string fault = {};
};

/// Fills in the values of the command that was chosen. `program` has no arguments of its own.
Request parse(const Command& program, const std::string& version, int count, char** words);

// What help, manual pages and completion say of a command: one wording for all of them.

bool is_option(const Argument& argument);
bool must_be_given(const Argument& argument);
/// "-o" and "--out" of "-o,--out".
std::vector<std::string> option_names(const Argument& argument);
/// A flag has none.
bool takes_value(const Argument& argument);
/// "DIR", "dot|svg" where choices are all there is, INT, FLOAT or TEXT where no more is known.
std::string value_words(const Argument& argument);
/// What is taken where nothing is given, or "".
std::string default_words(const Argument& argument);

/// "from 1 to 9"; a least value next to 0 is how a range says that 0 is not in it.
std::string range_words(const std::pair<double, double>& range);

/// What an argument of `command` is for, as sentences: with its range, its default, what it goes
/// with, and what it does not go with, whichever of the two excludes the other.
std::string help_words(const Argument& argument, const Command& command);

/// Those that are for people.
std::vector<const Command*> shown_commands(const Command& command);

struct ExitCodeWords {
  ExitCode code;
  const char* meaning;
};
inline constexpr std::array<ExitCodeWords, 5> exit_code_words = {
    {{ExitCode::ok, "ok"},
     {ExitCode::failed, "failed, interrupted or inconclusive"},
     {ExitCode::bad_input, "bad input"},
     {ExitCode::refused, "refused by the certificate"},
     {ExitCode::disagrees, "`verify` disagrees"}}};

/// Variables of the environment that every command heeds.
struct VariableWords {
  const char* name;
  const char* meaning;
};
inline constexpr std::array<VariableWords, 3> variable_words = {
    {{"MIXWELL_DATA", "Folders to look for data sets in, separated by `:`"},
     {"MIXWELL_PLUGIN_PATH", "Folders with more plugins, separated by `:`"},
     {"MIXWELL_MEMORY",
      "The most memory that is asked for, such as 4G (default: nine tenths of what is free)"}}};

/// Below the options in `--help`, in lines of `width`: notes, which are laid out already, example,
/// exit codes; "" of a command without an example.
std::string help_footer(const Command& command, std::size_t width);

}  // namespace mixwell::app
