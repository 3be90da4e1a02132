// From the records of a graph to the columns that recorders write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/recorder.hpp>

#include <cstddef>
#include <vector>

namespace mixwell {

/// Joins the records of all slots into columns and their buffers into chunks.
class MIXWELL_INTERNAL DrawChunks {
 public:
  /// Throws InputError when a name is used for different things, or lacks a slot.
  DrawChunks(const KernelGraph& graph, const Model& model, Index slots, Index replicates);

  const std::vector<Column>& columns() const noexcept { return columns_; }
  /// Bytes of one recorded draw of all chains, without what is recorded once.
  std::size_t bytes_per_draw() const noexcept;
  /// Pointers into `buffers`, or into memory of this object where slots must be interleaved; valid
  /// until the next call.
  Chunk chunk(const DrawBuffers& buffers, bool warmup, std::int64_t first_draw);

 private:
  const double* interleaved(std::size_t column, const DrawBuffers& buffers);

  Index slots_;
  Index replicates_;
  std::vector<Column> columns_;
  std::vector<std::vector<std::size_t>> records_;  ///< [column][slot]
  std::vector<std::vector<double>> memory_;        ///< [column]
};

}  // namespace mixwell
