// What an operation asks of all rows of a position of which its process has some.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/types.hpp>

#include <Eigen/Core>

#include <span>

namespace mixwell {

/// Two vectors of d numbers.
struct VectorPair {
  Eigen::Ref<const Eigen::VectorXd> a;
  Eigen::Ref<const Eigen::VectorXd> b;
};

/// While an operation runs whose rows several processes divide among themselves (run.ranks =
/// "coordinates"): it sees this process's rows as if there were no others. What it writes in a row
/// may follow from that row of what it reads, from numbers that all rows share, and from what is
/// here; a component says so by Component::divides_rows(). All processes make the same calls in the
/// same order: whether one is made must not follow from only some rows.
class MIXWELL_EXPORT DividedRows {
 public:
  virtual ~DividedRows();
  /// out[k] = a_k'b_k over the rows of all processes, added up block by block, so that bits do not
  /// depend on how many there are. One message to and from each process, whatever the number of
  /// pairs.
  virtual void dots(std::span<const VectorPair> pairs, double* out) const = 0;
  /// Whether it holds on every process.
  virtual bool everywhere(bool here) const = 0;

  double dot(const Eigen::Ref<const Eigen::VectorXd>& a,
             const Eigen::Ref<const Eigen::VectorXd>& b) const {
    double sum = 0.0;
    const VectorPair pair{a, b};
    dots({&pair, 1}, &sum);
    return sum;
  }
};

/// Those of the operation that runs, or null: it has all rows.
MIXWELL_EXPORT const DividedRows* divided_rows() noexcept;

/// Whether it holds on all rows, wherever they are.
inline bool on_all_rows(bool here) {
  const DividedRows* const rows = divided_rows();
  return rows == nullptr ? here : rows->everywhere(here);
}

}  // namespace mixwell
