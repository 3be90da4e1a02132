// Error messages, and suggestions for misspelt names.
// SPDX-License-Identifier: Apache-2.0
#include "base/shortened.hpp"
#include "base/utf8.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace mixwell {
namespace {

/// Least number of insertions, deletions, substitutions and swaps of neighbours that turn a into b
/// (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t differs = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + differs});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

/// The length of the longest word that may be a typing error.
constexpr std::size_t longest_word = 256;
/// Suggestions stop after this many comparisons, about a tenth of a second.
constexpr std::size_t most_comparisons = std::size_t{1} << 26;
constexpr std::size_t most_listed = 100;
constexpr std::size_t longest_message = 6000;

std::size_t most_edits(std::string_view word) { return std::max<std::size_t>(2, word.size() / 3); }

/// Whether the lengths differ by more than most_edits(a), because each edit changes a length by at
/// most 1.
bool differs_by_length(std::string_view a, std::string_view b) {
  return std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most_edits(a);
}

bool near_enough(std::size_t distance, std::string_view word, std::string_view candidate) {
  return distance <= most_edits(word) && distance < std::max(word.size(), candidate.size());
}

std::string located(const Location& where, const std::string& message) {
  const std::string place = to_string(where);
  return place.empty() ? message : place + ": " + message;
}

std::string first_few(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words.first(std::min(words.size(), most_listed)))
    text += (text.empty() ? "" : ", ") + shortened(word);
  if (words.size() <= most_listed) return text;
  return text + " and " + std::to_string(words.size() - most_listed) + " more";
}

/// Whether a terminal displays the character and does not treat it as a control character. True for
/// line breaks and tabs.
bool is_harmless(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (first < 0x80) return (first >= 0x20 && first != 0x7F) || first == '\n' || first == '\t';
  const bool second_set = first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
  return !second_set;  // U+0080 to U+009F
}

/// The text with an escape such as \x1b for each byte that is not UTF-8, or that a terminal would
/// treat as a control character.
std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(1, length));
    if (length > 0 && is_harmless(character)) {
      shown += character;
    } else {
      for (const char byte : character)
        shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

/// The message, shortened to fit a screen. A long message keeps its beginning and its end.
std::string readable(const std::string& text) {
  const std::string message = printable(text);
  if (message.size() <= longest_message) return message;
  constexpr std::size_t at_end = 1000;
  return shortened(message, longest_message - at_end) + " ..." +
         message.substr(message.size() - at_end);
}

}  // namespace

std::string to_string(const Location& where) {
  if (where.file.empty() || where.line == 0) return where.file;
  const std::string line = where.file + ":" + std::to_string(where.line);
  return where.column == 0 ? line : line + ":" + std::to_string(where.column);
}

Error::Error(ExitCode code, const std::string& message)
    : std::runtime_error(readable(message)), code_(code) {}
Error::~Error() = default;

InputError::InputError(const std::string& message) : Error(ExitCode::bad_input, message) {}
InputError::InputError(const Location& where, const std::string& message)
    : InputError(located(where, message)) {}
InputError::~InputError() = default;
WiringError::~WiringError() = default;

ParameterError::ParameterError(std::string key, const std::string& rule)
    : InputError(key + ": " + rule), key_(std::move(key)), rule_(rule) {}
ParameterError::~ParameterError() = default;

RunError::RunError(const std::string& message) : Error(ExitCode::failed, message) {}
RunError::~RunError() = default;

Refused::Refused(const std::string& message) : Error(ExitCode::refused, message) {}
Refused::~Refused() = default;

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  std::size_t least = std::string::npos;
  std::size_t comparisons = 0;
  if (word.size() > longest_word) return best;
  for (const std::string& candidate : candidates) {
    if (differs_by_length(word, candidate)) continue;
    comparisons += word.size() * candidate.size();
    if (comparisons > most_comparisons) return best;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least && near_enough(distance, word, candidate)) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  const std::string best = nearest(word, candidates);
  if (!best.empty()) return " (did you mean \"" + best + "\"?)";
  return candidates.empty() ? " (there are none)" : " (known: " + first_few(candidates) + ")";
}

}  // namespace mixwell
