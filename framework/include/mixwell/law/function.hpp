// Values of the kernel graph that are functions: laws, preconditioners and couplings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/base/workspace.hpp>
#include <mixwell/law/capabilities.hpp>
#include <mixwell/law/offer.hpp>
#include <mixwell/model.hpp>

#include <cstdint>

namespace mixwell {

class DividedRows;  // <mixwell/law/portions.hpp>

/// The immutable part of a function value of the graph. It defines the computation. `numbers` (rows
/// x R, one column for each replicate) holds the arguments of the computation. rows may be 0.
class MIXWELL_EXPORT Function {
 public:
  virtual ~Function();
};

/// The numbers of a function value: rows x the number of columns in the block, or rows x 1 if all
/// columns share them. If a kernel has regrouped the columns that still move, columns[k] is the
/// column for the k-th column of the other arguments. Null means column k.
class Numbers {
 public:
  Numbers(ConstMatrixMap all, const Index* columns = nullptr,
          const DividedRows* rows = nullptr) noexcept  // NOLINT: a plain view
      : all_(all), columns_(columns), divided_rows_(rows) {}
  Numbers(ConstBatch all) noexcept  // NOLINT
      : all_(all.data(), all.rows(), all.cols()) {}

  Index rows() const noexcept { return all_.rows(); }
  /// True if all columns of the other arguments share the same numbers.
  bool shared() const noexcept { return all_.cols() == 1; }
  /// The rows() numbers that belong to the k-th column of the other arguments.
  const double* column(Index k) const noexcept {
    if (shared()) return all_.data();
    return all_.data() + all_.rows() * (columns_ == nullptr ? k : columns_[k]);
  }
  Numbers regrouped(const Index* columns) const noexcept { return {all_, columns, divided_rows_}; }
  /// Combines the rows of the other arguments across processes. Null if this process holds all
  /// rows.
  const DividedRows* divided_rows() const noexcept { return divided_rows_; }

 private:
  ConstMatrixMap all_;
  const Index* columns_ = nullptr;
  const DividedRows* divided_rows_ = nullptr;
};

/// Estimates the noise in a law's gradient: V(theta), its covariance given theta, from the same
/// cases that `draw` uses. The mean of the estimate over draws is V(theta). At one draw, the
/// estimate and the gradient's noise are not independent. Column k of every argument belongs to
/// numbers.column(k). theta is d x w.
class MIXWELL_EXPORT GradientNoise {
 public:
  virtual ~GradientNoise();
  /// Writes the diagonal of V (d x w), in squared units of the gradient.
  virtual void covariance_diagonal(const Numbers& numbers, ConstBatch theta, std::uint32_t draw,
                                   Batch out, Workspace& scratch) const = 0;
  /// Writes the whole V of theta.col(k) to column k of out (d^2 x w). V is symmetric and positive
  /// semidefinite.
  virtual void covariance(const Numbers& numbers, ConstBatch theta, std::uint32_t draw, Batch out,
                          Workspace& scratch) const = 0;
  /// c in J = c V, where J is the empirical Fisher information of all cases: N times the covariance
  /// of one case's gradient. 0 if J cannot be computed from V.
  virtual double information_share() const noexcept { return 0.0; }
};

/// A law exp(-U(.; numbers)): the model itself (without numbers), or a law that an oracle made from
/// it. It may offer Metric, SumOfTerms (the same law as a sum over cases), and EstimatedDensity.
/// With EstimatedDensity, the law is known only through that estimate and is never evaluated.
class MIXWELL_EXPORT Potential : public Function, public Offering {
 public:
  /// Computes U and grad U of every column of theta, as Model::evaluate does.
  virtual void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const = 0;
  /// As Model::evaluates_potential_alone.
  virtual bool evaluates_potential_alone() const noexcept { return false; }
  /// Cost of one gradient in one column, in gradients of the full U.
  virtual double gradient_cost() const noexcept { return 1.0; }
  /// The model whose own law this is, or null.
  virtual const Model* as_model() const noexcept { return nullptr; }
  /// True if the Hessian is the same everywhere.
  virtual bool has_constant_hessian() const noexcept { return false; }
  /// As Model::gradient_growth.
  virtual GradientGrowth gradient_growth() const noexcept { return GradientGrowth::undeclared; }
  /// An estimator of the noise in its gradient, or null.
  virtual const GradientNoise* as_noise() const noexcept { return nullptr; }
};

/// The storage and use of a preconditioner's numbers: H (approximately the inverse Hessian), B =
/// H^-1, H = S S', B = C C', C S' = I. Arguments v and z and results are d x w. `out` must not
/// alias the other arguments. Column k of every argument belongs to numbers.column(k).
class MIXWELL_EXPORT Representation : public Function {
 public:
  /// True if H = I. The products then need not be called.
  virtual bool is_identity() const noexcept { return false; }
  /// These five functions compute the products H v, B v, S z, S' v and C z.
  virtual void H(const Numbers& numbers, ConstBatch v, Batch out, Workspace& scratch) const = 0;
  virtual void B(const Numbers& numbers, ConstBatch v, Batch out, Workspace& scratch) const = 0;
  virtual void S(const Numbers& numbers, ConstBatch z, Batch out, Workspace& scratch) const = 0;
  virtual void St(const Numbers& numbers, ConstBatch v, Batch out, Workspace& scratch) const = 0;
  virtual void C(const Numbers& numbers, ConstBatch z, Batch out, Workspace& scratch) const = 0;
  /// Computes log det H of each column.
  virtual void log_det_H(const Numbers& numbers, Index dimension, Row out,
                         Workspace& scratch) const = 0;
};

/// A preconditioner for the operations inside a block: a representation and its numbers.
class Preconditioner {
 public:
  Preconditioner(const Representation& how, Numbers numbers) noexcept
      : how_(how), numbers_(numbers) {}

  /// The same for a block whose column k is column columns[k] of this block. The array `columns`
  /// must outlive the result.
  Preconditioner regrouped(const Index* columns) const noexcept {
    return {how_, numbers_.regrouped(columns)};
  }

  bool is_identity() const noexcept { return how_.is_identity(); }
  const Numbers& numbers() const noexcept { return numbers_; }
  void H(ConstBatch v, Batch out, Workspace& w) const { how_.H(numbers_, v, out, w); }
  void B(ConstBatch v, Batch out, Workspace& w) const { how_.B(numbers_, v, out, w); }
  void S(ConstBatch z, Batch out, Workspace& w) const { how_.S(numbers_, z, out, w); }
  void St(ConstBatch v, Batch out, Workspace& w) const { how_.St(numbers_, v, out, w); }
  void C(ConstBatch z, Batch out, Workspace& w) const { how_.C(numbers_, z, out, w); }
  void log_det_H(Index dimension, Row out, Workspace& w) const {
    how_.log_det_H(numbers_, dimension, out, w);
  }

 private:
  const Representation& how_;
  Numbers numbers_;
};
using Curvature [[deprecated("renamed to Preconditioner")]] = Preconditioner;

/// Work that laws have done, in gradients of the full U. An evaluation is a point at which U, grad
/// U or both were computed.
struct Evaluations {
  double all = 0.0;
  double potentials = 0.0;  ///< the part of `all` for evaluations that computed only U
};

/// A law for the operations inside a block. It counts its evaluations.
class Law {
 public:
  /// If `spent` is not null, gradient_cost() is added to it for each evaluated column, and for each
  /// column whose noise is estimated.
  Law(const Potential& how, Numbers numbers, Evaluations* spent = nullptr) noexcept
      : how_(how), numbers_(numbers), spent_(spent) {}

  /// As Preconditioner::regrouped.
  Law regrouped(const Index* columns) const noexcept {
    return {how_, numbers_.regrouped(columns), spent_};
  }

  void evaluate(ConstBatch theta, const Evaluation& out) const {
    if (out.wants_gradient() || how_.evaluates_potential_alone()) {
      how_.evaluate(numbers_, theta, out);
    } else {
      const Workspace::Frame frame(out.scratch);
      MatrixMap unread = out.scratch.matrix(theta.rows(), theta.cols());
      how_.evaluate(numbers_, theta, {out.potential, unread, out.scratch, out.draw});
    }
    count(theta, !out.wants_gradient());
  }
  const Potential& potential() const noexcept { return how_; }
  const Numbers& numbers() const noexcept { return numbers_; }
  /// The HessianProducts of the model whose own law this is, or null.
  const HessianProducts* hessian_products() const noexcept {
    return mixwell::hessian_products(how_.as_model());
  }
  /// Calls HessianProducts::multiply_hessian. Only for a law that offers this function. Counts as
  /// two gradients.
  void multiply_hessian(ConstBatch theta, ConstBatch v, Batch out, Workspace& w) const {
    hessian_products()->multiply_hessian(theta, v, out, w);
    count(theta, false);
    count(theta, false);
  }
  /// Counts work on one column that was done without the law, in evaluations of U only.
  void count_potentials(double evaluations) const {
    if (spent_ == nullptr) return;
    spent_->all += evaluations * how_.gradient_cost();
    spent_->potentials += evaluations * how_.gradient_cost();
  }
  /// Calls GradientNoise::covariance_diagonal. Only for a law that offers this function.
  void noise_diagonal(ConstBatch theta, std::uint32_t draw, Batch out, Workspace& w) const {
    how_.as_noise()->covariance_diagonal(numbers_, theta, draw, out, w);
    count(theta, false);
  }
  /// Calls GradientNoise::covariance. Only for a law that offers this function.
  void noise_covariance(ConstBatch theta, std::uint32_t draw, Batch out, Workspace& w) const {
    how_.as_noise()->covariance(numbers_, theta, draw, out, w);
    count(theta, false);
  }

 private:
  void count(ConstBatch theta, bool potential) const {
    if (spent_ == nullptr) return;
    const double cost = static_cast<double>(theta.cols()) * how_.gradient_cost();
    spent_->all += cost;
    if (potential) spent_->potentials += cost;
  }

  const Potential& how_;
  Numbers numbers_;
  Evaluations* spent_;
};

}  // namespace mixwell
