// For each statement of a program, finds its identifiers and the statements that depend on it.
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

/// A statement that is not inside another statement.
struct Statement {
  Tokens tokens;
  std::set<std::string> words;    ///< all words in it
  std::set<std::string> written;  ///< the variables that it declares or assigns
  std::vector<std::string> declared;
};

namespace detail {

/// One past the indices and members of the variable at k.
inline std::size_t past_element(Tokens tokens, std::size_t k) {
  for (++k; k < tokens.size() && (tokens[k].text == "[" || tokens[k].text[0] == '.');)
    k = tokens[k].text == "[" ? past_closing(tokens, k) : k + 1;
  return k;
}

/// Whether x = ..., x[i] = ..., x += ... begins at k, and is not a bound such as <lower=0,
/// upper=1>.
inline bool is_assignment(Tokens tokens, std::size_t k) {
  if (!tokens[k].is_word()) return false;
  if (k > 0 && (tokens[k - 1].text == "<" || tokens[k - 1].text == ",")) return false;
  std::size_t at = past_element(tokens, k);
  static const std::set<std::string> operators = {"+", "-", "*", "/", ".*", "./"};
  if (at < tokens.size() && operators.contains(tokens[at].text)) ++at;
  return at < tokens.size() && tokens[at].text == "=";
}

/// The variables of (x, y[i], (z, w)) = ..., the assignment of a tuple that begins at k; none if no
/// such assignment begins there.
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

/// One past the statement that begins at `first`: after a semicolon or a closing brace, unless
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

/// Marks statement k in `dropped`, and all statements that mention what a dropped statement writes,
/// so the remaining statements keep their meaning.
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

struct Function {
  std::string name;
  Tokens body;  ///< between its braces
};

inline std::vector<Function> functions_in(const ProgramText& program) {
  const Tokens block = program.block("functions");
  std::vector<Function> all;
  for (std::size_t k = 0; k < block.size();) {
    const std::size_t past = block[k].text == "(" ? detail::past_closing(block, k) : k + 1;
    if (block[k].text == "(" && k > 0 && past < block.size() && block[past].text == "{") {
      const std::size_t end = detail::past_closing(block, past);
      all.push_back({block[k - 1].text, block.subspan(past + 1, end - past - 1)});
      k = end;
    } else {
      k = past;
    }
  }
  return all;
}

inline bool mentions(Tokens tokens, const std::set<std::string>& words) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const Token& token) { return words.contains(token.text); });
}

namespace detail {

/// All words that call the function: `y ~ f(x)` calls f_lpdf.
inline std::vector<std::string> words_for(const std::string& function) {
  const std::size_t at = function.rfind('_');
  const std::string end = at == std::string::npos ? "" : function.substr(at);
  static const std::set<std::string> of_laws = {"_lpdf", "_lpmf", "_lcdf", "_lccdf"};
  if (!of_laws.contains(end)) return {function};
  const std::string law = function.substr(0, at);
  return {function, law, law + "_lupdf", law + "_lupmf"};
}

}  // namespace detail

/// The words that call a function whose body satisfies `has`, or a function that uses such a
/// function.
template <class Predicate>
std::set<std::string> functions_with(const ProgramText& program, const Predicate& has) {
  const std::vector<Function> all = functions_in(program);
  std::set<std::string> words;
  for (std::size_t before = words.size() + 1; before != words.size();) {
    before = words.size();
    for (const Function& one : all)
      if (has(one.body) || mentions(one.body, words))
        for (std::string& word : detail::words_for(one.name)) words.insert(std::move(word));
  }
  return words;
}

/// Whether a `while` loop among the tokens contains a `return` statement.
inline bool returns_from_while(Tokens tokens) {
  for (std::size_t k = 0; k < tokens.size(); ++k)
    if (tokens[k].text == "while" &&
        mentions(tokens.subspan(k, detail::past_statement(tokens, k) - k), {"return"}))
      return true;
  return false;
}

class LeftOut {
 public:
  explicit LeftOut(const ProgramText& text)
      : text_(text),
        all_(statements_in(text, text.block("generated quantities"))),
        dropped_(all_.size(), false) {}

  const std::vector<Statement>& statements() const noexcept { return all_; }
  bool has(std::size_t k) const { return dropped_[k]; }
  /// Leaves out statement k, and all statements that use its results.
  void add(std::size_t k, const std::string& why) {
    drop(all_, k, dropped_);
    why_ += (why_.empty() ? "" : "; ") + to_string(all_[k].tokens.front().where) + ": " + why;
  }

  std::vector<Tokens> parts() const { return parts(all_.size()); }
  /// The tokens left out among the first `count` statements, and all statements after these.
  std::vector<Tokens> parts(std::size_t count) const {
    std::vector<Tokens> parts;
    for (std::size_t k = 0; k < all_.size(); ++k)
      if (k >= count || dropped_[k]) parts.push_back(all_[k].tokens);
    return parts;
  }

  std::string remark() const {
    const std::string names = this->names();
    return "engine `interpret` cannot compute " +
           (names.empty()
                ? "a part of the generated quantities. No variable is missing from the results, "
                  "but Mixwell leaves out some statements"
                : "these generated quantities, so they are missing from the results: " + names) +
           " (" + why_ + ")." +
           (can_reject() ? " One of the omitted statements can reject a draw. The results do not "
                           "mark the draws that it would reject."
                         : "") +
           " Use `engine = \"compile\"` to compute all generated quantities.";
  }

 private:
  std::string names() const {
    std::string names;
    for (std::size_t k = 0; k < all_.size(); ++k)
      for (const std::string& name : all_[k].declared)
        if (dropped_[k]) names += (names.empty() ? "`" : ", `") + name + "`";
    return names;
  }

  bool can_reject() const {
    const std::set<std::string> words = {"reject", "fatal_error"};
    std::set<std::string> rejecting =
        functions_with(text_, [&](Tokens body) { return mentions(body, words); });
    rejecting.insert(words.begin(), words.end());
    for (std::size_t k = 0; k < all_.size(); ++k)
      if (dropped_[k] && mentions(all_[k].tokens, rejecting)) return true;
    return false;
  }

  const ProgramText& text_;
  std::vector<Statement> all_;
  std::vector<bool> dropped_;
  std::string why_;
};

}  // namespace mixwell::stan
