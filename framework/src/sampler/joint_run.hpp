// One run carried out by several ranks: rank 0 leads, the others follow.
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

/// Rank 0 runs a manifest as a process alone does. What its sampler does with replicates it tells
/// the others, whose samplers do the same with theirs: each call of a divided Sampler of rank 0 is
/// an order. The others only follow().
class MIXWELL_INTERNAL JointRun {
 public:
  /// `stop`: when made, in whatever rank, the run ends.
  JointRun(Ranks& ranks, const StopRequest* stop) : ranks_(ranks), stop_(stop) {}
  /// Rank 0 sends the others home.
  ~JointRun();
  JointRun(const JointRun&) = delete;
  JointRun& operator=(const JointRun&) = delete;

  Ranks& ranks() const noexcept { return ranks_; }
  /// Whether a rank was asked to stop, as far as was known after the last order.
  bool is_asked_to_stop() const noexcept { return asked_to_stop_; }

  /// By rank 0: `make` makes its sampler, which is given this run, while the others make theirs.
  void make_samplers(const std::function<void()>& make);
  /// By the others, until rank 0 has ended: `make` makes this rank's sampler.
  void follow(const std::function<std::unique_ptr<Sampler>()>& make);

  // For a divided Sampler: what rank 0 orders, nothing on the others.
  void order_start();
  void order_advance(PhaseKind phase, std::int64_t sweeps, bool records);
  void order_gather();
  void order_restore(const std::vector<char>& state);

  /// Work that was ordered, on this rank; throws as together().
  void carry_out(const std::function<void()>& work);

 private:
  enum class What : std::int64_t { make, start, advance, gather, restore, end };
  struct RankOrder {
    What what = What::end;
    std::int64_t phase = 0;
    std::int64_t sweeps = 0;
    std::int64_t records = 0;
    std::int64_t bytes = 0;  ///< that follow
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
