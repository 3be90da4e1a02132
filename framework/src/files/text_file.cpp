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
namespace {

[[noreturn]] void unreadable(const std::string& path, const std::string& what, const char* why) {
  throw InputError(path + ": the " + what + " cannot be read: " + why);
}

}  // namespace

std::string read_text_file(const std::string& path, const std::string& what) {
  if (std::filesystem::is_directory(path)) unreadable(path, what, "it is a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in) unreadable(path, what, std::strerror(errno));
  return {std::istreambuf_iterator<char>(in), {}};
}

toml::table parse_toml(const std::string& text, const std::string& path) {
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& fault) {
    const toml::source_position at = fault.source().begin;
    throw InputError({path, static_cast<int>(at.line), static_cast<int>(at.column)},
                     "not valid TOML: " + std::string(fault.description()));
  }
}

}  // namespace mixwell
