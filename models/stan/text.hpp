// Reads the text of a program in the Stan language: its tokens, its blocks and its included files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell::stan {

/// A word, a number, a string or an operator.
struct Token {
  std::string text;
  std::size_t begin = 0;  ///< in ProgramText::text
  std::size_t end = 0;
  Location where{};  ///< in the program or in a file that it includes

  bool is_word() const {
    return std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_';
  }
};

using Tokens = std::span<const Token>;

namespace detail {

/// A text and its tokens. Included files replace their directives.
struct Lexed {
  std::string text;
  std::vector<Token> tokens;
  std::vector<std::string> files;  ///< the included files, each once
};

/// Reads a file and the files that it includes. Accepts any text, because Stan's compiler reports
/// the mistakes.
class Lexer {
 public:
  /// `outer`: the reader of the file that includes this one, or null.
  Lexer(const Program& program, const std::string& path, std::string source, Lexed& out,
        const Lexer* outer = nullptr)
      : program_(program),
        where_{path, 1, 1},
        source_(std::move(source)),
        out_(out),
        outer_(outer) {}

  void read() {
    while (at_ < source_.size()) read_piece();
  }

 private:
  void read_piece() {
    const std::string_view rest = std::string_view(source_).substr(at_);
    if (rest.starts_with("#include")) return include(rest);
    if (rest[0] == '#' || rest.starts_with("//")) return pass(rest.find('\n'));
    if (rest.starts_with("/*")) return pass(after(rest.find("*/", 2), 2));
    if (rest[0] == '"') return keep(after(rest.find('"', 1), 1));
    if (is_one_of(rest[0], " \t\r\n") || static_cast<unsigned char>(rest[0]) >= 0x80)
      return pass(1);
    keep(length_of_token(rest));
  }

  /// Reads the file that a directive at the beginning of `rest` includes. Leaves a file that is
  /// missing, or that includes itself, to Stan's compiler.
  void include(std::string_view rest) {
    static const std::regex pattern(R"re(#include\s+(?:"([^"\r\n]*)"|<([^>\r\n]*)>|(\S+)))re");
    const std::string_view text = rest.substr(0, longest_directive);
    std::cmatch found;
    std::regex_search(text.begin(), text.end(), found, pattern,
                      std::regex_constants::match_continuous);
    const std::string name = found.empty() ? "" : found.str(1) + found.str(2) + found.str(3);
    const std::string path = name.empty() ? "" : find_included(program_, name);
    if (path.empty() || is_open(path)) return pass(rest.find_first_of("\r\n"));
    if (std::find(out_.files.begin(), out_.files.end(), path) == out_.files.end())
      out_.files.push_back(path);
    move(static_cast<std::size_t>(found.length()));
    Lexer(program_, path, text_of_file("program", path), out_, this).read();
  }
  bool is_open(const std::string& path) const {
    return where_.file == path || (outer_ != nullptr && outer_->is_open(path));
  }

  static std::size_t after(std::size_t found, std::size_t length) {
    return found == std::string_view::npos ? found : found + length;
  }
  static bool is_one_of(char c, std::string_view set) { return set.find(c) != set.npos; }
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }
  static bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

  static std::size_t length_of_token(std::string_view rest) {
    if (is_digit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && is_digit(rest[1])))
      return length_of_number(rest);
    std::size_t length = 0;
    while (length < rest.size() && is_word(rest[length])) ++length;
    if (length > 0) return length;
    for (const std::string_view sign :
         {"%/%", "==", "!=", "<=", ">=", "&&", "||", ".*", "./", ".^"})
      if (rest.starts_with(sign)) return sign.size();
    return 1;
  }

  static std::size_t length_of_number(std::string_view rest) {
    std::size_t length = 1;
    while (length < rest.size() &&
           (is_word(rest[length]) || rest[length] == '.' ||
            (is_one_of(rest[length], "+-") && is_one_of(rest[length - 1], "eE"))))
      ++length;
    return length;
  }

  /// Moves on by `length` characters, and returns these characters.
  std::string_view move(std::size_t length) {
    const std::string_view piece = std::string_view(source_).substr(at_, length);
    for (const char c : piece) {
      where_.column = c == '\n' ? 1 : where_.column + 1;
      if (c == '\n') ++where_.line;
    }
    at_ += piece.size();
    return piece;
  }
  void pass(std::size_t length) { out_.text += move(length); }
  void keep(std::size_t length) {
    Token token{.text = source_.substr(at_, length), .begin = out_.text.size(), .where = where_};
    pass(length);
    token.end = out_.text.size();
    out_.tokens.push_back(std::move(token));
  }

  static constexpr std::size_t longest_directive = 4096;

  const Program& program_;
  Location where_;
  std::string source_;
  Lexed& out_;
  const Lexer* outer_;
  std::size_t at_ = 0;
};

/// One past the bracket that closes the bracket at `open`, or the end.
inline std::size_t past_closing(Tokens tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t k = open; k < tokens.size(); ++k) {
    const std::string& text = tokens[k].text;
    if (text == "(" || text == "[" || text == "{") ++depth;
    if (text == ")" || text == "]" || text == "}") --depth;
    if (depth == 0) return k + 1;
  }
  return tokens.size();
}

}  // namespace detail

/// A program with its included files, split into blocks.
class ProgramText {
 public:
  explicit ProgramText(const Program& program) {
    detail::Lexer(program, program.path, program.text, all_).read();
    for (std::size_t k = 0; k + 1 < all_.tokens.size();) k = add_block(k);
  }

  const std::string& text() const noexcept { return all_.text; }
  /// The included files that exist.
  const std::vector<std::string>& files() const noexcept { return all_.files; }
  Tokens tokens() const noexcept { return all_.tokens; }
  /// The tokens as written, without blanks at the ends; "" for no tokens.
  std::string text_of(Tokens some) const {
    return some.empty()
               ? ""
               : all_.text.substr(some.front().begin, some.back().end - some.front().begin);
  }

  /// The tokens between the braces of "data", "generated quantities", ...; empty if there are none.
  Tokens block(const std::string& name) const {
    const auto found = blocks_.find(name);
    if (found == blocks_.end()) return {};
    const auto [first, last] = found->second;
    return tokens().subspan(first, last - first);
  }

  /// The program with all other blocks empty.
  std::string only(const std::set<std::string>& names) const {
    std::vector<Tokens> others;
    for (const auto& [name, range] : blocks_)
      if (!names.contains(name)) others.push_back(block(name));
    return without(others);
  }

  /// The block that has a token in this line, or "".
  std::string block_at(const Location& where) const {
    for (const auto& [name, range] : blocks_)
      for (const Token& token : block(name))
        if (token.where.line == where.line && token.where.file == where.file) return name;
    return {};
  }

  /// The program with these tokens replaced by blanks, so the other lines keep their numbers.
  std::string without(const std::vector<Tokens>& parts) const {
    std::string text = all_.text;
    for (const Tokens part : parts) {
      if (part.empty()) continue;
      for (std::size_t k = part.front().begin; k < part.back().end; ++k)
        if (text[k] != '\n') text[k] = ' ';
    }
    return text;
  }

 private:
  /// Adds a block, or skips a word outside of all blocks; returns the start of the next one.
  std::size_t add_block(std::size_t at) {
    const std::vector<Token>& tokens = all_.tokens;
    std::size_t open = at + 1;
    std::string name = tokens[at].text;
    if ((name == "transformed" || name == "generated") && at + 2 < tokens.size()) {
      name += " " + tokens[at + 1].text;
      open = at + 2;
    }
    if (tokens[open].text != "{") return at + 1;
    const std::size_t past = detail::past_closing(tokens, open);
    blocks_.emplace(name, std::pair(open + 1, std::max(open + 1, past - 1)));
    return past;
  }

  detail::Lexed all_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> blocks_;
};

}  // namespace mixwell::stan
