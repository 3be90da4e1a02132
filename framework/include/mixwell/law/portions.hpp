// Processes that divide the cases or the coordinates of a model among themselves; what an operation
// asks of all rows of a position of which its process has some.
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

/// The processes that divide the cases or the coordinates of a run's model, block by block: of B
/// blocks process k of P has those from k B / P on. Each carries out the whole run; what is here
/// brings their parts together. All make the same calls in the same order, one thread at a time
/// where there are several.
class MIXWELL_EXPORT Portions {
 public:
  template <class Number>
  struct Parcel {
    int other = 0;  ///< whom they go to, or come from
    Number* numbers = nullptr;
    Index count = 0;
  };
  using Sent = Parcel<const double>;
  using Received = Parcel<double>;

  /// `ranks` must outlive this object; null means that this process is alone.
  explicit Portions(Ranks* ranks) noexcept : ranks_(ranks) {}
  int rank() const noexcept;
  int ranks() const noexcept;
  Index first_block(int rank, Index blocks) const noexcept { return rank * blocks / ranks(); }
  int owner(Index block, Index blocks) const noexcept {
    return static_cast<int>(((block + 1) * ranks() - 1) / blocks);
  }

  /// Numbers from one process to another, or to itself, arrive in the order in which they are sent.
  /// Returns when this process has sent and received everything.
  void exchange(std::span<const Sent> sent, std::span<const Received> received);
  /// m x B numbers. Each process gives the columns of its blocks, and gets all columns.
  void share(Batch columns);
  /// Whether it holds on every process.
  bool everywhere(bool here) const;
  /// What each process gives, in their order: to process 0; nothing to the others.
  std::vector<std::vector<char>> collect(const std::vector<char>& mine) const;
  /// What this process has given to others by exchange and share.
  std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }

 private:
  Ranks* ranks_;
  std::uint64_t bytes_sent_ = 0;
};

/// A second base class of a model that has only this process's coordinates of a larger model. Its
/// dimension is their number. Its U is the U of the larger model, so all processes evaluate it
/// together. The model fills this in when it is made.
struct MIXWELL_EXPORT PortionOfModel {
  /// Some of its rows.
  struct RowRange {
    Index first = 0;
    Index count = 0;
  };

  /// Its names, labels and predictions are those of the results. Never evaluated.
  std::shared_ptr<const Model> whole;
  std::shared_ptr<Portions> processes;
  /// B, of all processes together.
  Index blocks = 0;
  /// Of the whole, one for each of its own. Those of one parameter stay together.
  std::vector<Index> coordinates{};
  /// The rows of each of this process's blocks, in their order: of each as many stretches.
  std::vector<std::vector<RowRange>> rows{};
};

/// A further base class of models whose coordinates fall into blocks that processes can divide
/// among themselves (run.ranks = "coordinates").
class MIXWELL_EXPORT DivisibleModel {
 public:
  virtual ~DivisibleModel();
  /// A model that is also a PortionOfModel: the part of this process. It holds nothing of `this`.
  /// Throws ParameterError where the keys do not allow it, or leave a process without a block.
  virtual std::shared_ptr<Model> portion(std::shared_ptr<Portions> processes) const = 0;
};

/// The model whose names, labels and predictions are those of a run's results: what it is a portion
/// of, or itself.
MIXWELL_EXPORT const Model& whole_of(const Model& model) noexcept;

struct PortionOfModel;  // <mixwell/law/portions.hpp>

/// Two vectors of d numbers.
struct VectorPair {
  Eigen::Ref<const Eigen::VectorXd> a;
  Eigen::Ref<const Eigen::VectorXd> b;
};

/// What edges bring to an operation whose rows several processes divide among themselves (run.ranks
/// = "coordinates"): it sees the rows of this process as if there were no others. All processes
/// make the same calls in the same order: whether a call is made must not follow from only some
/// rows.
class MIXWELL_EXPORT DividedRows {
 public:
  explicit DividedRows(const PortionOfModel& portion) noexcept : portion_(portion) {}
  /// out[k] = a_k'b_k over the rows of all processes, added up block by block, so that bits do not
  /// depend on how many there are. One message to and from each process, whatever the number of
  /// pairs; O(d) a pair.
  void dots(std::span<const VectorPair> pairs, double* out) const;
  /// Whether it holds on every process.
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

/// Whether it holds on all rows; `rows` null: they are all here.
inline bool on_all_rows(const DividedRows* rows, bool here) {
  return rows == nullptr ? here : rows->everywhere(here);
}

/// A further base class of components under which processes can divide the rows of a position: each
/// row that their operations write follows from that row of what they read, from numbers that all
/// rows share, and from DividedRows.
class MIXWELL_EXPORT RowByRow {
 public:
  virtual ~RowByRow();
  /// As the component is set.
  virtual bool is_row_by_row() const noexcept { return true; }
};

}  // namespace mixwell
