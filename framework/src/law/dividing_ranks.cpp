// The ranks that what a manifest says is to be divided among.
// SPDX-License-Identifier: Apache-2.0
#include "law/dividing_ranks.hpp"

#include <utility>

namespace mixwell {
namespace {

thread_local DividingRanks* present_ranks = nullptr;

}  // namespace

DividingRanks::DividingRanks(Ranks& ranks, std::function<void()> agree)
    : ranks_(ranks), agree_(std::move(agree)) {
  present_ranks = this;
}
DividingRanks::~DividingRanks() { present_ranks = nullptr; }

Ranks* agreed_ranks() {
  if (present_ranks == nullptr) return nullptr;
  present_ranks->agree_();
  return &present_ranks->ranks_;
}

}  // namespace mixwell
