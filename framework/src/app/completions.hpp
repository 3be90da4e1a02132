// What may stand as the value of an argument, for a shell to offer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command_line.hpp"

#include <string>
#include <vector>

namespace mixwell::app {

struct Completions {
  std::vector<std::string> words = {};
  std::vector<std::string> endings = {};  ///< of files: "toml"
  bool has_files = false;                 ///< of any name
  bool has_folders = false;
  bool has_components = false;  ///< KIND/ID
};

/// What its choices, words and type say.
Completions completions_of(const Argument& argument);

}  // namespace mixwell::app
