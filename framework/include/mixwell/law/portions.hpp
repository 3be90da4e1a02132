// Division of a model's cases or coordinates among processes, and operations on divided rows.
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

/// The processes among which the cases or the coordinates of a run's model are divided, in blocks.
/// With B blocks and P processes, process k has the blocks floor(k B / P) to
/// floor((k + 1) B / P) - 1. Each process executes the whole run. This class sends numbers between
/// the processes. All processes must make the same calls in the same order. Only one thread of a
/// process may call its methods at a time.
class MIXWELL_EXPORT Portions {
 public:
  template <class Number>
  struct Parcel {
    int other = 0;  ///< rank of the receiver or sender
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
  /// Shares a matrix with one column for each block. Each process provides the columns of its
  /// blocks and receives all columns.
  void share(Batch columns);
  /// Returns true if `here` is true on every process.
  bool everywhere(bool here) const;
  /// Collects `mine` from every process. Process 0 gets a list with one entry for each process, in
  /// the order of the ranks. The other processes get an empty list.
  std::vector<std::vector<char>> collect(const std::vector<char>& mine) const;
  /// Number of bytes that this process has sent with exchange() and share().
  std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }

 private:
  Ranks* ranks_;
  std::uint64_t bytes_sent_ = 0;
};

/// An additional base class of a model that is this process's portion of a larger model. Its
/// dimension is the number of coordinates in this portion. Its U is the U of the larger model, so
/// all processes evaluate it together. The constructor of the model sets these members.
struct MIXWELL_EXPORT PortionOfModel {
  /// Consecutive rows of a position of this model.
  struct RowRange {
    Index first = 0;
    Index count = 0;
  };

  /// The whole model, which is never evaluated. The results use its names, labels and predictions.
  std::shared_ptr<const Model> whole;
  std::shared_ptr<Portions> processes;
  /// B, the number of blocks of all processes together.
  Index blocks = 0;
  /// For each coordinate of this model, its index in the whole model. Coordinates of one parameter
  /// stay together.
  std::vector<Index> coordinates{};
  /// The rows of each block of this process, in the order of the blocks. All blocks have the same
  /// number of ranges.
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

/// This process's rows of two vectors, for DividedRows::dots.
struct VectorPair {
  Eigen::Ref<const Eigen::VectorXd> a;
  Eigen::Ref<const Eigen::VectorXd> b;
};

/// Lets an operation work on rows that several processes divide among themselves (run.ranks =
/// "coordinates"). The operation sees only the rows of this process. All processes must make the
/// same calls in the same order, so whether a call is made must not depend on the rows of a single
/// process.
class MIXWELL_EXPORT DividedRows {
 public:
  explicit DividedRows(const PortionOfModel& portion) noexcept : portion_(portion) {}
  /// Computes out[k] = a_k'b_k over the rows of all processes. The sums are added block by block,
  /// so the bits of the result do not depend on the number of processes. Each process sends and
  /// receives one message, for any number of pairs. Costs O(d) for each pair.
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

/// Returns true if `here` is true on every process that has some of the rows. `rows` is null if
/// this process has all rows.
inline bool on_all_rows(const DividedRows* rows, bool here) {
  return rows == nullptr ? here : rows->everywhere(here);
}

/// An additional base class of components that work when processes divide the rows of a position.
/// Each row that their operations write depends only on the same row of their inputs, on numbers
/// that all rows share, and on results of DividedRows.
class MIXWELL_EXPORT RowByRow {
 public:
  virtual ~RowByRow();
  /// True if the component works in this way with its current settings.
  virtual bool is_row_by_row() const noexcept { return true; }
};

}  // namespace mixwell
