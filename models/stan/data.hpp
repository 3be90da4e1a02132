// Data for a Stan program: JSON as CmdStan reads it, looked through before Stan sees it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell::stan {

/// What a file of data holds, as far as it is asked for.
struct Data {
  std::set<std::string> names;  ///< of all variables
  std::vector<NamedValues> kept{};
};

namespace detail {

/// One JSON object of variables. CmdStan's JSON is wider than the standard's: NaN, Infinity and
/// -Infinity are numbers, also as texts. Booleans, null and ragged arrays are no data of Stan's.
class DataReader {
 public:
  /// `wanted`: variables to keep, where they are numbers or arrays of them. Throws InputError with
  /// `path`, line and column.
  DataReader(const std::string& path, std::string_view text, const std::set<std::string>& wanted)
      : path_(path), text_(text), wanted_(wanted) {}

  Data read() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    skip_blanks();
    if (!begins('{')) refuse(at_, "wants an object, { \"NAME\": VALUE, ... }, and " + found());
    read_object("", 1);
    skip_blanks();
    if (at_ < text_.size()) refuse(at_, "something follows the object: " + found());
    return std::move(data_);
  }

 private:
  /// Of a value: lengths of its dimensions, or a mark that it is a tuple.
  struct Shape {
    std::vector<std::size_t> lengths;
    bool has_tuples = false;
    bool operator==(const Shape&) const = default;
  };

  static constexpr int deepest = 64;

  Shape read_value(const std::string& name, int depth) {
    skip_blanks();
    if (depth > deepest)
      refuse(at_, "`" + name + "` is nested in more than " + std::to_string(deepest) + " levels");
    if (begins('[')) return read_array(name, depth);
    if (begins('{')) {
      read_object(name, depth);
      return {.lengths = {}, .has_tuples = true};
    }
    if (begins('"')) {
      read_word(name);
    } else {
      read_number(name);
    }
    return {};
  }

  /// A tuple, where it is no whole file, has members "1", "2", ...
  void read_object(const std::string& path, int depth) {
    std::set<std::string> names;
    expect('{');
    if (closes('}')) return;
    do {
      skip_blanks();
      const std::size_t where = at_;
      if (!begins('"')) refuse(at_, "wants a name in quotes, and " + found());
      const std::string name = read_text();
      if (!names.insert(name).second) refuse(where, "`" + path + name + "` is there twice");
      skip_blanks();
      expect(':');
      if (depth > 1) {
        read_value(path + name, depth + 1);
      } else {
        read_variable(name);
      }
    } while (continues('}'));
    if (depth == 1) data_.names = std::move(names);
  }

  void read_variable(const std::string& name) {
    std::vector<double> values;
    values_ = wanted_.contains(name) ? &values : nullptr;
    const Shape shape = read_value(name, 2);
    if (values_ == nullptr || shape.has_tuples) return;
    data_.kept.push_back({name, {shape.lengths.begin(), shape.lengths.end()}, std::move(values)});
  }

  void keep(double value) {
    if (values_ != nullptr) values_->push_back(value);
  }

  Shape read_array(const std::string& name, int depth) {
    expect('[');
    Shape shape;
    std::size_t length = 0;
    if (!closes(']')) {
      do {
        skip_blanks();
        const std::size_t where = at_;
        const std::string item = name + "[" + std::to_string(length) + "]";
        const Shape one = read_value(item, depth + 1);
        if (length > 0 && one != shape)
          refuse(where, "`" + item + "` is " + words(one) + " and those before it are " +
                            words(shape) + ": arrays of Stan are not ragged");
        shape = one;
        ++length;
      } while (continues(']'));
    }
    shape.lengths.insert(shape.lengths.begin(), length);
    return shape;
  }

  static std::string words(const Shape& shape) {
    if (shape.lengths.empty()) return shape.has_tuples ? "a tuple" : "a number";
    std::string text = "an array of ";
    for (std::size_t k = 0; k < shape.lengths.size(); ++k)
      text += (k == 0 ? "" : " x ") + std::to_string(shape.lengths[k]);
    return text;
  }

  void read_word(const std::string& name) {
    static constexpr std::array<std::string_view, 7> numbers = {
        "NaN", "Inf", "+Inf", "-Inf", "Infinity", "+Infinity", "-Infinity"};
    const std::size_t where = at_;
    const std::string word = read_text();
    if (std::find(numbers.begin(), numbers.end(), word) == numbers.end())
      refuse(where, "`" + name + "` is the text \"" + shortened(word) +
                        "\": data of Stan are numbers (of texts it takes \"NaN\", \"Infinity\" "
                        "and \"-Infinity\")");
    keep(std::strtod(word.c_str(), nullptr));
  }

  void read_number(const std::string& name) {
    const std::size_t where = at_;
    while (at_ < text_.size() && (std::isalnum(byte()) != 0 || is_one_of("+-._"))) ++at_;
    const std::string_view word = text_.substr(where, at_ - where);
    if (is_number(word)) return keep(in_range(where, name, std::string(word)));
    at_ = where;
    if (word == "true" || word == "false")
      refuse(where,
             "`" + name + "` is " + std::string(word) + ": Stan has no booleans; write 1 or 0");
    if (word == "null")
      refuse(where,
             "`" + name + "` is null: Stan has no missing data; leave it out, or give it a value");
    refuse(where, "`" + name + "` wants a number or an array of numbers, and " + found());
  }

  /// What has digits and is larger than all numbers is not meant to be infinite.
  double in_range(std::size_t where, const std::string& name, const std::string& word) const {
    const double value = std::strtod(word.c_str(), nullptr);
    const bool has_digits = word.find_first_of("0123456789") != std::string::npos;
    if (has_digits && std::isinf(value))
      refuse(where, "`" + name + "` is beyond 1.8e308, the largest number");
    return value;
  }

  /// As the standard has them, and the three that it has not.
  static bool is_number(std::string_view word) {
    if (!word.empty() && word.front() == '-') word.remove_prefix(1);
    if (word == "NaN" || word == "Infinity") return true;
    const auto digits = [&word] {
      std::size_t count = 0;
      while (count < word.size() && std::isdigit(static_cast<unsigned char>(word[count])) != 0)
        ++count;
      word.remove_prefix(count);
      return count;
    };
    const bool leads_with_zero =
        word.size() > 1 && word[0] == '0' && std::isdigit(static_cast<unsigned char>(word[1])) != 0;
    if (leads_with_zero || digits() == 0) return false;
    if (!word.empty() && word.front() == '.') {
      word.remove_prefix(1);
      if (digits() == 0) return false;
    }
    if (!word.empty() && (word.front() == 'e' || word.front() == 'E')) {
      word.remove_prefix(1);
      if (!word.empty() && (word.front() == '+' || word.front() == '-')) word.remove_prefix(1);
      if (digits() == 0) return false;
    }
    return word.empty();
  }

  /// Between quotes; what is behind a backslash stays as it is written.
  std::string read_text() {
    const std::size_t from = at_;
    expect('"');
    const std::size_t first = at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (byte() < 0x20) refuse(at_, "a control character in a text in quotes");
      if (text_[at_] == '\\') pass_escape(from);
      ++at_;
    }
    if (at_ >= text_.size()) refuse(from, "this quote is never closed");
    return std::string(text_.substr(first, at_++ - first));
  }

  /// To the last character of what a backslash begins.
  void pass_escape(std::size_t quote) {
    if (++at_ >= text_.size()) refuse(quote, "this quote is never closed");
    if (!is_one_of("\"\\/bfnrtu"))
      refuse(at_ - 1, "a backslash in a text in quotes stands before one of \" \\ / b f n r t u");
    if (text_[at_] != 'u') return;
    for (int digit = 0; digit < 4; ++digit)
      if (++at_ >= text_.size() || std::isxdigit(byte()) == 0)
        refuse(quote, "\\u in a text in quotes stands before four hexadecimal digits");
  }

  bool begins(char c) const { return at_ < text_.size() && text_[at_] == c; }
  unsigned char byte() const { return static_cast<unsigned char>(text_[at_]); }
  bool is_one_of(std::string_view set) const { return set.find(text_[at_]) != set.npos; }
  void skip_blanks() {
    while (at_ < text_.size() && is_one_of(" \t\r\n")) ++at_;
  }
  void expect(char c) {
    if (!begins(c)) refuse(at_, std::string("wants `") + c + "`, and " + found());
    ++at_;
  }
  /// Whether the empty object or array ends here.
  bool closes(char end) {
    skip_blanks();
    if (!begins(end)) return false;
    ++at_;
    return true;
  }
  /// Past a comma, or past the end.
  bool continues(char end) {
    if (closes(end)) return false;
    if (!begins(',')) refuse(at_, std::string("wants `,` or `") + end + "`, and " + found());
    ++at_;
    return true;
  }

  static std::string shortened(const std::string& text) {
    return text.size() <= 40 ? text : text.substr(0, 40) + "...";
  }
  std::string found() const {
    if (at_ >= text_.size()) return "the file ends";
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,:[]{}", at_ + 1), text_.size());
    return "found `" + shortened(std::string(text_.substr(at_, end - at_))) + "`";
  }
  [[noreturn]] void refuse(std::size_t where, const std::string& rule) const {
    const std::string_view before = text_.substr(0, where);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 = 0
    throw InputError({path_, static_cast<int>(lines) + 1, static_cast<int>(where - start) + 1},
                     rule);
  }

  const std::string& path_;
  std::string_view text_;
  const std::set<std::string>& wanted_;
  std::size_t at_ = 0;
  Data data_;
  std::vector<double>* values_ = nullptr;  ///< of the variable that is being read, where wanted
};

}  // namespace detail

/// Throws InputError with `path`, line and column where the text is no data for Stan. `wanted`:
/// variables whose numbers are asked for; tuples have none.
inline Data read_data(const std::string& path, std::string_view text,
                      const std::set<std::string>& wanted = {}) {
  return detail::DataReader(path, text, wanted).read();
}

/// The numbers of an array from `at` on, as JSON; `at` moves past them.
inline void append_json(const NamedValues& array, std::size_t dimension, const double*& at,
                        std::string& text) {
  if (dimension == array.shape.size()) {
    std::array<char, 32> digits{};
    const double value = *at++;
    if (std::isfinite(value)) {
      text.append(digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr);
    } else {
      text += std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    }
    return;
  }
  text += '[';
  for (Index k = 0; k < array.shape[dimension]; ++k) {
    if (k > 0) text += ',';
    append_json(array, dimension + 1, at, text);
  }
  text += ']';
}

/// One object, the numbers with all their digits.
inline std::string json_of(const std::vector<NamedValues>& values) {
  std::string text = "{";
  for (const NamedValues& array : values) {
    text += (text.size() > 1 ? ",\"" : "\"") + array.name + "\":";
    const double* at = array.values.data();
    append_json(array, 0, at, text);
  }
  return text + "}";
}

/// The text of a whole file. Throws InputError where it cannot be read, ParameterError where it is
/// larger than memory.
inline std::string text_of_file(const std::string& key, const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) throw InputError({path, 0, 0}, std::string("cannot be read: ") + std::strerror(errno));
  check_memory(key, 2.0 * static_cast<double>(in.tellg()));
  in.seekg(0);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad())
    throw InputError({path, 0, 0}, std::string("cannot be read: ") + std::strerror(errno));
  return text;
}

}  // namespace mixwell::stan
