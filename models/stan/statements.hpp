// The statements of a block, what each of them says and writes, and what is left without some.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "declared.hpp"
#include "text.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace mixwell::stan {

/// One that is in no other statement.
struct Statement {
  Tokens tokens;
  std::set<std::string> words;    ///< all that it mentions
  std::set<std::string> written;  ///< what it declares or assigns
  std::vector<std::string> declared;
};

namespace detail {

/// Behind the indices and members of the variable at k.
inline std::size_t past_element(Tokens tokens, std::size_t k) {
  for (++k; k < tokens.size() && (tokens[k].text == "[" || tokens[k].text[0] == '.');)
    k = tokens[k].text == "[" ? past_closing(tokens, k) : k + 1;
  return k;
}

/// Whether x = ..., x[i] = ..., x += ... begins at k, and is no bound such as <lower=0, upper=1>.
inline bool is_assignment(Tokens tokens, std::size_t k) {
  if (!tokens[k].is_word()) return false;
  if (k > 0 && (tokens[k - 1].text == "<" || tokens[k - 1].text == ",")) return false;
  std::size_t at = past_element(tokens, k);
  static const std::set<std::string> operators = {"+", "-", "*", "/", ".*", "./"};
  if (at < tokens.size() && operators.contains(tokens[at].text)) ++at;
  return at < tokens.size() && tokens[at].text == "=";
}

/// The variables of (x, y[i], (z, w)) = ..., the assignment of a tuple that begins at k; none where
/// it is no assignment.
inline std::set<std::string> unpacked(Tokens tokens, std::size_t k) {
  std::set<std::string> names;
  const std::size_t past = tokens[k].text == "(" ? past_closing(tokens, k) : tokens.size();
  if (past >= tokens.size() || tokens[past].text != "=") return names;
  while (k < past) {
    if (tokens[k].is_word()) names.insert(tokens[k].text);
    k = tokens[k].is_word() ? past_element(tokens, k) : k + 1;
  }
  return names;
}

/// One past the statement that begins at `first`: behind a semicolon or a closing brace, unless
/// `else` or the rest of an expression follows.
inline std::size_t past_statement(Tokens tokens, std::size_t first) {
  for (std::size_t k = first; k < tokens.size();) {
    const bool opens_block = tokens[k].text == "{";
    const bool opens = opens_block || tokens[k].text == "(" || tokens[k].text == "[";
    const bool is_end = opens_block || tokens[k].text == ";";
    k = opens ? past_closing(tokens, k) : k + 1;
    if (!is_end || (k < tokens.size() && tokens[k].text == "else")) continue;
    if (!opens_block || k >= tokens.size() || tokens[k].is_word() || tokens[k].text == "{")
      return k;
  }
  return tokens.size();
}

inline Statement statement_of(const ProgramText& program, Tokens tokens) {
  Statement one{.tokens = tokens, .words = {}, .written = {}, .declared = {}};
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (tokens[k].is_word()) one.words.insert(tokens[k].text);
    if (is_assignment(tokens, k)) one.written.insert(tokens[k].text);
    one.written.merge(unpacked(tokens, k));
  }
  for (const Declared& variable : DeclarationReader(program, tokens).read().variables)
    one.declared.push_back(variable.name);
  one.written.insert(one.declared.begin(), one.declared.end());
  return one;
}

}  // namespace detail

inline std::vector<Statement> statements_in(const ProgramText& program, Tokens block) {
  std::vector<Statement> all;
  for (std::size_t at = 0; at < block.size();) {
    const std::size_t past = detail::past_statement(block, at);
    all.push_back(detail::statement_of(program, block.subspan(at, past - at)));
    at = past;
  }
  return all;
}

/// Marks in `dropped` the statement k, and all that mention what a dropped one writes: what is left
/// means what it did before.
inline void drop(const std::vector<Statement>& statements, std::size_t k,
                 std::vector<bool>& dropped) {
  if (dropped[k]) return;
  dropped[k] = true;
  for (std::size_t other = 0; other < statements.size(); ++other) {
    const std::set<std::string>& words = statements[other].words;
    const bool mentions =
        std::any_of(statements[k].written.begin(), statements[k].written.end(),
                    [&](const std::string& name) { return words.contains(name); });
    if (mentions) drop(statements, other, dropped);
  }
}

}  // namespace mixwell::stan
