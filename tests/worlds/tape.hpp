// Choices that make a wiring: enumerated one after another, drawn at random, or given.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace mixwell::testing {

/// A list of choices, each 0 or more, 0 being the plainest. Where the list ends all further ones
/// are 0, or random.
class Tape {
 public:
  explicit Tape(std::vector<int> choices = {}) : choices_(std::move(choices)) {}
  /// "0.0.1.2"; throws std::invalid_argument of anything else.
  static Tape from(const std::string& text);
  /// Choices at random: an option is taken with a chance of `percent`.
  static Tape random(std::uint64_t seed, int percent);

  /// One of `count` things of which there must be one: which statement, which slot.
  int pick(int count) { return next(count, false); }
  /// One of `count` things of which all but the first cost one of the budget; without budget the
  /// first.
  int option(int count) { return next(count, true); }

  void begin(int budget);
  /// The next list in lexicographic order, after a pass over this one; false: there is none.
  bool advance();
  const std::vector<int>& choices() const { return choices_; }
  /// "0.0.1.2"
  std::string text() const;

 private:
  int next(int count, bool costs);
  int chosen_at_random(int count, bool costs);

  std::vector<int> choices_;
  std::vector<int> counts_;  ///< of those that were asked for
  std::size_t at_ = 0;
  int left_ = 0;
  int percent_ = 0;
  std::optional<std::mt19937_64> random_;
};

}  // namespace mixwell::testing
