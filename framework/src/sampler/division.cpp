// Which columns of replicates a rank draws, and how it comes by the others'.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/division.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace mixwell {

Division::Division(Ranks& ranks, Index replicates, Index block_width)
    : ranks_(ranks),
      replicates_(replicates),
      block_width_(block_width),
      blocks_((replicates + block_width - 1) / block_width) {
  if (ranks.size() <= blocks_) return;
  throw InputError(fmt::format(
      "{} ranks: each draws a block of {} replicates at least (run.block_width), and the run has "
      "{}; "
      "start {}, or draw more than {} (run.replicates)",
      ranks.size(), block_width, replicates,
      blocks_ == 1 ? std::string("one process") : fmt::format("{} ranks at most", blocks_),
      (ranks.size() - 1) * block_width));
}

Index Division::column_of(int rank) const noexcept {
  return std::min(block_of(rank) * block_width_, replicates_);
}

void Division::share(double* numbers, Index rows, Index (Division::*first)(int) const) const {
  agree(ranks_);
  std::vector<std::size_t> ends;
  for (int rank = 0; rank < ranks_.size(); ++rank)
    ends.push_back(sizeof(double) * static_cast<std::size_t>((this->*first)(rank + 1) * rows));
  ranks_.share(numbers, ends);
}

void Division::share_columns(double* numbers, Index rows) const {
  share(numbers, rows, &Division::column_of);
}

void Division::share_blocks(Eigen::MatrixXd& numbers) const {
  share(numbers.data(), numbers.rows(), &Division::block_of);
}

/// Each record's own columns, draw by draw.
std::vector<char> Division::packed(const DrawBuffers& buffers,
                                   const std::vector<Index>& rows) const {
  const Index first = column_of(ranks_.rank());
  const Index own = column_of(ranks_.rank() + 1) - first;
  std::vector<char> all;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto draw = static_cast<std::size_t>(replicates_ * rows[r]);
    const auto* const begin = reinterpret_cast<const char*>(buffers.data[r].data());
    for (std::size_t at = 0; at < buffers.data[r].size(); at += draw) {
      const char* const from =
          begin + sizeof(double) * (at + static_cast<std::size_t>(first * rows[r]));
      all.insert(all.end(), from, from + sizeof(double) * static_cast<std::size_t>(own * rows[r]));
    }
  }
  return all;
}

void Division::unpack(int rank, const std::vector<char>& from, const std::vector<Index>& rows,
                      DrawBuffers& buffers) const {
  const Index first = column_of(rank);
  const Index own = column_of(rank + 1) - first;
  const char* next = from.data();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto draw = static_cast<std::size_t>(replicates_ * rows[r]);
    const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(own * rows[r]);
    for (std::size_t at = 0; at < buffers.data[r].size(); at += draw, next += bytes) {
      std::memcpy(buffers.data[r].data() + at + static_cast<std::size_t>(first * rows[r]), next,
                  bytes);
    }
  }
}

void Division::collect(DrawBuffers& buffers, const std::vector<Index>& rows) const {
  const std::vector<char> own = ranks_.leads() ? std::vector<char>() : packed(buffers, rows);
  agree(ranks_);
  const auto all = ranks_.collect(own);
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    unpack(static_cast<int>(rank), all[rank], rows, buffers);
}

}  // namespace mixwell
