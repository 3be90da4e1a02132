// The manifest that a run turned out to have: every default filled in.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/effective.hpp"

#include "component/toml_text.hpp"

#include <fmt/format.h>

namespace mixwell {
namespace {

std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

std::string line_text(const EffectiveLine& line) {
  const std::string comment = one_line(line.comment);
  if (line.value.empty()) {
    return fmt::format("# {} is not set{}{}\n", line.key, comment.empty() ? "" : ": ", comment);
  }
  return fmt::format("{} = {}{}{}\n", toml_key(line.key), line.value, comment.empty() ? "" : "  # ",
                     comment);
}

}  // namespace

std::string comment_for(const Field& field) {
  const std::string condition = field.condition();
  return fmt::format("{}{}{}", field.help(), condition.empty() ? "" : "; only with " + condition,
                     field.unit().empty() ? "" : " [" + field.unit() + "]");
}

std::string effective_text(const std::vector<EffectiveTable>& tables) {
  std::string text =
      "# Effective manifest: every default filled in. Running it again gives the same bits.\n"
      "mixwell = 1\n";
  for (const EffectiveTable& table : tables) {
    text += fmt::format("\n[{}]\n", table.heading);
    for (const EffectiveLine& line : table.lines) text += line_text(line);
  }
  return text;
}

}  // namespace mixwell
