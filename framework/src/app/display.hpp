// What both displays of progress are made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace mixwell::app {

/// A line on standard error that rewrites itself and is wiped at the end, or lines of JSON on
/// standard output.
class Display {
 public:
  enum class Style { none, line, json };

  explicit Display(Style style) : style_(style) {}
  ~Display();
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  /// A line where standard error is a terminal that can rewrite one.
  static Style line_or_none();

  Style style() const noexcept { return style_; }
  /// At most ten times (JSON: once) a second, and never without a style.
  bool is_due();
  void print(const std::string& text) const;
  /// On standard error, instead of the line.
  void remark(const std::string& text) const;

 private:
  using Clock = std::chrono::steady_clock;

  Style style_;
  std::optional<Clock::time_point> last_;
};

/// "42 s left", "3 min left", "2.5 h left".
std::string time_left(double seconds);

}  // namespace mixwell::app
