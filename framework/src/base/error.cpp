// Error messages, and the search for what somebody may have meant.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/error.hpp>

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

bool near_enough(std::size_t distance, std::string_view word, std::string_view candidate) {
  return distance <= std::max<std::size_t>(2, word.size() / 3) &&
         distance < std::max(word.size(), candidate.size());
}

std::string located(const Location& where, const std::string& message) {
  const std::string place = to_string(where);
  return place.empty() ? message : place + ": " + message;
}

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::string to_string(const Location& where) {
  if (where.file.empty() || where.line == 0) return where.file;
  return where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

Error::Error(ExitCode code, const std::string& message)
    : std::runtime_error(message), code_(code) {}
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
  for (const std::string& candidate : candidates) {
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
  return candidates.empty() ? " (there are none)" : " (known: " + joined(candidates) + ")";
}

}  // namespace mixwell
