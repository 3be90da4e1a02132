// The choices that make a wiring: enumerated, random or given.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace mixwell::testing {

/// A list of choices >= 0; 0 is the plainest. Beyond the end of the list all choices are 0, or
/// random.
class Tape {
 public:
  explicit Tape(std::vector<int> choices = {}) : choices_(std::move(choices)) {}
  /// Reads "0.0.1.2". Throws std::invalid_argument for anything else.
  static Tape from(const std::string& text);
  /// Random choices: an option is taken with a probability of `percent` %.
  static Tape random(std::uint64_t seed, int percent);

  /// A required choice of one of `count` things: a statement, a slot.
  int pick(int count) { return next(count, false); }
  /// An optional choice of one of `count` things. All except the first cost one unit of the budget.
  /// Without budget, the first.
  int option(int count) { return next(count, true); }

  void begin(int budget);
  /// Goes to the next list in lexicographic order, after a pass over this one. Returns false if
  /// there is none.
  bool advance();
  const std::vector<int>& choices() const { return choices_; }
  /// "0.0.1.2"
  std::string text() const;

 private:
  int next(int count, bool costs);
  int chosen_at_random(int count, bool costs);

  std::vector<int> choices_;
  std::vector<int> counts_;  ///< of the choices that were requested
  std::size_t at_ = 0;
  int left_ = 0;
  int percent_ = 0;
  std::optional<std::mt19937_64> random_;
};

}  // namespace mixwell::testing
