// The ranks that what a manifest says is to be divided among.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ranks.hpp"

#include <mixwell/export.hpp>

#include <functional>

namespace mixwell {

/// While it lives, what a manifest read by this thread divides (run.ranks) is divided among
/// `ranks`, when `agree` has found nothing to throw.
class MIXWELL_INTERNAL DividingRanks {
 public:
  DividingRanks(Ranks& ranks, std::function<void()> agree);
  ~DividingRanks();
  DividingRanks(const DividingRanks&) = delete;
  DividingRanks& operator=(const DividingRanks&) = delete;

 private:
  friend Ranks* agreed_ranks();
  Ranks& ranks_;
  std::function<void()> agree_;
};

/// Those that are there, after they have agreed; null where this process is alone.
MIXWELL_INTERNAL Ranks* agreed_ranks();

}  // namespace mixwell
