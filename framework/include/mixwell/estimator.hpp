// The interface of estimators: how a preconditioner is computed from the points that a slot's
// update may use.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/random.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/base/workspace.hpp>
#include <mixwell/component/component.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/law/function.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mixwell {

/// The points and gradients that an estimator may use when a slot is updated, oldest first. Each
/// point is rows x cols and contiguous. Potentials (1 x cols for each point) exist only if the
/// estimator reads them.
class Memory {
 public:
  Memory(Index rows, Index cols, std::span<const double* const> points,
         std::span<const double* const> gradients, std::span<const double* const> potentials = {},
         const DividedRows* divided_rows = nullptr) noexcept
      : rows_(rows),
        cols_(cols),
        points_(points),
        gradients_(gradients),
        potentials_(potentials),
        divided_rows_(divided_rows) {}

  /// The same points as displacements: points 2k and 2k+1 are the two ends of one displacement. The
  /// potentials of the result must not be read.
  Memory as_displacements() const noexcept {
    Memory pairs = *this;
    pairs.displacements_ = true;
    return pairs;
  }
  bool holds_displacements() const noexcept { return displacements_; }

  Index size() const noexcept { return static_cast<Index>(points_.size()); }
  /// The dimension d, even if there are no points.
  Index rows() const noexcept { return rows_; }
  Index cols() const noexcept { return cols_; }
  /// The same as edge::PointPosition::divided_rows.
  const DividedRows* divided_rows() const noexcept { return divided_rows_; }
  ConstMatrixMap point(Index k) const noexcept { return at(points_, k); }
  ConstMatrixMap gradient(Index k) const noexcept { return at(gradients_, k); }
  ConstRowMap potential(Index k) const noexcept {
    return {potentials_[static_cast<std::size_t>(k)], cols_};
  }

 private:
  ConstMatrixMap at(std::span<const double* const> from, Index k) const noexcept {
    return {from[static_cast<std::size_t>(k)], rows_, cols_};
  }

  Index rows_;
  Index cols_;
  std::span<const double* const> points_;
  std::span<const double* const> gradients_;
  std::span<const double* const> potentials_;
  const DividedRows* divided_rows_;
  bool displacements_ = false;
};

/// A preconditioner H for kernels: an approximation of the inverse Hessian of U. This base class
/// provides the code that multiplies vectors by H, given the numbers that describe H. The four
/// subclasses below differ in how these numbers are computed.
class MIXWELL_EXPORT Estimator : public Component {
 public:
  static constexpr Kind kind = Kind::estimator;
  ~Estimator() override;

  /// The code that multiplies vectors by H. All results of `fit` may share one object.
  virtual std::shared_ptr<const Representation> representation() const = 0;

 private:
  Estimator() = default;
  friend class ConstantPreconditioner;
  friend class FittedPreconditioner;
  friend class LearntPreconditioner;
  friend class OwnPreconditioner;
};

/// An H that never changes. Everything that describes H is stored in representation().
class MIXWELL_EXPORT ConstantPreconditioner : public Estimator {
 public:
  /// Throws InputError if H does not support this dimension.
  virtual void check(Index dimension) const;
};

/// Computes H from a memory with a pure function: the same memory always gives the same H, bit for
/// bit. The compositor chooses the memory for the update of a slot.
class MIXWELL_EXPORT FittedPreconditioner : public Estimator {
 public:
  /// Traits of `fit`. If no `bound` is declared, the certificate guarantees nothing for steps
  /// without a Metropolis decision.
  virtual Traits traits() const = 0;
  /// If true, `fit` also reads the potentials of the memory. Compositors whose memory has no
  /// potentials then refuse the estimator.
  virtual bool reads_potentials() const noexcept { return false; }
  /// The smallest number of points that give a meaningful H. Mixwell refuses a composition whose
  /// memory has fewer points.
  virtual Index fewest_points() const noexcept { return 1; }
  /// Number of rows of `numbers` in fit(), for dimension d and n points.
  virtual Index rows(Index dimension, Index points) const = 0;
  /// Computes H from points (d x R each). Writes the description of H to `numbers` (rows() x R).
  virtual void fit(const Memory& memory, Batch numbers, Workspace& scratch) const = 0;
};

/// Learns H from the positions that a chain visits in the windows of its warmup (WarmupWindows).
/// After warmup H stays fixed. The object itself is stateless. Its state is a history variable of
/// the graph. The first rows of the state are the numbers that describe H.
class MIXWELL_EXPORT LearntPreconditioner : public Estimator {
 public:
  /// The way in which the state forgets early draws.
  virtual Forgets forgets() const noexcept = 0;
  /// The n-th update of a diminishing adaptation changes H by about n^-rate. 0 means that no rate
  /// is declared.
  virtual double rate() const noexcept { return 0.0; }
  /// `run` if all replicates share one preconditioner, which is learnt from all their draws.
  virtual Scope scope() const noexcept = 0;
  /// The state before any draw, rows x 1.
  virtual Eigen::VectorXd initial(Index dimension) const = 0;
  /// Shape of H in the results. H is recorded once, under the name inv_metric, from the first rows
  /// of the state.
  virtual std::vector<Index> shape(Index dimension) const = 0;
  /// Adds positions theta (d x R) to the state. The state has R columns, or one column that
  /// receives all positions.
  virtual void observe(Batch state, ConstBatch theta) const = 0;
  /// Recomputes H from all positions that observe() received since the last call.
  virtual void close_window(Batch state, Index dimension, Workspace& scratch) const = 0;
};

/// A preconditioner that depends on the slot whose steps use it: H(theta), or an H computed from a
/// history that contains gradients at past values of the slot. Steps with such an H need the drift
/// correction Gamma_i = sum_j dH_ij/dtheta_j. Without this correction, such steps have the wrong
/// stationary distribution at every step size.
class MIXWELL_EXPORT OwnPreconditioner : public Estimator {
 public:
  /// The input of observe() for one block of columns.
  struct Here {
    /// The law that the steps use. `g` is its gradient at `theta`, with Evaluation::draw = 0.
    const Law& law;
    const Potential& target;  ///< the exact law
    ConstBatch theta;         ///< d x w
    ConstBatch g;             ///< d x w
    const NormalSource& noise;
    std::uint64_t sweep;
    Workspace& scratch;
  };

  /// Traits of `fit`, including its `bound`: a bound on H(theta), or on the H computed from the
  /// history.
  virtual Traits traits() const = 0;
  /// Number of rows of `numbers` in fit().
  virtual Index rows(Index dimension) const = 0;
  /// Number of rows of the history. 0 means that H depends only on theta.
  virtual Index state_rows(Index dimension) const noexcept = 0;
  /// If true, the H of a step depends on the gradient of the same step, so H shares the noise of
  /// the gradient.
  virtual bool sees_present() const noexcept { return false; }
  /// Number of gradients of the steps' law that `observe` evaluates for each column.
  virtual std::int64_t gradients() const noexcept { return 0; }
  /// Updates the history with the gradient at the slot's value. The history is all zeros at first.
  virtual void observe(const Here& here, Batch state) const;
  /// Computes H from theta (d x w) or from the history. Writes the description of H to `numbers`
  /// (rows() x w).
  virtual void fit(const Potential& target, ConstBatch theta, ConstBatch state, Batch numbers,
                   Workspace& scratch) const = 0;

  /// True if Gamma is available. A subclass must provide Gamma unless Gamma is 0.
  virtual bool has_drift_correction() const noexcept = 0;
  /// Traits of `drift_correction`. Declare `total` only if drift_correction() writes the whole
  /// Gamma, which accounts for every way in which H depends on the slot.
  virtual Traits drift_correction_traits() const = 0;
  /// Writes Gamma (d x w) to `out`, for the H that `numbers` describes.
  virtual void drift_correction(const Potential& target, ConstBatch theta, ConstBatch state,
                                ConstBatch numbers, Batch out, Workspace& scratch) const;
  /// Returns the reason why this target cannot be used, or "".
  virtual std::string refusal(const Potential&) const { return {}; }
  /// Returns a representation of H if H is the same for every theta, otherwise null. If the result
  /// is not null, Mixwell uses no other function of this class.
  virtual std::shared_ptr<const Representation> constant(const Potential&,
                                                         Index /*dimension*/) const {
    return nullptr;
  }
};
using ConstantCurvature [[deprecated("renamed to ConstantPreconditioner")]] =
    ConstantPreconditioner;
using FittedCurvature [[deprecated("renamed to FittedPreconditioner")]] = FittedPreconditioner;
using LearntCurvature [[deprecated("renamed to LearntPreconditioner")]] = LearntPreconditioner;
using OwnCurvature [[deprecated("renamed to OwnPreconditioner")]] = OwnPreconditioner;

/// Quadratic approximation of U at its mode: 1/2 (theta - mode)' hessian (theta - mode).
struct Laplace {
  Eigen::VectorXd mode;
  Eigen::MatrixXd hessian;  ///< d x d, positive definite
};

/// A potential that approximates the target's potential and is learnt from gradients of the target.
/// Each column of a surrogate's numbers holds the parameters of the potential, followed by the
/// state of the learning algorithm.
class MIXWELL_EXPORT Surrogate : public Potential {
 public:
  /// Number of entries in one column.
  virtual Index rows() const noexcept = 0;
  /// A column before its first update, rows() x 1.
  virtual Eigen::VectorXd initial() const = 0;
  /// Updates one column (rows() x 1) with n points and the target's gradients at these points (d x
  /// n each). A point is ignored if a coordinate or an entry of its gradient is not finite.
  virtual void learn(Batch column, ConstBatch theta, ConstBatch gradients,
                     Workspace& scratch) const = 0;
  /// Computes one column from these points only, and ignores all earlier points.
  virtual void fit(ConstBatch theta, ConstBatch gradients, Batch column,
                   Workspace& scratch) const = 0;
  /// Evaluating a surrogate needs no gradients of the model.
  double gradient_cost() const noexcept override { return 0.0; }
};

/// An estimator that makes a surrogate potential instead of a preconditioner. Its component has the
/// kind `estimator` and the Description::purpose "surrogate".
class MIXWELL_EXPORT SurrogateEstimator : public Component {
 public:
  static constexpr Kind kind = Kind::estimator;
  ~SurrogateEstimator() override;

  /// Makes a surrogate whose location and scale come from `at`, the Laplace approximation of the
  /// target.
  virtual std::shared_ptr<const Surrogate> surrogate(const Laplace& at) const = 0;
};

}  // namespace mixwell
