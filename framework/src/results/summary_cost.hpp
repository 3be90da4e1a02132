// Estimates the time that the summary of a run will take.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

namespace mixwell {

/// A summary sorts and transforms the n draws of each element. This takes c n log n seconds per
/// element. The constructor measures c on this machine, which takes some milliseconds.
class MIXWELL_INTERNAL SummaryCost {
 public:
  /// `elements`: the number of rows of the summary.
  SummaryCost(Index elements, Index chains);
  /// Seconds for a summary with this number of draws per chain, on the threads of the caller.
  double seconds(double draws) const;

 private:
  double elements_;
  double chains_;
  double unit_;  ///< c
};

}  // namespace mixwell
