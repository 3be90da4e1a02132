// Reads text as TOML, and reports the location of an error.
// SPDX-License-Identifier: Apache-2.0
#include "files/toml_file.hpp"

#include "base/shortened.hpp"
#include "base/split.hpp"
#include "files/reading.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace mixwell {
namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20;

/// Checks how deeply a text is nested, before it is parsed.
class DepthCheck {
 public:
  DepthCheck(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  void run() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '"' || c == '\'') {
        pass_string(c);
      } else if (c == '#') {
        pass(rest_.find('\n'));
      } else {
        count(c);
        pass(1);
      }
    }
  }

 private:
  void count(char c) {
    if (c == '.') {
      if (++parts_ == most_toml_depth) refuse("a key has more than {} parts. Use fewer parts");
    } else if (c == '[' || c == '{') {
      if (++nested_ > most_toml_depth)
        refuse("lists and tables are nested more than {} deep. Nest them less deeply");
    } else if ((c == ']' || c == '}') && nested_ > 0) {
      --nested_;
    }
    if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) parts_ = 0;
    if (c == '\n') ++line_;
  }

  /// Moves past a string. A string without a closing quote ends here with its line or with the
  /// text. The parser refuses such a string later.
  void pass_string(char quote) {
    const std::string_view three = quote == '"' ? R"(""")" : "'''";
    const bool is_long = rest_.starts_with(three);
    const std::string_view end = is_long ? three : three.substr(0, 1);
    pass(end.size());
    while (!rest_.empty() && !rest_.starts_with(end)) {
      if (!is_long && rest_.front() == '\n') return;
      if (rest_.front() == '\n') ++line_;
      pass(quote == '"' && rest_.front() == '\\' && !rest_.substr(1).starts_with('\n') ? 2 : 1);
    }
    pass(end.size());
  }

  void pass(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }

  [[noreturn]] void refuse(fmt::format_string<const std::size_t&> rule) const {
    throw InputError({path_, line_, 1}, fmt::format(rule, most_toml_depth));
  }

  std::string_view rest_;
  const std::string& path_;
  int line_ = 1;
  std::size_t parts_ = 0;   ///< dots since the beginning of a key or a possible key
  std::size_t nested_ = 0;  ///< brackets and braces that are open
};

/// The key of the value at this place of the text, such as "stop_seconds: ". "" if there is no
/// value.
std::string key_before(std::string_view text, const toml::source_position& at) {
  std::string_view key = line_of(text, at.line - 1).substr(0, at.column);
  const std::size_t equals = key.rfind('=');
  if (equals == std::string_view::npos) return {};
  key = key.substr(0, equals);
  key = trimmed(key.substr(key.find_last_of(",{") + 1));
  return key.empty() ? "" : shortened(key) + ": ";
}

}  // namespace

toml::table parse_toml(const std::string& text, const std::string& path) {
  DepthCheck(text, path).run();
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& fault) {
    const toml::source_position at = fault.source().begin;
    throw InputError({path, static_cast<int>(at.line), static_cast<int>(at.column)},
                     key_before(text, at) + "not valid TOML: " + std::string(fault.description()) +
                         ". Correct this line");
  }
}

std::string read_toml_text(const std::string& path, const std::string& what) {
  return read_text_file(path, what, {}, most_bytes);
}

}  // namespace mixwell
