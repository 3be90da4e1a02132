// How long the summary of a run will take, while there is still time to draw less.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

namespace mixwell {

/// Figures of n draws sort and transform them: a time c n log n for each element, with c as
/// measured on this machine when this is made (some milliseconds).
class MIXWELL_INTERNAL SummaryCost {
 public:
  /// `elements` of all variables that the summary has a row for.
  SummaryCost(Index elements, Index chains);
  /// Of a summary of so many draws of each chain, on the threads that this is called on.
  double seconds(double draws) const;

 private:
  double elements_;
  double chains_;
  double unit_;  ///< c
};

}  // namespace mixwell
