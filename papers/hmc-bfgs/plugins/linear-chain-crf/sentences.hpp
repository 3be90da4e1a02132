// Sentences of tokens with tags: read from columns of words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell::crf {

/// A line: the words of its columns but the last, which is the tag.
struct Token {
  std::vector<std::string> words;
  std::string tag;
  std::string place{};  ///< in the file
};

using Sentence = std::vector<Token>;

/// How a file's columns are read.
struct Columns {
  std::vector<std::string> names;  ///< of all but the last
  bool position = false;           ///< keep of a tag such as B-NP what stands before the dash
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
    throw InputError(place + ": " + std::to_string(words.size()) + " columns, and " +
                     std::to_string(columns.names.size() + 1) +
                     " are wanted: those of `columns` and the tag");
  std::string tag = std::move(words.back());
  words.pop_back();
  if (columns.position) tag = tag.substr(0, tag.find('-'));
  return {std::move(words), std::move(tag), place};
}

}  // namespace detail

/// A token a line, columns separated by blanks; an empty line ends a sentence. At most `most` of
/// them. Throws InputError for another number of columns and for a sentence without tokens.
inline std::vector<Sentence> read_sentences(const std::string& path, const Columns& columns,
                                            std::size_t most) {
  TextLines lines(path, "lines of a token's columns and its tag");
  std::vector<Sentence> all;
  Sentence sentence;
  const auto end = [&] {
    if (sentence.empty())
      throw InputError(lines.place() +
                       ": a sentence of length 0: one empty line ends a sentence, "
                       "and another one ends nothing; delete it");
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
