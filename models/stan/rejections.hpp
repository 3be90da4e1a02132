// Points that Stan refused to evaluate: how many, and why the first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace mixwell::stan {

/// Counted by all threads.
class Rejections {
 public:
  void add(std::string message) {
    const std::scoped_lock lock(mutex_);
    if (count_++ == 0) first_ = std::move(message);
  }

  /// "" where there are none.
  std::string in_words(const std::string& what) const {
    const std::scoped_lock lock(mutex_);
    if (count_ == 0) return {};
    return "Stan " + what + " " + std::to_string(count_) + (count_ == 1 ? " time" : " times") +
           "; the first time it said: " + first_;
  }

 private:
  mutable std::mutex mutex_;
  std::int64_t count_ = 0;
  std::string first_;
};

}  // namespace mixwell::stan
