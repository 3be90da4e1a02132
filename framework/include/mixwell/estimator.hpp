// From the points a slot may see to a curvature.
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

/// Points and gradients of a memory, oldest first; each is rows x cols, contiguous. Potentials, 1 x
/// cols each, are there for an estimator that reads them.
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

  /// The same points, of which 2 k and 2 k + 1 belong together: the two ends of a displacement.
  /// Potentials are not there.
  Memory as_displacements() const noexcept {
    Memory pairs = *this;
    pairs.displacements_ = true;
    return pairs;
  }
  bool holds_displacements() const noexcept { return displacements_; }

  Index size() const noexcept { return static_cast<Index>(points_.size()); }
  /// The dimension, also where there are no points.
  Index rows() const noexcept { return rows_; }
  Index cols() const noexcept { return cols_; }
  /// As edge::PointPosition::divided_rows.
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

/// A curvature H for kernels: how its numbers are applied. Where they come from says its class, one
/// of the four below.
class MIXWELL_EXPORT Estimator : public Component {
 public:
  static constexpr Kind kind = Kind::estimator;
  ~Estimator() override;

  /// How the numbers are applied. May be shared by all fits.
  virtual std::shared_ptr<const Representation> representation() const = 0;

 private:
  Estimator() = default;
  friend class ConstantCurvature;
  friend class FittedCurvature;
  friend class LearntCurvature;
  friend class OwnCurvature;
};

/// H is the same for ever: its numbers are in the representation.
class MIXWELL_EXPORT ConstantCurvature : public Estimator {
 public:
  /// Throws InputError for a dimension that it does not have.
  virtual void check(Index dimension) const;
};

/// A pure function from a memory to the numbers of a curvature: called twice with the same memory
/// it writes the same bits. Which memory a slot's update sees is the compositor's decision.
class MIXWELL_EXPORT FittedCurvature : public Estimator {
 public:
  /// Of `fit`. Without a `bound` nothing is known of steps that no Metropolis decision follows.
  virtual Traits traits() const = 0;
  /// `fit` reads the potentials of the memory too. A compositor that has none refuses.
  virtual bool reads_potentials() const noexcept { return false; }
  /// Points that a fit needs: with fewer of them H says nothing about the target. A composition
  /// whose memory has fewer is refused.
  virtual Index fewest_points() const noexcept { return 1; }
  /// Rows of the numbers for dimension d and n points.
  virtual Index rows(Index dimension, Index points) const = 0;
  /// Writes rows x R numbers for d x R points.
  virtual void fit(const Memory& memory, Batch numbers, Workspace& scratch) const = 0;
};

/// Learnt from the positions that a chain visits in the windows of its warm-up (WarmupWindows), and
/// then frozen. Stateless: the state is a register of the graph, whose first rows are the numbers
/// that the representation reads.
class MIXWELL_EXPORT LearntCurvature : public Estimator {
 public:
  virtual Forgets forgets() const noexcept = 0;
  /// Where it diminishes: H changes by about n^-rate in the n-th update; 0 = not declared.
  virtual double rate() const noexcept { return 0.0; }
  /// run: all replicates share one curvature, learnt from the draws of all.
  virtual Scope scope() const noexcept = 0;
  /// The register before anything was seen, rows x 1.
  virtual Eigen::VectorXd initial(Index dimension) const = 0;
  /// Shape of H as it is recorded, once, under the name inv_metric: the register's first rows.
  virtual std::vector<Index> shape(Index dimension) const = 0;
  /// theta d x R; state has as many columns, or a single one that sees them all.
  virtual void observe(Batch state, ConstBatch theta) const = 0;
  /// What was observed since the last call becomes the curvature.
  virtual void close_window(Batch state, Index dimension, Workspace& scratch) const = 0;
};

/// A curvature that follows the slot which it moves: H(theta), or H of a register that the
/// gradients of the slot's own past enter. Steps with it need Gamma_i = sum_j dH_ij/dtheta_j in
/// their drift, or they are wrong at every step size.
class MIXWELL_EXPORT OwnCurvature : public Estimator {
 public:
  /// Where the slot is, in the columns of a block.
  struct Here {
    const Law& law;           ///< of the steps: g is its gradient at theta in draw 0
    const Potential& target;  ///< the exact law
    ConstBatch theta;         ///< d x w
    ConstBatch g;             ///< d x w
    const NormalSource& noise;
    std::uint64_t sweep;
    Workspace& scratch;
  };

  /// Of `fit`, `bound` among them: a bound of H(theta), or of H of the register.
  virtual Traits traits() const = 0;
  /// Rows of the numbers.
  virtual Index rows(Index dimension) const = 0;
  /// Rows of the register; 0: H is a function of only theta.
  virtual Index state_rows(Index dimension) const noexcept = 0;
  /// Whether H of a step holds that step's own gradient. Then it shares the gradient's noise.
  virtual bool sees_present() const noexcept { return false; }
  /// Gradients of the steps' law that `observe` evaluates a column.
  virtual std::int64_t gradients() const noexcept { return 0; }
  /// Enters the slot's gradient into the register, which starts from zeros.
  virtual void observe(const Here& here, Batch state) const;
  /// Writes rows x w numbers, from theta (d x w) or from the register.
  virtual void fit(const Potential& target, ConstBatch theta, ConstBatch state, Batch numbers,
                   Workspace& scratch) const = 0;

  /// Whether Gamma is there, as it has to be unless it is 0.
  virtual bool has_drift_correction() const noexcept = 0;
  /// `total` where it is the whole Gamma, through all that H depends on.
  virtual Traits drift_correction_traits() const = 0;
  /// Gamma d x w of the H that `fit` wrote.
  virtual void drift_correction(const Potential& target, ConstBatch theta, ConstBatch state,
                                ConstBatch numbers, Batch out, Workspace& scratch) const;
  /// Why the model cannot be used, or nothing.
  virtual std::string refusal(const Potential&) const { return {}; }
  /// Not null where H is the same everywhere: then this is all that is used.
  virtual std::shared_ptr<const Representation> constant(const Potential&,
                                                         Index /*dimension*/) const {
    return nullptr;
  }
};

/// U near its mode: 1/2 (theta - mode)' hessian (theta - mode).
struct Laplace {
  Eigen::VectorXd mode;
  Eigen::MatrixXd hessian;  ///< d x d, positive definite
};

/// A potential in place of the target's, with numbers that are learnt from gradients of the target:
/// its parameters come first in a column, then what learning needs.
class MIXWELL_EXPORT Surrogate : public Potential {
 public:
  /// Numbers a column.
  virtual Index rows() const noexcept = 0;
  /// rows() x 1, before any gradient was seen.
  virtual Eigen::VectorXd initial() const = 0;
  /// Enters points and gradients of the target, d x n each, into one column, rows() x 1. Points
  /// with numbers that are not finite are left out.
  virtual void learn(Batch column, ConstBatch theta, ConstBatch gradients,
                     Workspace& scratch) const = 0;
  /// The same from nothing, at once: writes one column.
  virtual void fit(ConstBatch theta, ConstBatch gradients, Batch column,
                   Workspace& scratch) const = 0;
  /// A surrogate costs no gradient of the model.
  double gradient_cost() const noexcept override { return 0.0; }
};

/// Makes potentials and no curvature: a component of kind estimator whose Description::purpose is
/// "surrogate".
class MIXWELL_EXPORT SurrogateEstimator : public Component {
 public:
  static constexpr Kind kind = Kind::estimator;
  ~SurrogateEstimator() override;

  /// Scaled to the target's Laplace approximation.
  virtual std::shared_ptr<const Surrogate> surrogate(const Laplace& at) const = 0;
};

}  // namespace mixwell
