// Scratch memory for code inside a transition. It grows only in the first pass over a graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace mixwell {

/// A stack of doubles. Memory allocated inside a Frame is released when the Frame ends. After the
/// first pass over a graph the stack no longer grows. Threads must not share a Workspace.
class MIXWELL_EXPORT Workspace {
 public:
  class Frame {
   public:
    explicit Frame(Workspace& owner) noexcept
        : owner_(owner), chunk_(owner.chunk_), used_(owner.used_) {}
    ~Frame() {
      owner_.chunk_ = chunk_;
      owner_.used_ = used_;
    }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Workspace& owner_;
    std::size_t chunk_;
    std::size_t used_;
  };

  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  /// Returns a rows x cols matrix: contiguous, 64-byte aligned and not initialised. It is valid
  /// until the current Frame ends.
  MatrixMap matrix(Index rows, Index cols) { return {take(rows * cols), rows, cols}; }
  RowMap row(Index cols) { return {take(cols), cols}; }
  /// Returns `count` value-initialised objects. Their type must be trivially destructible.
  template <class T>
  T* objects(Index count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 64);
    constexpr auto unit = static_cast<Index>(sizeof(double));
    void* memory = take((count * static_cast<Index>(sizeof(T)) + unit - 1) / unit);
    T* first = static_cast<T*>(memory);
    std::uninitialized_value_construct_n(first, count);
    return first;
  }

 private:
  double* take(Index count);

  struct Span;
  std::vector<Span> chunks_;
  std::size_t chunk_ = 0;
  std::size_t used_ = 0;
};

}  // namespace mixwell
