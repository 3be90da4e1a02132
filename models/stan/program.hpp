// A program in the Stan language: its text, and what is to be done with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace mixwell::stan {

/// What a library is made from.
struct Program {
  std::string path;
  std::string text;
  /// Folders where `#include` looks, in order: those of the manifest, then the program's own.
  std::vector<std::string> include_paths;
  std::vector<std::string> stanc_flags;

  /// As compilers are to call it in messages: the file's name, without what may mean something in
  /// C++ or to a shell.
  std::string told_name() const {
    std::string all = std::filesystem::path(path).filename().string();
    for (char& c : all)
      if (!is_plain(c)) c = '_';
    return all;
  }
  static bool is_plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  }
  /// A name for C++ and for make, made of the file's.
  std::string name() const {
    std::string all = std::filesystem::path(path).stem().string();
    for (char& c : all)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return all;
  }
};

/// A library, and what went into it beside the program and its data.
struct Made {
  std::string library;
  std::string data;                  ///< as the library wants them
  std::string engine;                ///< "compile" or "interpret"
  std::vector<std::string> remarks;  ///< what made it, and what it lacks
  std::vector<std::string> files{};
  /// Data for the model that computes generated quantities, where it is another one; "" = the same.
  std::string generating{};
};

namespace detail {

/// "in 'FILE', line N, column M", the first in a message: the place it is about.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;  ///< from 0, as Stan counts
};

inline Place first_place(const std::string& message) {
  static const std::regex pattern("in '([^']*)', line ([0-9]{1,6}), column ([0-9]{1,6})");
  std::smatch found;
  if (!std::regex_search(message, found, pattern)) return {};
  return {found[1], std::stoi(found[2]), std::stoi(found[3])};
}

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

/// The place that a message of Stan's names first, columns from 1; line 0 where it names none.
inline Location place_in(const Program& program, const std::string& message) {
  const detail::Place place = detail::first_place(message);
  if (place.line == 0) return {program.path, 0, 0};
  Location where{program.path, place.line, place.column + 1};
  if (place.file != program.told_name()) {
    const std::string included = find_included(program, place.file);
    where.file = included.empty() ? place.file : included;
  }
  return where;
}

/// Stan's words for what is wrong with a program, behind the place.
[[noreturn]] inline void refuse_program(const Program& program, const std::string& message) {
  throw InputError(place_in(program, message),
                   "the program does not compile; Stan says:\n" + detail::without_end(message));
}

/// What the directives `#include` of a text name.
inline std::vector<std::string> included_names(const std::string& text) {
  static const std::regex pattern(R"re(#include\s+(?:"([^"\r\n]*)"|<([^>\r\n]*)>|(\S+)))re");
  std::vector<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    names.push_back((*at)[1].str() + (*at)[2].str() + (*at)[3].str());
  return names;
}

/// Files that a text includes, those that they include among them. What is not found is left to
/// Stan's compiler to tell.
inline void add_included(const Program& program, const std::string& text,
                         std::vector<std::string>& files) {
  for (const std::string& name : included_names(text)) {
    const std::string path = find_included(program, name);
    if (path.empty() || std::find(files.begin(), files.end(), path) != files.end()) continue;
    files.push_back(path);
    add_included(program, text_of_file("program", path), files);
  }
}

}  // namespace mixwell::stan
