// A run on several ranks: rank 0 tells the other ranks what to do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ranks.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/lab/stop_request.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace mixwell {

/// Rank 0 runs a manifest as a single process would. Each call of its divided Sampler is an order
/// to the other ranks: their samplers do the same with their replicates. The other ranks only call
/// follow().
class MIXWELL_INTERNAL JointRun {
 public:
  /// The run ends when `stop` is requested, on any rank.
  JointRun(Ranks& ranks, const StopRequest* stop) : ranks_(ranks), stop_(stop) {}
  /// Rank 0 tells the other ranks to end.
  ~JointRun();
  JointRun(const JointRun&) = delete;
  JointRun& operator=(const JointRun&) = delete;

  Ranks& ranks() const noexcept { return ranks_; }
  /// Whether any rank was asked to stop, as known after the last order.
  bool is_asked_to_stop() const noexcept { return asked_to_stop_; }

  /// Called by rank 0. `make` makes the sampler of rank 0. The other ranks make their samplers
  /// meanwhile.
  void make_samplers(const std::function<void()>& make);
  /// Called by the other ranks; returns when rank 0 has ended. `make` makes this rank's sampler.
  void follow(const std::function<std::unique_ptr<Sampler>()>& make);

  // Called by a divided Sampler. Rank 0 sends the order. On other ranks, the calls do nothing.
  void order_start();
  void order_advance(PhaseKind phase, std::int64_t sweeps, bool records);
  void order_gather();
  void order_restore(const std::vector<char>& state);

  /// Does this rank's part of the work that rank 0 ordered. Throws like together().
  void carry_out(const std::function<void()>& work);

 private:
  enum class What : std::int64_t { make, start, advance, gather, restore, end };
  struct RankOrder {
    What what = What::end;
    std::int64_t phase = 0;
    std::int64_t sweeps = 0;
    std::int64_t records = 0;
    std::int64_t bytes = 0;  ///< number of bytes that follow
  };
  void send(RankOrder order);
  RankOrder receive();
  void obey(const RankOrder& order, Sampler& sampler, DrawBuffers& buffers);
  void restore(const RankOrder& order, Sampler& sampler);

  Ranks& ranks_;
  const StopRequest* stop_;
  bool asked_to_stop_ = false;
};

}  // namespace mixwell
