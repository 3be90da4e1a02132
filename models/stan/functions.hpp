// Functions that a program defines, and those of them that have something in their bodies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "statements.hpp"
#include "text.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace mixwell::stan {

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

/// All words that a program calls the function by: `y ~ f(x)` calls f_lpdf.
inline std::vector<std::string> words_for(const std::string& function) {
  const std::size_t at = function.rfind('_');
  const std::string end = at == std::string::npos ? "" : function.substr(at);
  static const std::set<std::string> of_laws = {"_lpdf", "_lpmf", "_lcdf", "_lccdf"};
  if (!of_laws.contains(end)) return {function};
  const std::string law = function.substr(0, at);
  return {function, law, law + "_lupdf", law + "_lupmf"};
}

}  // namespace detail

/// What a program calls those functions by whose body `has` it, or that use such a function.
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

/// Whether a loop `while` among the tokens has a statement `return`.
inline bool returns_from_while(Tokens tokens) {
  for (std::size_t k = 0; k < tokens.size(); ++k)
    if (tokens[k].text == "while" &&
        mentions(tokens.subspan(k, detail::past_statement(tokens, k) - k), {"return"}))
      return true;
  return false;
}

}  // namespace mixwell::stan
