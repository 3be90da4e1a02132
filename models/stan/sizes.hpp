// Uses the data to evaluate the sizes in a program's declarations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mixwell::stan {

/// A number or an array of numbers, the last index fastest.
struct Value {
  std::vector<Index> shape{};
  std::vector<double> numbers{};
  bool is_integer = true;  ///< by type, so 2.0 is not an integer
};

/// Variables by name.
using Values = std::map<std::string, Value>;

namespace detail {

/// Evaluates expressions of numbers, data, operators, indices and a few functions.
class Expression {
 public:
  /// `known`: the data.
  Expression(Tokens tokens, const Values& known) : tokens_(tokens), known_(known) {}

  /// The value of the expression; nothing if Mixwell cannot evaluate it.
  std::optional<Value> value() {
    if (tokens_.size() > longest) return std::nullopt;
    try {
      Value all = choice();
      if (at_ < tokens_.size()) return std::nullopt;
      return all;
    } catch (const Beyond&) {
      return std::nullopt;
    }
  }

 private:
  struct Beyond {};  // thrown if Mixwell cannot evaluate a part of the expression
  struct Operator {
    const char* sign;
    int level;  ///< a higher level binds more tightly
  };
  static constexpr std::array<Operator, 15> operators = {{{"||", 1},
                                                          {"&&", 2},
                                                          {"==", 3},
                                                          {"!=", 3},
                                                          {"<", 4},
                                                          {"<=", 4},
                                                          {">", 4},
                                                          {">=", 4},
                                                          {"+", 5},
                                                          {"-", 5},
                                                          {"*", 6},
                                                          {"/", 6},
                                                          {"%", 6},
                                                          {"%/%", 6},
                                                          {"^", 8}}};
  static constexpr int level_of_signs = 7;
  static constexpr std::size_t longest = 400;  // tokens; each may open a nested bracket

  bool begins(const std::string& text) const {
    return at_ < tokens_.size() && tokens_[at_].text == text;
  }
  bool take(const std::string& text) {
    if (!begins(text)) return false;
    ++at_;
    return true;
  }
  void expect(const std::string& text) {
    if (!take(text)) throw Beyond();
  }

  static Value number(double value, bool is_integer) {
    return {.shape = {}, .numbers = {value}, .is_integer = is_integer};
  }
  static double scalar(const Value& value) {
    if (!value.shape.empty()) throw Beyond();
    return value.numbers[0];
  }
  static Value count(std::size_t n) { return number(static_cast<double>(n), true); }

  /// CONDITION ? A : B
  Value choice() {
    Value first = binary(1);
    if (!take("?")) return first;
    Value yes = choice();
    expect(":");
    Value no = choice();
    return scalar(first) != 0 ? yes : no;
  }

  Value binary(int level) {
    Value left = signed_value();
    for (;;) {
      const auto found = std::find_if(operators.begin(), operators.end(),
                                      [&](const Operator& one) { return begins(one.sign); });
      if (found == operators.end() || found->level < level) return left;
      ++at_;
      const bool is_power = found->level > level_of_signs;  // associates from the right
      left = applied(found->sign, left, binary(found->level + (is_power ? 0 : 1)));
    }
  }

  Value signed_value() {
    if (take("-")) return applied("-", number(0, true), binary(level_of_signs));
    if (take("+")) return binary(level_of_signs);
    if (take("!")) return number(scalar(binary(level_of_signs)) == 0 ? 1 : 0, true);
    return indexed();
  }

  static Value applied(const std::string& sign, const Value& left, const Value& right) {
    const double a = scalar(left);
    const double b = scalar(right);
    const bool are_integers = left.is_integer && right.is_integer;
    if (sign == "+") return number(a + b, are_integers);
    if (sign == "-") return number(a - b, are_integers);
    if (sign == "*") return number(a * b, are_integers);
    if (sign == "^") return number(std::pow(a, b), false);
    if (sign == "/" || sign == "%" || sign == "%/%") return divided(sign, a, b, are_integers);
    return number(compared(sign, a, b) ? 1 : 0, true);
  }
  /// Integer division rounds towards 0.
  static Value divided(const std::string& sign, double a, double b, bool are_integers) {
    if (are_integers && b == 0) throw Beyond();
    if (sign == "%") return number(std::fmod(a, b), true);
    return number(are_integers ? std::trunc(a / b) : a / b, are_integers);
  }
  static bool compared(const std::string& sign, double a, double b) {
    if (sign == "||") return a != 0 || b != 0;
    if (sign == "&&") return a != 0 && b != 0;
    if (sign == "==") return a == b;
    if (sign == "!=") return a != b;
    if (sign == "<") return a < b;
    if (sign == "<=") return a <= b;
    return sign == ">" ? a > b : a >= b;
  }

  Value indexed() {
    Value value = primary();
    while (take("[")) {
      do value = element(value, scalar(choice()));
      while (take(","));
      expect("]");
    }
    return value;
  }
  /// The i-th element of the first dimension, counted from 1.
  static Value element(const Value& array, double i) {
    if (array.shape.empty() || !(i >= 1) || i > static_cast<double>(array.shape[0])) throw Beyond();
    const std::size_t size = array.numbers.size() / static_cast<std::size_t>(array.shape[0]);
    const auto first = array.numbers.begin() +
                       (static_cast<std::ptrdiff_t>(i) - 1) * static_cast<std::ptrdiff_t>(size);
    return {.shape = {array.shape.begin() + 1, array.shape.end()},
            .numbers = {first, first + static_cast<std::ptrdiff_t>(size)},
            .is_integer = array.is_integer};
  }

  Value primary() {
    if (take("(")) {
      Value value = choice();
      expect(")");
      return value;
    }
    if (at_ >= tokens_.size()) throw Beyond();
    const Token& token = tokens_[at_++];
    if (!token.is_word()) return literal(token.text);
    if (take("(")) return call(token.text);
    const auto found = known_.find(token.text);
    if (found == known_.end()) throw Beyond();
    return found->second;
  }
  static Value literal(std::string text) {
    std::erase(text, '_');
    std::size_t end = 0;
    try {
      const double value = std::stod(text, &end);
      if (end == text.size())
        return number(value, text.find_first_not_of("0123456789") == std::string::npos);
    } catch (const std::exception&) {  // not a number: below
    }
    throw Beyond();
  }

  Value call(const std::string& name) {
    std::vector<Value> all;
    if (!begins(")")) do
        all.push_back(choice());
      while (take(","));
    expect(")");
    if (all.size() == 1) return of_one(name, all[0]);
    if (all.size() == 2 && (name == "max" || name == "min")) return of_two(name, all[0], all[1]);
    throw Beyond();
  }
  static Value of_two(const std::string& name, const Value& x, const Value& y) {
    const double a = scalar(x);
    const double b = scalar(y);
    return number(name == "max" ? std::max(a, b) : std::min(a, b), x.is_integer && y.is_integer);
  }
  static Value of_one(const std::string& name, const Value& x) {
    const std::vector<double>& all = x.numbers;
    if (name == "num_elements") return count(all.size());
    if (name == "size") return count(x.shape.empty() ? 1 : static_cast<std::size_t>(x.shape[0]));
    if (name == "rows" && x.shape.size() == 2) return count(static_cast<std::size_t>(x.shape[0]));
    if (name == "cols" && x.shape.size() == 2) return count(static_cast<std::size_t>(x.shape[1]));
    if (name == "sum") return number(std::accumulate(all.begin(), all.end(), 0.0), x.is_integer);
    if (name == "max" && !all.empty())
      return number(*std::max_element(all.begin(), all.end()), x.is_integer);
    if (name == "min" && !all.empty())
      return number(*std::min_element(all.begin(), all.end()), x.is_integer);
    throw Beyond();
  }

  Tokens tokens_;
  const Values& known_;
  std::size_t at_ = 0;
};

}  // namespace detail

/// The integer value of a size, given the data. Nothing if Mixwell cannot evaluate the size, for
/// example if it calls a function of the program.
inline std::optional<double> size_of(Tokens expression, const Values& data) {
  const std::optional<Value> value = detail::Expression(expression, data).value();
  if (!value || !value->shape.empty() || !value->is_integer) return std::nullopt;
  return value->numbers[0];
}

}  // namespace mixwell::stan
