// Which columns or rows a rank draws, and how it comes by those of others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ranks.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/law/portions.hpp>
#include <mixwell/model.hpp>

#include <vector>

namespace mixwell {

/// Whole blocks, in the order of ranks, as evenly as they go: rank k of P has blocks
/// [k B / P, (k + 1) B / P) of B. A block is drawn by the same calls with the same random numbers
/// whoever draws it, and what needs all replicates is done by every rank with all of them: so bits
/// do not depend on P.
class Division {
 public:
  /// Throws InputError where there are fewer blocks than ranks.
  Division(Ranks& ranks, Index replicates, Index block_width);

  Index first_block() const noexcept { return block_of(ranks_.rank()); }
  Index end_block() const noexcept { return block_of(ranks_.rank() + 1); }

  /// rows x replicates numbers, column by column: all ranks get all columns. Throws
  /// OtherRankFailed.
  void share_columns(double* numbers, Index rows) const;
  /// rows x blocks numbers likewise.
  void share_blocks(Eigen::MatrixXd& numbers) const;
  /// Numbers laid out [draw][replicate][row] for each of `rows`: rank 0 gets all of them.
  void collect(DrawBuffers& buffers, const std::vector<Index>& rows) const;

 private:
  Index block_of(int rank) const noexcept { return rank * blocks_ / ranks_.size(); }
  Index column_of(int rank) const noexcept;
  /// `first` is where what a rank gives begins.
  void share(double* numbers, Index rows, Index (Division::*first)(int) const) const;
  std::vector<char> packed(const DrawBuffers& buffers, const std::vector<Index>& rows) const;
  void unpack(int rank, const std::vector<char>& from, const std::vector<Index>& rows,
              DrawBuffers& buffers) const;

  Ranks& ranks_;
  Index replicates_;
  Index block_width_;
  Index blocks_;
};

/// What results hold for a record: a parameter of a portion is that of the whole.
MIXWELL_INTERNAL std::vector<Index> shape_in_results(const Record& record, const Model& model);

/// Brings the parameters' rows of all ranks to rank 0, in the order of the whole. All else that is
/// recorded every rank has, and rank 0's is taken.
class MIXWELL_INTERNAL PortionDraws {
 public:
  /// All ranks together. Throws InputError for a record that has rows of a portion and is none of
  /// its parameters.
  PortionDraws(const Model& portion, const KernelGraph& graph, Index replicates);

  /// All ranks together; on rank 0 `buffers` has the whole afterwards. A message from each rank,
  /// of as many numbers as it has drawn.
  void collect(DrawBuffers& buffers) const;

 private:
  /// A parameter of the whole, and where it is recorded: once for each slot.
  struct Divided {
    std::vector<std::size_t> records;
    Index first = 0;  ///< coordinate
    Index rows = 0;
  };
  std::vector<char> packed(const DrawBuffers& buffers) const;
  /// What one rank sent.
  void place(const std::vector<char>& sent, const std::vector<Index>& coordinates,
             DrawBuffers& buffers) const;

  Portions& division_;
  Index replicates_;
  std::vector<std::vector<Index>> coordinates_;  ///< of each rank, on rank 0
  std::vector<Divided> parts_;
};

}  // namespace mixwell
