// Division of a model's cases or coordinates among processes, and operations on rows that are
// divided.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mixwell {

class Model;
class Ranks;

/// The processes that divide the cases or the coordinates of a run's model into blocks. With B
/// blocks, process k of P has the blocks from k B / P on. Each process executes the whole run. This
/// class exchanges the parts of the processes. All processes must make the same calls in the same
/// order, and within a process only one thread may call at a time.
class MIXWELL_EXPORT Portions {
 public:
  template <class Number>
  struct Parcel {
    int other = 0;  ///< the receiver or the sender
    Number* numbers = nullptr;
    Index count = 0;
  };
  using Sent = Parcel<const double>;
  using Received = Parcel<double>;

  /// `ranks` must outlive this object. Null means that there is only this process.
  explicit Portions(Ranks* ranks) noexcept : ranks_(ranks) {}
  int rank() const noexcept;
  int ranks() const noexcept;
  Index first_block(int rank, Index blocks) const noexcept { return rank * blocks / ranks(); }
  int owner(Index block, Index blocks) const noexcept {
    return static_cast<int>(((block + 1) * ranks() - 1) / blocks);
  }

  /// Sends numbers to other processes, or to this one. The numbers arrive in the order in which
  /// they are sent. Returns when this process has sent and received everything.
  void exchange(std::span<const Sent> sent, std::span<const Received> received);
  /// Shares m x B numbers. Each process provides the columns of its blocks and receives all
  /// columns.
  void share(Batch columns);
  /// Returns true if `here` is true on every process.
  bool everywhere(bool here) const;
  /// On process 0, returns the values that all processes passed, in the order of the processes. The
  /// other processes get nothing.
  std::vector<std::vector<char>> collect(const std::vector<char>& mine) const;
  /// Number of bytes that this process has sent by exchange and share.
  std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }

 private:
  Ranks* ranks_;
  std::uint64_t bytes_sent_ = 0;
};

/// An additional base class of a model that has only this process's coordinates of a larger model.
/// Its dimension is the number of these coordinates. Its U is the U of the larger model, so all
/// processes evaluate it together. The constructor of the model sets these members.
struct MIXWELL_EXPORT PortionOfModel {
  /// Some rows of this model.
  struct RowRange {
    Index first = 0;
    Index count = 0;
  };

  /// The whole model. The results have the names, labels and predictions of this model. It is never
  /// evaluated.
  std::shared_ptr<const Model> whole;
  std::shared_ptr<Portions> processes;
  /// B, the number of blocks of all processes together.
  Index blocks = 0;
  /// For each coordinate of this model, the coordinate of the whole model. Coordinates of one
  /// parameter stay together.
  std::vector<Index> coordinates{};
  /// The rows of each of this process's blocks, in their order. All blocks have the same number of
  /// ranges.
  std::vector<std::vector<RowRange>> rows{};
};

/// An additional base class of models whose coordinates form blocks that processes can divide among
/// themselves (run.ranks = "coordinates").
class MIXWELL_EXPORT DivisibleModel {
 public:
  virtual ~DivisibleModel();
  /// Makes the part of this process: a model that is also a PortionOfModel. The new model does not
  /// refer to `this`. Throws ParameterError if the keys do not allow a division, or if a process
  /// would get no block.
  virtual std::shared_ptr<Model> portion(std::shared_ptr<Portions> processes) const = 0;
};

/// Returns the model whose names, labels and predictions are in the results: the larger model if
/// `model` is a portion of one, otherwise `model` itself.
MIXWELL_EXPORT const Model& whole_of(const Model& model) noexcept;

struct PortionOfModel;  // <mixwell/law/portions.hpp>

/// Two vectors of d numbers.
struct VectorPair {
  Eigen::Ref<const Eigen::VectorXd> a;
  Eigen::Ref<const Eigen::VectorXd> b;
};

/// Lets an operation work on rows that several processes divide among themselves (run.ranks =
/// "coordinates"). The operation sees only the rows of this process. All processes must make the
/// same calls in the same order, so the decision to make a call must not depend on the rows of one
/// process only.
class MIXWELL_EXPORT DividedRows {
 public:
  explicit DividedRows(const PortionOfModel& portion) noexcept : portion_(portion) {}
  /// Computes out[k] = a_k'b_k over the rows of all processes. The sums are added block by block,
  /// so the bits do not depend on the number of processes. Each process sends and receives one
  /// message, for any number of pairs. O(d) for each pair.
  void dots(std::span<const VectorPair> pairs, double* out) const;
  /// Returns true if `here` is true on every process.
  bool everywhere(bool here) const;

  double dot(const Eigen::Ref<const Eigen::VectorXd>& a,
             const Eigen::Ref<const Eigen::VectorXd>& b) const {
    double sum = 0.0;
    const VectorPair pair{a, b};
    dots({&pair, 1}, &sum);
    return sum;
  }

 private:
  const PortionOfModel& portion_;
};

/// Returns true if `here` is true on all rows. `rows` is null if this process has all rows.
inline bool on_all_rows(const DividedRows* rows, bool here) {
  return rows == nullptr ? here : rows->everywhere(here);
}

/// An additional base class of components that work when processes divide the rows of a position.
/// Each row that their operations write depends only on the same row of their inputs, on numbers
/// that all rows share, and on DividedRows.
class MIXWELL_EXPORT RowByRow {
 public:
  virtual ~RowByRow();
  /// True if the component works in this way with its current settings.
  virtual bool is_row_by_row() const noexcept { return true; }
};

}  // namespace mixwell
