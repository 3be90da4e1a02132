// Small files of text, read at once.
// SPDX-License-Identifier: Apache-2.0
#include "files/text_file.hpp"

#include <mixwell/error.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace mixwell {

std::string read_text_file(const std::string& path, const std::string& what,
                           const std::string& cure) {
  const auto unreadable = [&](const char* why) {
    return InputError(path + ": the " + what + " cannot be read: " + why +
                      (cure.empty() ? "" : "; " + cure));
  };
  if (std::filesystem::is_directory(path)) throw unreadable("it is a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw unreadable(std::strerror(errno));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace mixwell
