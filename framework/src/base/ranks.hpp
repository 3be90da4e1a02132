// The processes that carry out one run together, and what they tell one another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mixwell {

/// Ranks 0 .. size() - 1. All of them make the same calls in the same order; a call returns when
/// what it brings has come. One thread at a time.
class MIXWELL_INTERNAL Ranks {
 public:
  virtual ~Ranks();
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  /// How many of them are on this machine.
  virtual int on_this_host() const noexcept = 0;

  /// Bytes of rank 0 to all.
  virtual void broadcast(void* data, std::size_t bytes) = 0;
  /// Rank k gives bytes [ends[k - 1], ends[k]) of `data`, ends[-1] = 0, and gets all others'.
  virtual void share(void* data, const std::vector<std::size_t>& ends) = 0;
  struct Outgoing {
    int to = 0;
    const void* data = nullptr;
    std::size_t bytes = 0;
  };
  struct Incoming {
    int from = 0;
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  /// Messages of one rank to another come in the order in which they are sent, and are as long as
  /// that one expects.
  virtual void exchange(const std::vector<Outgoing>& out, const std::vector<Incoming>& in) = 0;
  /// What each rank gives, in their order: to rank 0; nothing to the others.
  virtual std::vector<std::vector<char>> collect(const std::vector<char>& mine) = 0;
  /// The largest number that a rank gives, to all.
  virtual std::int64_t largest(std::int64_t mine) = 0;

  bool leads() const noexcept { return rank() == 0; }
};

/// Thrown by a rank where another has failed; rank 0 throws that one's error in its place.
class MIXWELL_INTERNAL OtherRankFailed : public RunError {
 public:
  OtherRankFailed() : RunError("another rank failed") {}
  ~OtherRankFailed() override;
};

/// Part of `work` in together(): throws OtherRankFailed where a rank has failed. Whether any rank
/// `asks` for something.
MIXWELL_INTERNAL bool agree(Ranks& ranks, bool asks = false);

/// Does the work of each rank, all calls of Ranks in it after an agree() of their own. Throws where
/// any rank's throws: rank 0 the first error, with the rank's number, others OtherRankFailed.
/// Whether any rank `asks` for something at the end.
MIXWELL_INTERNAL bool together(Ranks& ranks, const std::function<void()>& work,
                               const std::function<bool()>& asks = nullptr);

}  // namespace mixwell
