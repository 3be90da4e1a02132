// The draws of a run whose ranks have some coordinates each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/row_runs.hpp"
#include "law/position_division.hpp"

#include <mixwell/export.hpp>
#include <mixwell/graph.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/model.hpp>

#include <vector>

namespace mixwell {

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
  /// Of one parameter, of one rank: what it has of the whole's rows.
  struct Divided {
    std::vector<std::size_t> records;  ///< one for each slot
    Index rows_of_whole = 0;
    std::vector<RowRuns> of_ranks;  ///< on rank 0
  };
  std::vector<char> packed(const DrawBuffers& buffers) const;
  void place(const std::vector<std::vector<char>>& all, DrawBuffers& buffers) const;

  PositionDivision& division_;
  Index replicates_;
  std::vector<Divided> parts_;
};

}  // namespace mixwell
