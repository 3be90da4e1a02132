// Values of the kernel graph that are functions: laws, curvatures, couplings.
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

/// A function value of the graph = this immutable object, which says what to compute, and
/// `numbers` (rows x R, one column per replicate), which say with what. Rows may be 0.
class MIXWELL_EXPORT Function {
 public:
  virtual ~Function();
};

/// The numbers of a function value, rows x (one column for each column of a block, or a single one
/// that all share). `columns` says which of them belongs to the k-th column of the other arguments
/// where a kernel has regrouped those still moving; null = the k-th.
class Numbers {
 public:
  Numbers(ConstMatrixMap all, const Index* columns = nullptr,
          const DividedRows* rows = nullptr) noexcept  // NOLINT: a plain view
      : all_(all), columns_(columns), divided_rows_(rows) {}
  Numbers(ConstBatch all) noexcept  // NOLINT
      : all_(all.data(), all.rows(), all.cols()) {}

  Index rows() const noexcept { return all_.rows(); }
  /// All columns of the other arguments have the same numbers.
  bool shared() const noexcept { return all_.cols() == 1; }
  /// Those of the k-th column of the other arguments, rows() of them.
  const double* column(Index k) const noexcept {
    if (shared()) return all_.data();
    return all_.data() + all_.rows() * (columns_ == nullptr ? k : columns_[k]);
  }
  Numbers regrouped(const Index* columns) const noexcept { return {all_, columns, divided_rows_}; }
  /// What brings the rows of the other arguments together where other processes have some of them,
  /// or null.
  const DividedRows* divided_rows() const noexcept { return divided_rows_; }

 private:
  ConstMatrixMap all_;
  const Index* columns_ = nullptr;
  const DividedRows* divided_rows_ = nullptr;
};

/// How much noise the gradient of a law has: an estimate of V(theta), its covariance given theta,
/// made from the very cases that `draw` holds. Its mean over draws is V(theta). The gradient's own
/// noise and the estimate at one draw are not independent. Column k of every argument belongs to
/// numbers.column(k); theta is d x w.
class MIXWELL_EXPORT GradientNoise {
 public:
  virtual ~GradientNoise();
  /// out d x w: the diagonal of V, in squared units of the gradient.
  virtual void covariance_diagonal(const Numbers& numbers, ConstBatch theta, std::uint32_t draw,
                                   Batch out, Workspace& scratch) const = 0;
  /// out d^2 x w: column k holds the whole V of theta.col(k), symmetric and not negative.
  virtual void covariance(const Numbers& numbers, ConstBatch theta, std::uint32_t draw, Batch out,
                          Workspace& scratch) const = 0;
  /// c of J = c V, J the empirical Fisher information of all cases: N times the covariance of a
  /// case's gradient. 0 where V tells nothing of it.
  virtual double information_share() const noexcept { return 0.0; }
};

/// A law exp(-U(.; numbers)): the model itself (no numbers), or one made from it by an oracle. It
/// may offer Metric, SumOfTerms (the same law as a sum over cases), and EstimatedDensity: then the
/// law is known only by that estimate, and nobody evaluates it.
class MIXWELL_EXPORT Potential : public Function, public Offering {
 public:
  virtual void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const = 0;
  /// As Model::evaluates_potential_alone.
  virtual bool evaluates_potential_alone() const noexcept { return false; }
  /// Cost of one gradient of one column, in full-gradient units.
  virtual double gradient_cost() const noexcept { return 1.0; }
  /// The model whose own law this is, or null.
  virtual const Model* as_model() const noexcept { return nullptr; }
  /// The Hessian is the same everywhere.
  virtual bool has_constant_hessian() const noexcept { return false; }
  virtual GradientGrowth gradient_growth() const noexcept { return GradientGrowth::undeclared; }
  /// What it knows of the noise in its gradient, or null.
  virtual const GradientNoise* as_noise() const noexcept { return nullptr; }
};

/// How the numbers of a curvature H (approximately the inverse Hessian), B = H^-1, H = S S', B = C
/// C', C S' = I are stored and applied. `out` must not alias the other arguments. Column k of every
/// argument belongs to numbers.column(k).
class MIXWELL_EXPORT Representation : public Function {
 public:
  /// H = I; then nobody needs to call the products.
  virtual bool is_identity() const noexcept { return false; }
  virtual void H(const Numbers& numbers, ConstBatch v, Batch out, Workspace& scratch) const = 0;
  virtual void B(const Numbers& numbers, ConstBatch v, Batch out, Workspace& scratch) const = 0;
  virtual void S(const Numbers& numbers, ConstBatch z, Batch out, Workspace& scratch) const = 0;
  virtual void St(const Numbers& numbers, ConstBatch v, Batch out, Workspace& scratch) const = 0;
  virtual void C(const Numbers& numbers, ConstBatch z, Batch out, Workspace& scratch) const = 0;
  /// log det H of each column.
  virtual void log_det_H(const Numbers& numbers, Index dimension, Row out,
                         Workspace& scratch) const = 0;
};

/// A curvature as operations see it inside a block: a representation and its numbers.
class Curvature {
 public:
  Curvature(const Representation& how, Numbers numbers) noexcept : how_(how), numbers_(numbers) {}

  /// The same for a block whose k-th column is columns[k] of this one; `columns` is kept.
  Curvature regrouped(const Index* columns) const noexcept {
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

/// What laws were asked for, in gradients of the whole U: an evaluation is a point at which U, grad
/// U or both were computed.
struct Evaluations {
  double all = 0.0;
  double potentials = 0.0;  ///< of them those of only U
};

/// A law as operations see it inside a block. It counts what is asked of it.
class Law {
 public:
  /// `spent`, if not null, grows by gradient_cost() for each column that is evaluated, and for each
  /// whose noise is estimated.
  Law(const Potential& how, Numbers numbers, Evaluations* spent = nullptr) noexcept
      : how_(how), numbers_(numbers), spent_(spent) {}

  /// As Curvature::regrouped.
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
  /// Of the model whose own law this is, or null.
  const HessianProducts* hessian_products() const noexcept {
    return mixwell::hessian_products(how_.as_model());
  }
  /// HessianProducts::multiply_hessian, of a law that offers it; counts as two gradients.
  void multiply_hessian(ConstBatch theta, ConstBatch v, Batch out, Workspace& w) const {
    hessian_products()->multiply_hessian(theta, v, out, w);
    count(theta, false);
    count(theta, false);
  }
  /// Counts work of one column that was done without the law, in evaluations of only its U.
  void count_potentials(double evaluations) const {
    if (spent_ == nullptr) return;
    spent_->all += evaluations * how_.gradient_cost();
    spent_->potentials += evaluations * how_.gradient_cost();
  }
  /// GradientNoise::covariance_diagonal, of a law that offers it.
  void noise_diagonal(ConstBatch theta, std::uint32_t draw, Batch out, Workspace& w) const {
    how_.as_noise()->covariance_diagonal(numbers_, theta, draw, out, w);
    count(theta, false);
  }
  /// GradientNoise::covariance, of a law that offers it.
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
