// Labels of cases: which are found, which are wanted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <optional>
#include <string>

namespace mixwell::regression {

/// In quotes; of what is longer than 60 bytes, the characters of UTF-8 that fit into them.
inline std::string quoted(const std::string& text) {
  std::size_t end = 60;
  if (text.size() <= end) return "\"" + text + "\"";
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return "\"" + text.substr(0, end) + "...\"";
}

inline bool are_equal(const std::string& a, const std::string& b) {
  return !LabelLess()(a, b) && !LabelLess()(b, a);
}

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
    return !negative || are_equal(label, *negative) || (positive && are_equal(label, *positive));
  }
};

}  // namespace mixwell::regression
