// Assigns columns or rows to ranks, and exchanges the values that each rank computed.
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

/// Divides whole blocks among ranks, in order and as evenly as possible: of B blocks, rank k of P
/// has blocks [k B / P, (k + 1) B / P). A block is drawn by the same calls with the same random
/// numbers on every rank. Every rank runs each operation on all replicates with the numbers of all
/// replicates. So the results do not depend on P, bit for bit.
class Division {
 public:
  /// Throws InputError if there are fewer blocks than ranks.
  Division(Ranks& ranks, Index replicates, Index block_width);

  Index first_block() const noexcept { return block_of(ranks_.rank()); }
  Index end_block() const noexcept { return block_of(ranks_.rank() + 1); }

  /// Gives all ranks all columns of rows x replicates numbers, stored column by column. Throws
  /// OtherRankFailed.
  void share_columns(double* numbers, Index rows) const;
  /// Like share_columns(), for rows x blocks numbers.
  void share_blocks(Eigen::MatrixXd& numbers) const;
  /// Gives rank 0 all numbers, laid out [draw][replicate][row] for each of `rows`.
  void collect(DrawBuffers& buffers, const std::vector<Index>& rows) const;

 private:
  Index block_of(int rank) const noexcept { return rank * blocks_ / ranks_.size(); }
  Index column_of(int rank) const noexcept;
  /// `first` gives the first column or block of a rank.
  void share(double* numbers, Index rows, Index (Division::*first)(int) const) const;
  std::vector<char> packed(const DrawBuffers& buffers, const std::vector<Index>& rows) const;
  void unpack(int rank, const std::vector<char>& from, const std::vector<Index>& rows,
              DrawBuffers& buffers) const;

  Ranks& ranks_;
  Index replicates_;
  Index block_width_;
  Index blocks_;
};

/// The shape of a record in results. A parameter of a portion has its shape in the whole model.
MIXWELL_INTERNAL std::vector<Index> shape_in_results(const Record& record, const Model& model);

/// Collects the parameters' rows of all ranks on rank 0, in the order of the whole model. All other
/// records are equal on all ranks, so the records of rank 0 are used.
class MIXWELL_INTERNAL PortionDraws {
 public:
  /// Called by all ranks together. Throws InputError for a record that has the rows of a portion
  /// but is not a parameter.
  PortionDraws(const Model& portion, const KernelGraph& graph, Index replicates);

  /// Called by all ranks together. Afterwards `buffers` on rank 0 holds the draws of all ranks.
  /// Each rank sends one message with as many numbers as it has drawn.
  void collect(DrawBuffers& buffers) const;

 private:
  /// A parameter of the whole model and its records, one for each slot.
  struct Divided {
    std::vector<std::size_t> records;
    Index first = 0;  ///< coordinate
    Index rows = 0;
  };
  std::vector<char> packed(const DrawBuffers& buffers) const;
  /// Unpacks what one rank sent.
  void place(const std::vector<char>& sent, const std::vector<Index>& coordinates,
             DrawBuffers& buffers) const;

  Portions& division_;
  Index replicates_;
  std::vector<std::vector<Index>> coordinates_;  ///< coordinates of each rank; only on rank 0
  std::vector<Divided> parts_;
};

}  // namespace mixwell
