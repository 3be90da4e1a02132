// Reads the variables that a block of a program declares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sizes.hpp"
#include "text.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell::stan {

struct Type {
  std::string word;                  ///< type of the elements: "real", "matrix", "tuple", ...
  std::vector<Tokens> sizes{};       ///< lengths of arrays, then sizes of the elements
  bool is_complex = false;           ///< each element is a list of two numbers in JSON
  std::vector<Type> members{};       ///< for a tuple
  std::vector<Tokens> constraint{};  ///< such as lower=0, upper=1
};

struct Declared {
  std::string name;
  Type type;
  std::string text;  ///< as written: "matrix[N, K] x"
  Location where;
};

/// The declarations of a block, as far as Mixwell can read them.
struct Declarations {
  std::vector<Declared> variables;
  std::optional<Location> unread{};  ///< where the first declaration of an unknown form begins
};

namespace detail {

struct KnownType {
  std::string_view word;
  std::size_t sizes;       ///< the number of sizes in a declaration
  bool is_square = false;  ///< a declaration may give one size instead of two
};

inline constexpr std::array<KnownType, 23> known_types = {{{"int", 0},
                                                           {"real", 0},
                                                           {"complex", 0},
                                                           {"vector", 1},
                                                           {"row_vector", 1},
                                                           {"matrix", 2},
                                                           {"complex_vector", 1},
                                                           {"complex_row_vector", 1},
                                                           {"complex_matrix", 2},
                                                           {"ordered", 1},
                                                           {"positive_ordered", 1},
                                                           {"simplex", 1},
                                                           {"unit_vector", 1},
                                                           {"sum_to_zero_vector", 1},
                                                           {"sum_to_zero_matrix", 2},
                                                           {"column_stochastic_matrix", 2},
                                                           {"row_stochastic_matrix", 2},
                                                           {"cholesky_factor_cov", 2, true},
                                                           {"cholesky_factor_corr", 2, true},
                                                           {"corr_matrix", 2, true},
                                                           {"cov_matrix", 2, true},
                                                           {"array", 0},
                                                           {"tuple", 0}}};

/// The number of sizes of a type that is not an array.
inline std::size_t dimensions_of(const std::string& word) {
  const auto* const known = std::find_if(known_types.begin(), known_types.end(),
                                         [&](const KnownType& one) { return one.word == word; });
  return known == known_types.end() ? 0 : known->sizes;
}

/// Reads declarations until the end of a block, or until something else begins.
class DeclarationReader {
 public:
  DeclarationReader(const ProgramText& program, Tokens block) : program_(program), block_(block) {}

  Declarations read() {
    Declarations all;
    try {
      while (at_ < block_.size()) read_one(all.variables);
    } catch (const Unknown&) {
      const std::size_t last = block_.size() - 1;
      all.unread = block_[at_ < last ? at_ : last].where;
    }
    return all;
  }

 private:
  struct Unknown {};
  static constexpr int deepest = 100;  // levels of nested types

  const std::string& next() const {
    static const std::string end;
    return at_ < block_.size() ? block_[at_].text : end;
  }
  bool take(std::string_view text) {
    if (next() != text) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view text) {
    if (!take(text)) throw Unknown();
  }

  /// TYPE NAME, NAME = VALUE, ...;
  void read_one(std::vector<Declared>& all) {
    const std::size_t begin = at_;
    const Type type = read_type();
    const std::string text = program_.text_of(block_.subspan(begin, at_ - begin));
    do {
      if (at_ >= block_.size() || !block_[at_].is_word()) throw Unknown();
      const Token& name = block_[at_++];
      Declared one{name.text, type, text + " " + name.text, name.where};
      if (next() == "[") add_old_sizes(one.type);
      all.push_back(std::move(one));
      if (next() == "=") pass_value();
    } while (take(","));
    expect(";");
  }
  void pass_value() {
    while (at_ < block_.size() && next() != "," && next() != ";") pass();
  }
  /// Skips a token, or brackets with their content.
  void pass() {
    const bool opens = next() == "(" || next() == "[" || next() == "{";
    at_ = opens ? past_closing(block_, at_) : at_ + 1;
  }

  /// real x[N], the form before Stan 2.33.
  void add_old_sizes(Type& type) {
    std::vector<Tokens> outer = read_list("[");
    type.sizes.insert(type.sizes.begin(), outer.begin(), outer.end());
  }

  Type read_type(int depth = 0) {
    if (depth > deepest) throw Unknown();
    const std::string word = next();
    const auto* const known = std::find_if(known_types.begin(), known_types.end(),
                                           [&](const KnownType& one) { return one.word == word; });
    if (known == known_types.end()) throw Unknown();
    ++at_;
    if (word == "array") return read_array(depth);
    if (word == "tuple") return read_tuple(depth);
    Type type{.word = word, .is_complex = word.starts_with("complex")};
    if (next() == "<") type.constraint = read_constraint();
    if (known->sizes > 0) type.sizes = read_list("[");
    if (known->is_square && type.sizes.size() == 1) type.sizes.push_back(type.sizes[0]);
    if (type.sizes.size() != known->sizes) throw Unknown();
    return type;
  }
  Type read_array(int depth) {
    const std::vector<Tokens> outer = read_list("[");
    Type type = read_type(depth + 1);
    type.sizes.insert(type.sizes.begin(), outer.begin(), outer.end());
    return type;
  }
  Type read_tuple(int depth) {
    Type type{.word = "tuple"};
    expect("(");
    do type.members.push_back(read_type(depth + 1));
    while (take(","));
    expect(")");
    return type;
  }

  /// Up to the first > outside of brackets, separated by commas.
  std::vector<Tokens> read_constraint() {
    std::vector<Tokens> all;
    for (std::size_t from = ++at_; at_ < block_.size(); from = ++at_) {
      while (at_ < block_.size() && next() != ">" && next() != ",") pass();
      all.push_back(block_.subspan(from, at_ - from));
      if (next() == ">") break;
    }
    expect(">");
    return all;
  }

  /// Expressions between brackets, separated by commas.
  std::vector<Tokens> read_list(std::string_view open) {
    if (next() != open) throw Unknown();
    const std::size_t past = past_closing(block_, at_);
    std::vector<Tokens> all;
    for (std::size_t from = ++at_; at_ < past; ++at_) {
      const bool ends = next() == "," || at_ + 1 == past;
      if (ends) all.push_back(block_.subspan(from, at_ - from));
      if (ends) from = at_ + 1;
      if (next() == "(" || next() == "[" || next() == "{") at_ = past_closing(block_, at_) - 1;
    }
    return all;
  }

  const ProgramText& program_;
  Tokens block_;
  std::size_t at_ = 0;
};

}  // namespace detail

inline Declarations declarations_in(const ProgramText& program, const std::string& block) {
  return detail::DeclarationReader(program, program.block(block)).read();
}

/// Adds the names that occur in the sizes, or in the constraints, of these variables.
inline void add_names(const Type& type, std::vector<Tokens> Type::*of,
                      std::set<std::string>& names) {
  for (const Tokens tokens : type.*of)
    for (const Token& token : tokens)
      if (token.is_word()) names.insert(token.text);
  for (const Type& member : type.members) add_names(member, of, names);
}

}  // namespace mixwell::stan
