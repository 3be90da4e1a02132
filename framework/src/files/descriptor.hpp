// A file descriptor that closes itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <utility>

namespace mixwell {

/// A file descriptor. The destructor closes it. A negative number means that there is none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset();
    number_ = other.release();
    return *this;
  }

  bool is_open() const noexcept { return number_ >= 0; }
  int get() const noexcept { return number_; }
  /// Closes the descriptor now.
  void reset() noexcept {
    if (is_open()) ::close(release());
  }
  /// Returns the descriptor to the caller, who must close it.
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace mixwell
