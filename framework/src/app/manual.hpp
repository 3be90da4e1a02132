// The manual pages, made of what the commands declare.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command_line.hpp"

#include <string>
#include <vector>

namespace mixwell::app {

struct ManualPage {
  std::string file;  ///< "mixwell-plugins-show.1"
  std::string text;  ///< for man(7) macros
};

/// The program's page, then one for each command that is for people.
std::vector<ManualPage> manual_pages(const Command& program, const std::string& version);

}  // namespace mixwell::app
