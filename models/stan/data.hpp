// Reads data for a Stan program from JSON, as CmdStan does, and checks them before Stan reads them.
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

/// The entry of a file for a variable or for a member of a tuple. The first member of a tuple t has
/// the name "t:1".
struct Given {
  std::string name;
  std::vector<Index> shape;  ///< lengths of the arrays of tuples, then of the member itself
  bool has_integers = true;  ///< all numbers have no point and no exponent, and fit in 32 bits
  bool is_finite = true;
  Location where{};  ///< where the variable's value begins
};

/// The content of a data file that the checks and the records need.
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

/// Reads one JSON object of variables. CmdStan's JSON extends the standard: NaN, Infinity and
/// -Infinity are numbers, and so are strings that spell them. Stan's data have no booleans, no
/// null and no ragged arrays.
class DataReader {
 public:
  /// `wanted`: variables whose numbers are kept, if they are numbers or arrays of numbers. Throws
  /// InputError with `path`, line and column.
  DataReader(const std::string& path, std::string_view text, const std::set<std::string>& wanted)
      : path_(path), text_(text), wanted_(wanted) {}

  Data read() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    skip_blanks();
    if (!begins('{'))
      refuse(at_,
             "the file must contain one JSON object, { \"NAME\": VALUE, ... }, but " + found());
    read_object("", 1);
    skip_blanks();
    if (at_ < text_.size()) refuse(at_, "the file must end after the object, but " + found());
    return std::move(data_);
  }

 private:
  /// The shape of a value: the lengths of its dimensions, its members if its elements are tuples,
  /// and properties of its numbers.
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
    /// Adds the properties of another value of the same shape.
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
      refuse(at_, "`" + name + "` is nested more than " + std::to_string(deepest) +
                      " levels deep, but Mixwell reads at most that many levels. Use an array with "
                      "fewer dimensions.");
    if (begins('[')) return read_array(name, depth);
    if (begins('{')) return read_tuple(name, depth);
    return begins('"') ? read_word(name) : read_number(name);
  }

  Shape read_tuple(const std::string& name, int depth) {
    const std::size_t where = at_;
    Shape tuple{.members = read_object(name + ":", depth)};
    if (!tuple.has_tuples())
      refuse(where,
             "`" + name +
                 "` is a tuple without members. Give the members of the tuple: \"1\", \"2\", ...");
    return tuple;
  }

  /// The members "1", "2", ... of a tuple; empty for the object of the whole file.
  std::map<std::string, Shape> read_object(const std::string& path, int depth) {
    std::set<std::string> names;
    std::map<std::string, Shape> members;
    expect('{');
    if (closes('}')) return members;
    do {
      skip_blanks();
      const std::size_t where = at_;
      if (!begins('"')) refuse(at_, "a name in quotes must come next, but " + found());
      const std::string name = read_text();
      if (!names.insert(name).second)
        refuse(where, "`" + path + name + "` appears twice. Keep one of the two.");
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

  /// `path`: for messages, with indices.
  Shape read_member(const std::string& path, const std::string& name, int depth) {
    const std::string outer = leaf_;
    enter(leaf_ + ":" + name);
    Shape shape = read_value(path + name, depth + 1);
    enter(outer);
    return shape;
  }

  /// Sets the variable, or the member of a tuple, that is read next.
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

  /// `outer`: lengths of the arrays of tuples that contain this member.
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
          refuse(where, "`" + item + "` is " + words(one) + ", but the elements before it are " +
                            words(shape) +
                            (words(one) == words(shape) ? " with other members" : "") +
                            ". In Stan, all elements of an array must have the same shape.");
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

  /// Reads the quoted numbers that Stan's own reader accepts.
  Shape read_word(const std::string& name) {
    static constexpr std::array<std::string_view, 5> numbers = {"NaN", "Inf", "-Inf", "Infinity",
                                                                "-Infinity"};
    const std::size_t where = at_;
    const std::string word = read_text();
    if (std::find(numbers.begin(), numbers.end(), word) == numbers.end())
      refuse(where, "`" + name + "` is the string \"" + shortened(word) +
                        "\", but data for Stan must be numbers. The only accepted strings are "
                        "\"NaN\", \"Inf\", \"Infinity\", \"-Inf\" and \"-Infinity\".");
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
        refuse(where,
               "`" + name + "` is too large: a number must be at most 1.8e308 in absolute value.");
      keep(value);
      const bool is_integer = word.find_first_not_of("-0123456789") == std::string_view::npos &&
                              value >= -2147483648.0 && value <= 2147483647.0;
      return {.has_integers = is_integer, .is_finite = std::isfinite(value)};
    }
    at_ = where;
    if (word == "true" || word == "false")
      refuse(where, "`" + name + "` is " + std::string(word) +
                        ", but Stan has no booleans. Write 1 or 0.");
    if (word == "null")
      refuse(where,
             "`" + name +
                 "` is null, but Stan has no missing data. Leave it out, or give it a value.");
    refuse(where, "`" + name + "` must be a number or an array of numbers, but " + found());
  }

  /// Numbers as in standard JSON, and NaN, Infinity and -Infinity.
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

  /// The text between quotes; escape sequences stay as written.
  std::string read_text() {
    const std::size_t from = at_;
    expect('"');
    const std::size_t first = at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (byte() < 0x20)
        refuse(at_,
               "this string contains a control character. Remove the character, or write it as \\u "
               "and four hexadecimal digits.");
      if (text_[at_] == '\\') pass_escape(from);
      ++at_;
    }
    if (at_ >= text_.size()) refuse(from, "this quote is never closed. Add the closing quote.");
    return std::string(text_.substr(first, at_++ - first));
  }

  /// Moves to the last character of an escape sequence.
  void pass_escape(std::size_t quote) {
    if (++at_ >= text_.size()) refuse(quote, "this quote is never closed. Add the closing quote.");
    if (!is_one_of("\"\\/bfnrtu"))
      refuse(
          at_ - 1,
          "in a string, a backslash must be followed by one of these characters: \" \\ / b f n r t "
          "u. Write \\\\ for a backslash.");
    if (text_[at_] != 'u') return;
    for (int digit = 0; digit < 4; ++digit)
      if (++at_ >= text_.size() || std::isxdigit(byte()) == 0)
        refuse(quote,
               "in a string, \\u must be followed by four hexadecimal digits. Write \\\\ for a "
               "backslash.");
  }

  bool begins(char c) const { return at_ < text_.size() && text_[at_] == c; }
  unsigned char byte() const { return static_cast<unsigned char>(text_[at_]); }
  bool is_one_of(std::string_view set) const { return set.find(text_[at_]) != set.npos; }
  void skip_blanks() {
    while (at_ < text_.size() && is_one_of(" \t\r\n")) ++at_;
  }
  void expect(char c) {
    if (!begins(c)) refuse(at_, std::string("`") + c + "` must come next, but " + found());
    ++at_;
  }
  /// Whether an empty object or array ends here.
  bool closes(char end) {
    skip_blanks();
    if (!begins(end)) return false;
    ++at_;
    return true;
  }
  /// Moves past a comma, or past the end.
  bool continues(char end) {
    if (closes(end)) return false;
    if (!begins(','))
      refuse(at_, std::string("`,` or `") + end + "` must come next, but " + found());
    ++at_;
    return true;
  }

  static std::string shortened(const std::string& text) {
    return text.size() <= 40 ? text : text.substr(0, 40) + "...";
  }
  std::string found() const {
    if (at_ >= text_.size()) return "the file ends";
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,:[]{}", at_ + 1), text_.size());
    return "the file has `" + shortened(std::string(text_.substr(at_, end - at_))) + "`";
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
  std::string leaf_;                       ///< the variable or member that is being read
  std::vector<double>* values_ = nullptr;  ///< receives its numbers, if they are wanted
  std::map<std::string, std::vector<double>> values_of_;
};

}  // namespace detail

/// Throws InputError with `path`, line and column if the text is not valid data for Stan. `wanted`:
/// variables whose numbers are kept. The members of a tuple are kept separately.
inline Data read_data(const std::string& path, std::string_view text,
                      const std::set<std::string>& wanted = {}) {
  return detail::DataReader(path, text, wanted).read();
}

namespace detail {

/// The length of NaN, Infinity or -Infinity if it begins here, or 0.
inline std::size_t number_word(std::string_view json, std::size_t at) {
  const std::size_t sign = json[at] == '-' ? 1 : 0;
  for (const std::string_view word : {"NaN", "Infinity"})
    if (json.substr(at + sign, word.size()) == word) return sign + word.size();
  return 0;
}

}  // namespace detail

/// Checked JSON with NaN and Infinity in quotes, which all engines accept.
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

/// A checked JSON object, or "" for none, with more members added: "\"a\": 1, \"b\": 2".
inline std::string with_members(const std::string& json, const std::string& members) {
  std::string all = json.empty() ? "{}" : json;
  const std::size_t end = all.rfind('}');
  const bool is_empty = all[all.find_last_not_of(" \t\r\n", end - 1)] == '{';
  return all.insert(end, (is_empty || members.empty() ? "" : ", ") + members);
}

/// The text of a whole file. Throws InputError if it cannot be read, and ParameterError if it is
/// larger than memory.
inline std::string text_of_file(const std::string& key, const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in)
    throw InputError(
        {path, 0, 0},
        std::string(
            "this file cannot be read. Check the path and its permissions. The system says: ") +
            std::strerror(errno));
  check_memory(key, 2.0 * static_cast<double>(in.tellg()));
  in.seekg(0);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad())
    throw InputError(
        {path, 0, 0},
        std::string(
            "this file cannot be read. Check the path and its permissions. The system says: ") +
            std::strerror(errno));
  return text;
}

}  // namespace mixwell::stan
