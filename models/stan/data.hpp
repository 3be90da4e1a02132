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
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell::stan {

/// What a file says of a variable, or of a member of a tuple, which is called "t:1".
struct Given {
  std::string name;
  std::vector<Index> shape;  ///< of an array of tuples: its lengths, then those of the member
  bool has_integers = true;  ///< no point, no exponent, in 32 bits
  bool is_finite = true;
  Location where{};  ///< of the variable's value
};

/// What a file of data holds, as far as it is asked for.
struct Data {
  std::set<std::string> names;  ///< of all variables
  std::vector<NamedValues> kept{};
  std::vector<Given> given{};
};

/// "a number", "an array of 2 x 3".
inline std::string in_words(const std::vector<Index>& shape) {
  if (shape.empty()) return "a number";
  std::string text = "an array of ";
  for (std::size_t k = 0; k < shape.size(); ++k)
    text += (k == 0 ? "" : " x ") + std::to_string(shape[k]);
  return text;
}

inline std::string number_text(double value) {
  std::ostringstream out;
  out.precision(10);
  out << value;
  return out.str();
}

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
  /// Of a value: lengths of its dimensions, members where its elements are tuples, and what its
  /// numbers are.
  struct Shape {
    std::vector<Index> lengths{};
    std::map<std::string, Shape> members{};
    bool has_integers = true;
    bool is_finite = true;

    bool has_tuples() const { return !members.empty(); }
    bool is_like(const Shape& other) const {
      return lengths == other.lengths &&
             std::equal(members.begin(), members.end(), other.members.begin(), other.members.end(),
                        [](const auto& a, const auto& b) {
                          return a.first == b.first && a.second.is_like(b.second);
                        });
    }
    /// One more that is like it.
    void add(const Shape& other) {
      has_integers = has_integers && other.has_integers;
      is_finite = is_finite && other.is_finite;
      for (auto& [name, member] : members) member.add(other.members.at(name));
    }
  };

  static constexpr int deepest = 64;

  Shape read_value(const std::string& name, int depth) {
    skip_blanks();
    if (depth > deepest)
      refuse(at_, "`" + name + "` is nested in more than " + std::to_string(deepest) + " levels");
    if (begins('[')) return read_array(name, depth);
    if (begins('{')) return read_tuple(name, depth);
    return begins('"') ? read_word(name) : read_number(name);
  }

  Shape read_tuple(const std::string& name, int depth) {
    const std::size_t where = at_;
    Shape tuple{.members = read_object(name + ":", depth)};
    if (!tuple.has_tuples())
      refuse(where, "`" + name + "` is an object without members: a tuple has \"1\", \"2\", ...");
    return tuple;
  }

  /// A tuple, where it is no whole file, has members "1", "2", ...
  std::map<std::string, Shape> read_object(const std::string& path, int depth) {
    std::set<std::string> names;
    std::map<std::string, Shape> members;
    expect('{');
    if (closes('}')) return members;
    do {
      skip_blanks();
      const std::size_t where = at_;
      if (!begins('"')) refuse(at_, "wants a name in quotes, and " + found());
      const std::string name = read_text();
      if (!names.insert(name).second) refuse(where, "`" + path + name + "` is there twice");
      skip_blanks();
      expect(':');
      if (depth > 1) {
        members.emplace(name, read_member(path, name, depth));
      } else {
        read_variable(name);
      }
    } while (continues('}'));
    if (depth == 1) data_.names = std::move(names);
    return members;
  }

  /// `path`: in words, with indices.
  Shape read_member(const std::string& path, const std::string& name, int depth) {
    const std::string outer = leaf_;
    enter(leaf_ + ":" + name);
    Shape shape = read_value(path + name, depth + 1);
    enter(outer);
    return shape;
  }

  /// What is read next belongs to a variable, or to a member of a tuple.
  void enter(const std::string& leaf) {
    leaf_ = leaf;
    const bool is_wanted = wanted_.contains(leaf.substr(0, leaf.find(':')));
    values_ = is_wanted ? &values_of_[leaf] : nullptr;
  }

  void read_variable(const std::string& name) {
    enter(name);
    skip_blanks();
    const std::size_t where = at_;
    const Shape shape = read_value(name, 2);
    add_given(name, shape, {}, location(where));
  }

  /// `outer`: lengths of the arrays of tuples that it is a member of.
  void add_given(const std::string& name, const Shape& shape, std::vector<Index> outer,
                 const Location& where) {
    outer.insert(outer.end(), shape.lengths.begin(), shape.lengths.end());
    for (const auto& [member, of] : shape.members) add_given(name + ":" + member, of, outer, where);
    if (shape.has_tuples()) return;
    if (const auto values = values_of_.find(name); values != values_of_.end())
      data_.kept.push_back({name, outer, std::move(values->second)});
    data_.given.push_back({name, std::move(outer), shape.has_integers, shape.is_finite, where});
  }

  void keep(double value) {
    if (values_ != nullptr) values_->push_back(value);
  }

  Shape read_array(const std::string& name, int depth) {
    expect('[');
    Shape shape;
    Index length = 0;
    if (!closes(']')) {
      do {
        skip_blanks();
        const std::size_t where = at_;
        const std::string item = name + "[" + std::to_string(length) + "]";
        const Shape one = read_value(item, depth + 1);
        if (length > 0 && !one.is_like(shape))
          refuse(where, "`" + item + "` is " + words(one) + " and those before it are " +
                            words(shape) + (words(one) == words(shape) ? " of other members" : "") +
                            ": arrays of Stan are not ragged");
        if (length++ == 0)
          shape = one;
        else
          shape.add(one);
      } while (continues(']'));
    }
    shape.lengths.insert(shape.lengths.begin(), length);
    return shape;
  }

  static std::string words(const Shape& shape) {
    return shape.lengths.empty() && shape.has_tuples() ? "a tuple" : in_words(shape.lengths);
  }

  /// Those that Stan's own reader takes.
  Shape read_word(const std::string& name) {
    static constexpr std::array<std::string_view, 5> numbers = {"NaN", "Inf", "-Inf", "Infinity",
                                                                "-Infinity"};
    const std::size_t where = at_;
    const std::string word = read_text();
    if (std::find(numbers.begin(), numbers.end(), word) == numbers.end())
      refuse(where, "`" + name + "` is the text \"" + shortened(word) +
                        "\": data of Stan are numbers (the only texts that it takes are \"NaN\", "
                        "\"Inf\", \"Infinity\", \"-Inf\" and \"-Infinity\")");
    keep(std::strtod(word.c_str(), nullptr));
    return {.has_integers = false, .is_finite = false};
  }

  Shape read_number(const std::string& name) {
    const std::size_t where = at_;
    while (at_ < text_.size() && (std::isalnum(byte()) != 0 || is_one_of("+-._"))) ++at_;
    const std::string_view word = text_.substr(where, at_ - where);
    if (is_number(word)) {
      const double value = std::strtod(std::string(word).c_str(), nullptr);
      if (std::isinf(value) && std::isdigit(static_cast<unsigned char>(word.back())) != 0)
        refuse(where, "`" + name + "` is beyond 1.8e308, the largest number");
      keep(value);
      const bool is_integer = word.find_first_not_of("-0123456789") == std::string_view::npos &&
                              value >= -2147483648.0 && value <= 2147483647.0;
      return {.has_integers = is_integer, .is_finite = std::isfinite(value)};
    }
    at_ = where;
    if (word == "true" || word == "false")
      refuse(where,
             "`" + name + "` is " + std::string(word) + ": Stan has no booleans; write 1 or 0");
    if (word == "null")
      refuse(where,
             "`" + name + "` is null: Stan has no missing data; leave it out, or give it a value");
    refuse(where, "`" + name + "` wants a number or an array of numbers, and " + found());
  }

  /// As the standard has them, and the three that it has not.
  static bool is_number(std::string_view word) {
    if (word.starts_with('-')) word.remove_prefix(1);
    if (word == "NaN" || word == "Infinity") return true;
    const auto has_digit = [&](std::size_t at) {
      return at < word.size() && std::isdigit(static_cast<unsigned char>(word[at])) != 0;
    };
    const std::size_t point = word.find('.');
    double value = 0;
    return has_digit(0) && !(word[0] == '0' && has_digit(1)) &&
           (point == std::string_view::npos || has_digit(point + 1)) &&
           std::from_chars(word.data(), word.data() + word.size(), value).ptr ==
               word.data() + word.size();
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
  Location location(std::size_t where) const {
    const std::string_view before = text_.substr(0, where);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 = 0
    return {path_, static_cast<int>(lines) + 1, static_cast<int>(where - start) + 1};
  }
  [[noreturn]] void refuse(std::size_t where, const std::string& rule) const {
    throw InputError(location(where), rule);
  }

  const std::string& path_;
  std::string_view text_;
  const std::set<std::string>& wanted_;
  std::size_t at_ = 0;
  Data data_;
  std::string leaf_;                       ///< what is being read
  std::vector<double>* values_ = nullptr;  ///< of that, where wanted
  std::map<std::string, std::vector<double>> values_of_;
};

}  // namespace detail

/// Throws InputError with `path`, line and column where the text is no data for Stan. `wanted`:
/// variables whose numbers are asked for; each member of a tuple has its own.
inline Data read_data(const std::string& path, std::string_view text,
                      const std::set<std::string>& wanted = {}) {
  return detail::DataReader(path, text, wanted).read();
}

namespace detail {

/// How long the word for a number is that begins here, or 0.
inline std::size_t number_word(std::string_view json, std::size_t at) {
  const std::size_t sign = json[at] == '-' ? 1 : 0;
  for (const std::string_view word : {"NaN", "Infinity"})
    if (json.substr(at + sign, word.size()) == word) return sign + word.size();
  return 0;
}

}  // namespace detail

/// JSON that was looked through, with NaN and Infinity in quotes, as all engines take them.
inline std::string with_quoted_words(std::string_view json) {
  std::string text;
  bool in_text = false;
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t length = in_text ? 0 : detail::number_word(json, at);
    const std::size_t taken = length > 0 ? length : in_text && json[at] == '\\' ? 2 : 1;
    if (json[at] == '"') in_text = !in_text;
    if (length > 0) text += '"';
    text += json.substr(at, taken);
    if (length > 0) text += '"';
    at += taken;
  }
  return text;
}

/// An object that was looked through, or "" for none, with more members: "\"a\": 1, \"b\": 2".
inline std::string with_members(const std::string& json, const std::string& members) {
  std::string all = json.empty() ? "{}" : json;
  const std::size_t end = all.rfind('}');
  const bool is_empty = all[all.find_last_not_of(" \t\r\n", end - 1)] == '{';
  return all.insert(end, (is_empty || members.empty() ? "" : ", ") + members);
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
