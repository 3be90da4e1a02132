// A model of which each of several processes has some coordinates, with the data that they need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/types.hpp>

#include <memory>
#include <span>
#include <vector>

namespace mixwell {

class Model;

/// The processes that divide a model's coordinates, block by block: of B blocks process k of P has
/// those from k B / P on. All processes make the same calls in the same order.
class MIXWELL_EXPORT Portions {
 public:
  struct Sent {
    int to = 0;
    const double* numbers = nullptr;
    Index count = 0;
  };
  struct Received {
    int from = 0;
    double* numbers = nullptr;
    Index count = 0;
  };

  virtual ~Portions();
  virtual int rank() const noexcept = 0;
  virtual int ranks() const noexcept = 0;
  Index first_block(int rank, Index blocks) const noexcept { return rank * blocks / ranks(); }
  int owner(Index block, Index blocks) const noexcept {
    return static_cast<int>(((block + 1) * ranks() - 1) / blocks);
  }

  /// What is sent from one process to another arrives in the order in which it is sent; to oneself
  /// too. Returns when all of this process's has come and gone.
  virtual void exchange(std::span<const Sent> sent, std::span<const Received> received) = 0;
  /// m x B numbers, of which each process gives the columns of its blocks: all get all.
  virtual void share(Batch columns) = 0;
};

/// What a model offers that has this process's coordinates of a larger one, as if there were no
/// others: its dimension is theirs, and U is that of the whole, for which all processes are asked
/// together.
class MIXWELL_EXPORT PortionOfModel {
 public:
  /// Some of its rows.
  struct RowRange {
    Index first = 0;
    Index count = 0;
  };

  virtual ~PortionOfModel();
  /// Its names, labels and predictions are those of the results. Never evaluated.
  virtual const Model& whole() const noexcept = 0;
  /// Of the whole, one for each of its own. Those of one parameter stay together.
  virtual const std::vector<Index>& coordinates() const noexcept = 0;
  virtual const std::shared_ptr<Portions>& portions() const noexcept = 0;
  /// B, of all processes together.
  virtual Index blocks() const noexcept = 0;
  /// The rows of each of this process's blocks, in their order: of each as many stretches.
  virtual const std::vector<std::vector<RowRange>>& rows() const noexcept = 0;
};

/// Those that the model that is being made is to divide its coordinates among, or null: run.ranks =
/// "coordinates".
MIXWELL_EXPORT std::shared_ptr<Portions> portions();

/// The model whose names, labels and predictions are those of a run's results: what it is a portion
/// of, or itself.
MIXWELL_EXPORT const Model& whole_of(const Model& model) noexcept;

}  // namespace mixwell
