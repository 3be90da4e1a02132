// Finds the data sets that are not part of the project, for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>

namespace data_files {

/// The first file of that name in a folder of MIXWELL_DATA; skips the test where there is none.
inline std::string found(const std::string& name) {
  const char* folders = std::getenv("MIXWELL_DATA");
  std::stringstream list(folders == nullptr ? "" : folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    if (std::filesystem::exists(folder + "/" + name)) return folder + "/" + name;
  }
  std::cout << "skipped: " << name << " is in no folder of MIXWELL_DATA\n";
  std::exit(77);
}

}  // namespace data_files
