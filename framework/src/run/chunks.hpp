// Converts the values that a graph records to the columns that recorders write.
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
  /// Throws InputError if slots record different variables under one name, or if a slot does not
  /// record a variable that another slot records.
  DrawChunks(const KernelGraph& graph, const Model& model, Index slots, Index replicates);

  const std::vector<Column>& columns() const noexcept { return columns_; }
  /// Bytes of one recorded draw of all chains, without the columns that are recorded once.
  std::size_t bytes_per_draw() const noexcept;
  /// The chunk points into `buffers`, or into memory of this object if slots must be interleaved.
  /// It is valid until the next call.
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
