// Where a program keeps what is its user's and no result.
// SPDX-License-Identifier: Apache-2.0
#include "files/user_folder.hpp"

#include <cstdlib>

namespace mixwell {
namespace {

std::string absolute_path_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

}  // namespace

std::string user_folder(const char* variable, const char* fallback) {
  const std::string base = absolute_path_in(variable);
  if (!base.empty()) return base + "/mixwell";
  const std::string home = absolute_path_in("HOME");
  return home.empty() ? "" : home + "/" + fallback + "/mixwell";
}

}  // namespace mixwell
