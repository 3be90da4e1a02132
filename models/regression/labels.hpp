// Labels of cases: which are equal, which are found, which are wanted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <optional>
#include <set>
#include <string>

namespace mixwell::regression {

/// In quotes; the first 60 bytes of what is longer.
inline std::string quoted(const std::string& text) {
  constexpr std::size_t longest = 60;
  const bool cut = text.size() > longest;
  return "\"" + text.substr(0, longest) + (cut ? "...\"" : "\"");
}

inline std::optional<double> number(const std::string& text) {
  double value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

/// Numbers by value, so that 1, +1 and 1.0 are one label; then all that are none, as texts.
struct LabelLess {
  bool operator()(const std::string& a, const std::string& b) const {
    const auto x = number(a);
    const auto y = number(b);
    if (x && y) return *x < *y;
    return x.has_value() != y.has_value() ? x.has_value() : a < b;
  }
};

using LabelSet = std::set<std::string, LabelLess>;

/// The labels in quotes, ten at most.
inline std::string listed(const LabelSet& labels) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& label : labels) {
    if (++count > 10) return text + ", ... (" + std::to_string(labels.size()) + " labels)";
    text += (text.empty() ? "" : ", ") + quoted(label);
  }
  return text;
}

/// What the keys say of labels: `positive` counts as 1; the others as 0, or with `negative` that
/// one alone, and cases with any other label are left out.
struct LabelChoice {
  std::optional<std::string> positive;
  std::optional<std::string> negative;

  bool keeps(const std::string& label) const {
    const LabelLess less;
    const auto is = [&](const std::string& other) {
      return !less(label, other) && !less(other, label);
    };
    return !negative || is(*negative) || (positive && is(*positive));
  }
};

}  // namespace mixwell::regression
