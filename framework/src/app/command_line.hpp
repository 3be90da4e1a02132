// What the program takes from its command line: commands declare it here, and only one file
// parses. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/error.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mixwell::app {

/// A positional, an option with a value, or a flag (which is what a bool makes it).
struct Argument {
  using Target = std::variant<bool*, int*, double*, std::string*, std::vector<std::string>*>;

  std::string name;  ///< "manifest" of a positional, "--out", or "-o,--out"
  Target value;      ///< where what is given goes; what is there before is the default
  std::string help;
  /// What help shows as the value, and shells offer for it: alternatives between `|`, each DIR,
  /// FILE, NAME.toml (a file with that ending), KIND/ID (a component) or a word in small letters;
  /// for any other nothing is offered.
  std::string type = {};
  bool required = false;
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

}  // namespace mixwell::app
