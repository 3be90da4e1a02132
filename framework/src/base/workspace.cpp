// Scratch memory for code that runs inside a transition.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/workspace.hpp>

#include <algorithm>

namespace mixwell {
namespace {

constexpr std::size_t smallest_chunk = std::size_t{1} << 12;
constexpr Index alignment = 8;  // doubles per 64 bytes

}  // namespace

struct Workspace::Span {
  explicit Span(std::size_t n) : size(n), memory(new (std::align_val_t{64}) double[n]) {}
  struct Free {
    void operator()(double* p) const noexcept { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::size_t size;
  std::unique_ptr<double[], Free> memory;
};

Workspace::Workspace() = default;
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

double* Workspace::take(Index count) {
  const auto need = static_cast<std::size_t>((count + alignment - 1) / alignment * alignment);
  while (chunk_ < chunks_.size() && used_ + need > chunks_[chunk_].size) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ == chunks_.size()) {
    const std::size_t grown = chunks_.empty() ? smallest_chunk : 2 * chunks_.back().size;
    chunks_.emplace_back(std::max(grown, need));
  }
  double* taken = chunks_[chunk_].memory.get() + used_;
  used_ += need;
  return taken;
}

}  // namespace mixwell
