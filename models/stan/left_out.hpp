// Statements of generated quantities that an engine leaves out, and what is said of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "functions.hpp"
#include "statements.hpp"
#include "text.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace mixwell::stan {

class LeftOut {
 public:
  explicit LeftOut(const ProgramText& text)
      : text_(text),
        all_(statements_in(text, text.block("generated quantities"))),
        dropped_(all_.size(), false) {}

  const std::vector<Statement>& statements() const noexcept { return all_; }
  bool has(std::size_t k) const { return dropped_[k]; }
  /// The statement k, with all that use what it computes.
  void add(std::size_t k, const std::string& why) {
    drop(all_, k, dropped_);
    why_ += (why_.empty() ? "" : "; ") + to_string(all_[k].tokens.front().where) + ": " + why;
  }

  std::vector<Tokens> parts() const { return parts(all_.size()); }
  /// Those among the first `count` statements, and all statements behind these.
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
                ? "a part of the generated quantities, which is left out; no variable is "
                  "missing from the results"
                : "these generated quantities, which are missing from the results: " + names) +
           " (" + why_ + ")." +
           (can_reject() ? " What is left out can reject a draw. Such draws are not marked." : "") +
           " `engine = \"compile\"` computes them.";
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
