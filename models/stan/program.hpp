// A Stan program, the library that evaluates it, and errors with positions in the program.
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

/// The source of a library.
struct Program {
  std::string path;
  std::string text;
  /// Folders that are searched for `#include`, in order: those of the manifest, then the program's
  /// own.
  std::vector<std::string> include_paths;

  /// The name that compilers use in messages: the file's name, without characters that are special
  /// in C++.
  std::string told_name() const {
    return plain(std::filesystem::path(path).filename().string(), "_.-");
  }
  /// A C++ identifier made from the file's name.
  std::string name() const { return plain(std::filesystem::path(path).stem().string(), ""); }

 private:
  static std::string plain(std::string all, std::string_view also) {
    for (char& c : all)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && also.find(c) == also.npos) c = '_';
    return all;
  }
};

/// A library, with the data that a model needs and remarks about how the library was made.
struct Made {
  std::string library;
  std::string data;                  ///< JSON in the form that the library needs
  std::string engine;                ///< "compile" or "interpret"
  std::vector<std::string> remarks;  ///< how the library was made, and what it cannot compute
  /// Data for the model that computes generated quantities, or "" if one model computes
  /// everything.
  std::string generating{};
};

namespace detail {

inline std::string without_end(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  return end == std::string::npos ? "" : text.substr(0, end + 1);
}

}  // namespace detail

/// The path of an included file, found as Stan's compilers find it, or "".
inline std::string find_included(const Program& program, const std::string& name) {
  for (const std::string& folder : program.include_paths) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) return path.string();
  }
  return {};
}

/// The first position in a message from Stan: "in 'FILE', line N, column M", with columns from
/// 0. The line is 0 if the message gives none.
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

/// Throws InputError at the place, with Stan's message.
[[noreturn]] inline void refuse_program(const Program& program, const std::string& message) {
  throw InputError(place_in(program, message),
                   "the program does not compile. Correct the program. Stan says:\n" +
                       detail::without_end(message));
}

}  // namespace mixwell::stan
