// A tape: the recorded operations of a sum of log densities, replayed for values and derivatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/density/values.hpp>
#include <mixwell/model.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// Computes -sum_n f_n(x), its gradient and products with its Hessian. The functions f_n (cases)
/// were recorded as operations (Griewank & Walther 2008, Evaluating Derivatives, chapters 3 and 5).
/// Cases with the same operations share one program. They differ only in their constants and in the
/// values that they read. An operation processes `width` cases of a column together or, if there
/// are fewer cases than columns, `width` columns. A tape is immutable. It stores the constants of
/// all cases in RAM.
class MIXWELL_EXPORT Tape {
 public:
  ~Tape();
  Tape(Tape&&) noexcept;

  /// Computes U and its gradient at every column of x (q x R). A gradient costs two to four
  /// evaluations of U, for any q. Does not allocate.
  void evaluate(ConstBatch x, const Evaluation& out) const;
  /// Computes U and its gradient for case n only. Cases are numbered from 0 in the order in which
  /// they were recorded.
  void evaluate_case(ConstBatch x, Index n, const Evaluation& out) const;
  /// Computes U and its gradient for some cases only. For column j of x, these are the cases
  /// `before` + n for all n in column j of `cases` (b x R). A repeated case counts each time.
  /// Copies the constants of each case. Does not allocate.
  void evaluate_cases(ConstBatch x, ConstBatch cases, Index before, const Evaluation& out) const;
  /// Computes the gradient (q x R). Multiplies column j of `v` (q x R) by the Hessian of U at
  /// column j of x, and writes the products to `product` (q x R). Does not allocate, and costs
  /// about twice as much as evaluate().
  void multiply_hessian(ConstBatch x, ConstBatch v, Batch gradient, Batch product,
                        Workspace& scratch) const;

 private:
  friend class TapeMaker;
  struct Programs;
  explicit Tape(std::unique_ptr<const Programs> programs);
  std::unique_ptr<const Programs> programs_;
};

/// The recorded operations of one case.
class TapeText;

/// Writes a tape, case by case. TapeMaker calls each function at two points, and the function must
/// record the same operations at both. An `if` on value_of() of a number can break this rule.
class MIXWELL_EXPORT TapeMaker {
 public:
  using Density = std::function<TapeNumber(const Values<TapeNumber>&)>;

  /// `points` is q x 2.
  explicit TapeMaker(Eigen::MatrixXd points);
  ~TapeMaker();
  TapeMaker(const TapeMaker&) = delete;
  TapeMaker& operator=(const TapeMaker&) = delete;

  /// Records a case. Throws RunError "NAME computes its density with different operations at
  /// different values of the parameters..." if the operations at the two points differ.
  void add(const Density& density, const std::function<std::string()>& name);
  Tape finish();

 private:
  void write(const Density& density, Index point, TapeText& text);

  Eigen::MatrixXd points_;
  Workspace scratch_;
  std::array<std::unique_ptr<TapeText>, 2> texts_;
  std::unique_ptr<Tape::Programs> programs_;
  std::map<std::string, std::size_t> places_;  ///< operations -> index of their program
};

/// A tape that is recorded when it is first needed. One thread records it while the others wait. A
/// copy has its own tape.
class LazyTape {
 public:
  LazyTape() = default;
  LazyTape(const LazyTape&) {}
  LazyTape& operator=(const LazyTape&) = delete;
  ~LazyTape() = default;

  /// Returns the tape. The first call makes it with `write`.
  template <class Write>
  const Tape& get(const Write& write) const {
    std::call_once(once_, [&] { tape_.emplace(write()); });
    return *tape_;
  }

 private:
  mutable std::once_flag once_{};
  mutable std::optional<Tape> tape_{};
};

}  // namespace mixwell
