// The subtrees of a growing trajectory, and the test that stops it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/Core>

#include <algorithm>

namespace mixwell::nuts {

/// A stretch of a trajectory in the order of integration; vectors have length d.
struct Stretch {
  const double* p_first;  ///< momentum of its first leaf
  const double* v_first;  ///< M^-1 p of its first leaf
  const double* p_last;
  const double* v_last;
  const double* rho;  ///< sum of the momenta of its leaves
};

/// True if three stretches have not turned back: the union of `left` and `right`, and the union of
/// each of the two with the nearest leaf of the other. A stretch has not turned back if v_a' rho >
/// 0 and v_b' rho > 0 for the velocities v at both ends (Betancourt 2017, appendix A.4.2, with the
/// checks across the gap that Stan added in 2.21). NaN counts as turned back. The test is symmetric
/// in time, which reversibility requires. Computes 6 scalar products of length d.
inline bool is_straight(const Stretch& left, const Stretch& right, Index d) {
  using Vector = Eigen::Map<const Eigen::VectorXd>;
  const auto along = [d](const double* v, const double* a, const double* b) {
    return Vector(v, d).dot(Vector(a, d) + Vector(b, d)) > 0.0;
  };
  return along(left.v_first, left.rho, right.rho) && along(right.v_last, left.rho, right.rho) &&
         along(left.v_first, left.rho, right.p_first) &&
         along(right.v_first, left.rho, right.p_first) &&
         along(left.v_last, right.rho, left.p_last) && along(right.v_last, right.rho, left.p_last);
}

/// Complete binary subtrees of one column, the largest first, like the digits of a binary counter:
/// the n-th leaf closes as many subtrees as n + 1 has trailing zeros.
class Subtrees {
 public:
  /// Number of doubles for trees of up to `depth` doublings.
  static Index memory(Index d, Index depth) { return 5 * d * (depth + 1); }

  Subtrees() = default;
  Subtrees(double* memory, Index d) : memory_(memory), d_(d) {}

  void clear() { size_ = leaves_ = 0; }

  /// Adds a leaf. Returns false if a subtree that the leaf completes has turned back.
  bool add(const double* p, const double* v) {
    double* leaf = frame(size_++);
    std::copy_n(p, d_, leaf);
    std::copy_n(v, d_, leaf + d_);
    std::copy_n(p, d_, leaf + 2 * d_);
    std::copy_n(v, d_, leaf + 3 * d_);
    std::copy_n(p, d_, leaf + 4 * d_);
    ++leaves_;
    for (Index rest = leaves_; rest % 2 == 0; rest /= 2) {
      if (!merge()) return false;
    }
    return true;
  }

  /// All leaves as one stretch. The number of leaves must be a power of two.
  Stretch all() const { return stretch(0); }

 private:
  double* frame(Index k) const { return memory_ + 5 * d_ * k; }
  Stretch stretch(Index k) const {
    const double* f = frame(k);
    return {f, f + d_, f + 2 * d_, f + 3 * d_, f + 4 * d_};
  }

  /// Merges the last two subtrees.
  bool merge() {
    const Stretch left = stretch(size_ - 2);
    const Stretch right = stretch(size_ - 1);
    if (!is_straight(left, right, d_)) return false;
    double* whole = frame(size_ - 2);
    std::copy_n(right.p_last, d_, whole + 2 * d_);
    std::copy_n(right.v_last, d_, whole + 3 * d_);
    for (Index i = 0; i < d_; ++i) whole[4 * d_ + i] += right.rho[i];
    --size_;
    return true;
  }

  double* memory_ = nullptr;
  Index d_ = 0;
  Index size_ = 0;
  Index leaves_ = 0;
};

}  // namespace mixwell::nuts
