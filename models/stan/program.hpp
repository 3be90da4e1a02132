// A program in the Stan language: its text, and what is to be done with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.hpp"

#include <mixwell/plugin.hpp>

#include <cctype>
#include <filesystem>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell::stan {

/// What a library is made from.
struct Program {
  std::string path;
  std::string text;
  /// Folders where `#include` looks, in order: those of the manifest, then the program's own.
  std::vector<std::string> include_paths;

  /// As compilers are to call it in messages: the file's name, without what may mean something in
  /// C++.
  std::string told_name() const {
    return plain(std::filesystem::path(path).filename().string(), "_.-");
  }
  /// A name for C++, made of the file's.
  std::string name() const { return plain(std::filesystem::path(path).stem().string(), ""); }

 private:
  static std::string plain(std::string all, std::string_view also) {
    for (char& c : all)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && also.find(c) == also.npos) c = '_';
    return all;
  }
};

/// A library, and what went into it beside the program and its data.
struct Made {
  std::string library;
  std::string data;                  ///< as the library wants them
  std::string engine;                ///< "compile" or "interpret"
  std::vector<std::string> remarks;  ///< what made it, and what it lacks
  /// Data for the model that computes generated quantities, where it is another one; "" = the same.
  std::string generating{};
};

namespace detail {

inline std::string without_end(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  return end == std::string::npos ? "" : text.substr(0, end + 1);
}

}  // namespace detail

/// Where an included file is, as Stan's compilers look for it, or "".
inline std::string find_included(const Program& program, const std::string& name) {
  for (const std::string& folder : program.include_paths) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) return path.string();
  }
  return {};
}

/// The place that a message of Stan's names first, "in 'FILE', line N, column M" with columns from
/// 0; line 0 where it names none.
inline Location place_in(const Program& program, const std::string& message) {
  static const std::regex pattern("in '([^']*)', line ([0-9]{1,6}), column ([0-9]{1,6})");
  std::smatch found;
  if (!std::regex_search(message, found, pattern)) return {program.path, 0, 0};
  Location where{program.path, std::stoi(found[2]), std::stoi(found[3]) + 1};
  if (found[1] != program.told_name()) {
    const std::string included = find_included(program, found[1]);
    where.file = included.empty() ? found[1].str() : included;
  }
  return where;
}

/// Stan's words for what is wrong with a program, behind the place.
[[noreturn]] inline void refuse_program(const Program& program, const std::string& message) {
  throw InputError(place_in(program, message),
                   "the program does not compile; Stan says:\n" + detail::without_end(message));
}

}  // namespace mixwell::stan
