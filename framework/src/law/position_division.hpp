// The coordinates of a run's model, divided among the ranks, or all in one process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ranks.hpp"

#include <mixwell/divided_rows.hpp>
#include <mixwell/export.hpp>
#include <mixwell/portions.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace mixwell {

/// Every rank carries out the whole run on its own rows; what is here brings them together. One
/// thread at a time where there are several ranks.
class MIXWELL_INTERNAL PositionDivision final : public Portions {
 public:
  /// `ranks` null: all coordinates are this process's.
  explicit PositionDivision(Ranks* ranks) : ranks_(ranks) {}

  int rank() const noexcept override { return ranks_ == nullptr ? 0 : ranks_->rank(); }
  int ranks() const noexcept override { return ranks_ == nullptr ? 1 : ranks_->size(); }
  void exchange(std::span<const Sent> sent, std::span<const Received> received) override;
  void share(Batch columns) override;
  /// Whether it holds on every rank.
  bool everywhere(bool here) { return ranks_ == nullptr ? here : !agree(*ranks_, !here); }
  /// What each rank gives, in their order: to rank 0; nothing to the others.
  std::vector<std::vector<char>> collect(const std::vector<char>& mine);

  /// What this rank has given to others by exchange and share.
  std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }

 private:
  void copy_own(std::span<const Sent> sent, std::span<const Received> received) const;

  Ranks* ranks_;
  std::uint64_t bytes_sent_ = 0;
  std::vector<Ranks::Outgoing> out_;
  std::vector<Ranks::Incoming> in_;
};

/// Among the ranks that are there.
MIXWELL_INTERNAL std::shared_ptr<PositionDivision> divide_positions();

/// While it lives, models that this thread makes find `division` (which may be null) as portions().
class MIXWELL_INTERNAL MakingPortions {
 public:
  explicit MakingPortions(std::shared_ptr<Portions> division);
  ~MakingPortions();
  MakingPortions(const MakingPortions&) = delete;
  MakingPortions& operator=(const MakingPortions&) = delete;

 private:
  std::shared_ptr<Portions> before_;
};

/// The rows of a portion, whose sums are formed block by block.
class MIXWELL_INTERNAL BlockSums final : public DividedRows {
 public:
  BlockSums(const PortionOfModel& portion, PositionDivision& division)
      : portion_(portion), division_(division) {}
  /// O(d) a pair; no memory from the heap after the first call of a thread.
  void dots(std::span<const VectorPair> pairs, double* out) const override;
  bool everywhere(bool here) const override { return division_.everywhere(here); }

 private:
  const PortionOfModel& portion_;
  PositionDivision& division_;
};

/// While it lives, operations that this thread runs find `rows` as divided_rows().
class MIXWELL_INTERNAL RunningOnRows {
 public:
  explicit RunningOnRows(const DividedRows& rows) noexcept;
  ~RunningOnRows();
  RunningOnRows(const RunningOnRows&) = delete;
  RunningOnRows& operator=(const RunningOnRows&) = delete;
};

}  // namespace mixwell
