// What an operation asks of all rows of a position of which its process has some.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/types.hpp>

#include <Eigen/Core>

#include <span>

namespace mixwell {

struct PortionOfModel;  // <mixwell/portions.hpp>

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
