// The choices that make a wiring.
// SPDX-License-Identifier: Apache-2.0
#include "tape.hpp"

#include <fmt/format.h>

#include <sstream>

namespace mixwell::testing {

Tape Tape::from(const std::string& text) {
  std::vector<int> choices;
  std::istringstream in(text);
  for (std::string one; std::getline(in, one, '.');) choices.push_back(std::stoi(one));
  return Tape(std::move(choices));
}

Tape Tape::random(std::uint64_t seed, int percent) {
  Tape tape;
  tape.random_.emplace(seed);
  tape.percent_ = percent;
  return tape;
}

void Tape::begin(int budget) {
  at_ = 0;
  left_ = budget;
  counts_.clear();
}

bool Tape::advance() {
  choices_.resize(counts_.size());
  while (!choices_.empty()) {
    if (choices_.back() + 1 < counts_.back()) {
      ++choices_.back();
      return true;
    }
    choices_.pop_back();
    counts_.pop_back();
  }
  return false;
}

std::string Tape::text() const { return fmt::format("{}", fmt::join(choices_, ".")); }

int Tape::chosen_at_random(int count, bool costs) {
  const auto below = [&](int n) {
    return static_cast<int>((*random_)() % static_cast<unsigned>(n));
  };
  if (!costs) return below(count);
  return count > 1 && below(100) < percent_ ? 1 + below(count - 1) : 0;
}

int Tape::next(int count, bool costs) {
  const bool spent = costs && left_ == 0;
  if (at_ == choices_.size())
    choices_.push_back(random_ && !spent ? chosen_at_random(count, costs) : 0);
  int& chosen = choices_[at_++];
  if (chosen >= count || spent) chosen = 0;
  counts_.push_back(spent ? 1 : count);
  if (costs && chosen > 0) --left_;
  return chosen;
}

}  // namespace mixwell::testing
