// Reads sentences from a file in which each line has the columns of one token and its tag.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell::crf {

/// One line: the words of all columns except the last one, which is the tag.
struct Token {
  std::vector<std::string> words;
  std::string tag;
  std::string place{};  ///< location in the file
};

using Sentence = std::vector<Token>;

/// How to read the columns of a file.
struct Columns {
  std::vector<std::string> names;  ///< names of all columns except the last
  bool position = false;  ///< keep only the part of a tag before the dash, such as B of B-NP
};

namespace detail {

inline std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(" \t", at);
    words.emplace_back(line.substr(at, end == std::string_view::npos ? end : end - at));
    at = line.find_first_not_of(" \t", end);
  }
  return words;
}

inline Token token(std::vector<std::string> words, const Columns& columns,
                   const std::string& place) {
  if (words.size() != columns.names.size() + 1)
    throw InputError(
        place + ": the line has " + std::to_string(words.size()) + " columns, but must have " +
        std::to_string(columns.names.size() + 1) +
        ": the columns that `columns` names, and the tag. Correct the line or `columns`.");
  std::string tag = std::move(words.back());
  words.pop_back();
  if (columns.position) tag = tag.substr(0, tag.find('-'));
  return {std::move(words), std::move(tag), place};
}

}  // namespace detail

/// Reads one token from each line, with columns separated by blanks; an empty line ends a sentence.
/// Reads at most `most` sentences. Throws InputError for a wrong number of columns, and for a
/// sentence without tokens.
inline std::vector<Sentence> read_sentences(const std::string& path, const Columns& columns,
                                            std::size_t most) {
  TextLines lines(path, "lines with the columns of a token and its tag");
  std::vector<Sentence> all;
  Sentence sentence;
  const auto end = [&] {
    if (sentence.empty())
      throw InputError(lines.place() +
                       ": a sentence has no tokens, because there are two empty lines in a row or "
                       "the file begins with an empty line. Delete the extra empty line.");
    all.push_back(std::exchange(sentence, {}));
  };
  while (all.size() < most && lines.next()) {
    std::vector<std::string> words = detail::words_of(lines.line());
    if (words.empty())
      end();
    else
      sentence.push_back(detail::token(std::move(words), columns, lines.place()));
  }
  if (!sentence.empty()) end();
  return all;
}

}  // namespace mixwell::crf
