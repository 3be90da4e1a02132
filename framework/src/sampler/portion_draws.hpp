// The draws of a run whose ranks have some coordinates each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/graph.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/model.hpp>
#include <mixwell/portions.hpp>

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
