// Labels of cases: quoting, comparing and choosing them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <optional>
#include <string>

namespace mixwell::regression {

/// The label in quotes, cut to at most 60 bytes between characters of UTF-8.
inline std::string quoted(const std::string& text) {
  std::size_t end = 60;
  if (text.size() <= end) return "\"" + text + "\"";
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return "\"" + text.substr(0, end) + "...\"";
}

inline bool are_equal(const std::string& a, const std::string& b) {
  return !LabelLess()(a, b) && !LabelLess()(b, a);
}

/// The labels in quotes, at most ten.
inline std::string listed(const LabelSet& labels) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& label : labels) {
    if (++count > 10) return text + ", ... (" + std::to_string(labels.size()) + " labels)";
    text += (text.empty() ? "" : ", ") + quoted(label);
  }
  return text;
}

/// The manifest's choice of labels: `positive` counts as 1. All others count as 0; with `negative`,
/// only that label does, and cases with any other label are left out.
struct LabelChoice {
  std::optional<std::string> positive;
  std::optional<std::string> negative;

  bool keeps(const std::string& label) const {
    return !negative || are_equal(label, *negative) || (positive && are_equal(label, *positive));
  }
};

}  // namespace mixwell::regression
