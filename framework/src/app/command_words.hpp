// What help, manual pages and completion say of a command: one wording for all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command_line.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell::app {

bool is_option(const Argument& argument);
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
const std::vector<ExitCodeWords>& exit_code_words();

/// Variables of the environment that every command heeds.
struct VariableWords {
  const char* name;
  const char* meaning;
};
const std::vector<VariableWords>& variable_words();

/// Below the options in `--help`, in lines of `width`: notes, which are laid out already, example,
/// exit codes; "" of a command without an example.
std::string help_footer(const Command& command, std::size_t width);

}  // namespace mixwell::app
