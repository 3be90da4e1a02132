// What shells complete of a command line, made of what the commands declare.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command_line.hpp"

#include <string>

namespace mixwell::app {

/// Scripts that know all commands, options and values of which there are finitely many. Components
/// are asked for when they are completed: from the program that is typed, with its plugins.
std::string bash_completion(const Command& program);
std::string zsh_completion(const Command& program);

}  // namespace mixwell::app
