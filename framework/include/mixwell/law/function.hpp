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

/// The immutable part of a function in the graph. It defines what the function computes. The other
/// part, the `numbers` (rows x R, one column for each replicate), contains the arguments of the
/// computation. rows may be 0.
class MIXWELL_EXPORT Function {
 public:
  virtual ~Function();
};

/// The `numbers` of a function in the graph (see Function): one column for each column of the
/// block, or a single column that all columns share. If a kernel evaluates only some columns, or
/// changes their order, column k of the other arguments uses column columns[k] of the numbers. If
/// `columns` is null, it uses column k.
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
  /// The numbers for column k of the other arguments: an array of length rows().
  const double* column(Index k) const noexcept {
    if (shared()) return all_.data();
    return all_.data() + all_.rows() * (columns_ == nullptr ? k : columns_[k]);
  }
  Numbers regrouped(const Index* columns) const noexcept { return {all_, columns, divided_rows_}; }
  /// For computations that need the rows of other processes. Null if this process has all rows.
  const DividedRows* divided_rows() const noexcept { return divided_rows_; }

 private:
  ConstMatrixMap all_;
  const Index* columns_ = nullptr;
  const DividedRows* divided_rows_ = nullptr;
};

/// Estimates V(theta), the covariance of the noise in a law's gradient given theta. The estimate
/// uses the same cases as the gradient with this `draw`. The mean of the estimate over draws is
/// V(theta). For one draw, the estimate and the gradient's noise are not independent. Column k of
/// every argument belongs to numbers.column(k). theta is d x w.
class MIXWELL_EXPORT GradientNoise {
 public:
  virtual ~GradientNoise();
  /// Writes the diagonal of V (d x w), in squared units of the gradient.
  virtual void covariance_diagonal(const Numbers& numbers, ConstBatch theta, std::uint32_t draw,
                                   Batch out, Workspace& scratch) const = 0;
  /// Writes the full matrix V at theta.col(k) to column k of out (d^2 x w). V is symmetric and
  /// positive semidefinite.
  virtual void covariance(const Numbers& numbers, ConstBatch theta, std::uint32_t draw, Batch out,
                          Workspace& scratch) const = 0;
  /// The factor c in J = c V, where J is the empirical Fisher information of all cases: N times the
  /// covariance of one case's gradient. 0 if J cannot be computed from V.
  virtual double information_share() const noexcept { return 0.0; }
};

/// A law exp(-U(.; numbers)): the model itself (without numbers), or a law that an oracle made from
/// it. It may offer Metric, SumOfTerms (the same law as a sum over cases), and EstimatedDensity. A
/// law with EstimatedDensity is known only through this estimate and is never evaluated.
class MIXWELL_EXPORT Potential : public Function, public Offering {
 public:
  /// Computes U and grad U of every column of theta, as Model::evaluate does.
  virtual void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const = 0;
  /// See Model::evaluates_potential_alone.
  virtual bool evaluates_potential_alone() const noexcept { return false; }
  /// Cost of one gradient in one column, in gradients of the full U.
  virtual double gradient_cost() const noexcept { return 1.0; }
  /// The model, if this is the model's own law. Otherwise null.
  virtual const Model* as_model() const noexcept { return nullptr; }
  /// True if the Hessian is the same everywhere.
  virtual bool has_constant_hessian() const noexcept { return false; }
  /// See Model::gradient_growth.
  virtual GradientGrowth gradient_growth() const noexcept { return GradientGrowth::undeclared; }
  /// An estimator of the noise in the gradient, or null.
  virtual const GradientNoise* as_noise() const noexcept { return nullptr; }
};

/// Computes products with the matrices of a preconditioner: H (approximately the inverse Hessian),
/// B = H^-1, and the factors S and C, with H = S S', B = C C' and C S' = I. The arguments v and z
/// and the results are d x w. `out` must not alias the other arguments. Column k of every argument
/// belongs to numbers.column(k).
class MIXWELL_EXPORT Representation : public Function {
 public:
  /// True if H = I. Callers may then skip the products.
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

/// A preconditioner as operations use it inside a block: a Representation with its numbers.
class Preconditioner {
 public:
  Preconditioner(const Representation& how, Numbers numbers) noexcept
      : how_(how), numbers_(numbers) {}

  /// Returns this preconditioner for a block that consists of columns of the current block: column
  /// k of the result belongs to column columns[k] of the current block. The array `columns` must
  /// outlive the result.
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

/// The work of evaluating laws, in gradients of the full U. One evaluation computes U, grad U or
/// both at one point.
struct Evaluations {
  double all = 0.0;
  double potentials = 0.0;  ///< the part of `all` for evaluations that computed only U
};

/// A law for the operations inside a block. It counts its evaluations.
class Law {
 public:
  /// If `spent` is not null, the law adds gradient_cost() to it for each column that it evaluates,
  /// and for each column whose noise it estimates.
  Law(const Potential& how, Numbers numbers, Evaluations* spent = nullptr) noexcept
      : how_(how), numbers_(numbers), spent_(spent) {}

  /// See Preconditioner::regrouped.
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
  /// The HessianProducts of the model, if this is the model's own law. Otherwise null.
  const HessianProducts* hessian_products() const noexcept {
    return mixwell::hessian_products(how_.as_model());
  }
  /// Calls HessianProducts::multiply_hessian and counts two gradients for each column.
  /// Precondition: hessian_products() is not null.
  void multiply_hessian(ConstBatch theta, ConstBatch v, Batch out, Workspace& w) const {
    hessian_products()->multiply_hessian(theta, v, out, w);
    count(theta, false);
    count(theta, false);
  }
  /// Counts work that a kernel did on one column without calling the law. The unit is one
  /// evaluation of U without its gradient.
  void count_potentials(double evaluations) const {
    if (spent_ == nullptr) return;
    spent_->all += evaluations * how_.gradient_cost();
    spent_->potentials += evaluations * how_.gradient_cost();
  }
  /// Calls GradientNoise::covariance_diagonal. Precondition: potential().as_noise() is not null.
  void noise_diagonal(ConstBatch theta, std::uint32_t draw, Batch out, Workspace& w) const {
    how_.as_noise()->covariance_diagonal(numbers_, theta, draw, out, w);
    count(theta, false);
  }
  /// Calls GradientNoise::covariance. Precondition: potential().as_noise() is not null.
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
