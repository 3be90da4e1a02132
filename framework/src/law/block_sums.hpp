// Sums over the rows of all processes that divide coordinates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/divided_rows.hpp>
#include <mixwell/export.hpp>
#include <mixwell/portions.hpp>

#include <span>

namespace mixwell {

/// The rows of a portion, whose sums are formed block by block.
class MIXWELL_INTERNAL BlockSums final : public DividedRows {
 public:
  explicit BlockSums(const PortionOfModel& portion) : portion_(portion) {}
  /// O(d) a pair.
  void dots(std::span<const VectorPair> pairs, double* out) const override;
  bool everywhere(bool here) const override { return portion_.portions()->everywhere(here); }

 private:
  const PortionOfModel& portion_;
};

}  // namespace mixwell
