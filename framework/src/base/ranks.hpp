// The processes that carry out one run together, and their messages.
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

/// Ranks 0 .. size() - 1. All ranks make the same calls in the same order. A call returns when its
/// data have arrived. Only one thread at a time may call.
class MIXWELL_INTERNAL Ranks {
 public:
  virtual ~Ranks();
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  /// The number of ranks on this machine.
  virtual int on_this_host() const noexcept = 0;

  /// Sends bytes of rank 0 to all ranks.
  virtual void broadcast(void* data, std::size_t bytes) = 0;
  /// Rank k gives bytes [ends[k - 1], ends[k]) of `data`, with ends[-1] = 0, and gets the bytes of
  /// all other ranks.
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
  /// Messages from one rank to another arrive in the order of sending, and must have the length
  /// that the receiver expects.
  virtual void exchange(const std::vector<Outgoing>& out, const std::vector<Incoming>& in) = 0;
  /// Sends what each rank gives to rank 0, in the order of the ranks. Other ranks get nothing.
  virtual std::vector<std::vector<char>> collect(const std::vector<char>& mine) = 0;
  /// Gives all ranks the largest number that any rank gives.
  virtual std::int64_t largest(std::int64_t mine) = 0;

  bool leads() const noexcept { return rank() == 0; }
};

/// The error of a rank when another rank has failed. Rank 0 throws the error of the failed rank
/// instead.
class MIXWELL_INTERNAL OtherRankFailed : public RunError {
 public:
  OtherRankFailed() : RunError("another rank failed. Rank 0 reports the reason") {}
  ~OtherRankFailed() override;
};

/// Called in the `work` of together(). Throws OtherRankFailed if a rank has failed. Returns whether
/// any rank `asks` for something.
MIXWELL_INTERNAL bool agree(Ranks& ranks, bool asks = false);

/// Does the work of this rank. In `work`, agree() must come before each call of Ranks. Throws if
/// the work of any rank throws: rank 0 throws the first error, with the number of the rank, and
/// other ranks throw OtherRankFailed. Returns whether any rank `asks` for something at the end.
MIXWELL_INTERNAL bool together(Ranks& ranks, const std::function<void()>& work,
                               const std::function<bool()>& asks = nullptr);

}  // namespace mixwell
