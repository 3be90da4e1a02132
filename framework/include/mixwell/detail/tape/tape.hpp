// A sum of densities, recorded once as operations on values and replayed for several lanes at once,
// forward and in reverse.
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

/// -sum_n f_n(x), its gradient and products with its Hessian. The functions f_n (cases) were
/// recorded as operations (Griewank & Walther 2008, Evaluating Derivatives, chapters 3 and 5).
/// Cases with the same operations are lanes of one program and differ only in constants and in
/// which values they read. An operation processes `width` cases of a column at once or, if there
/// are fewer cases than columns, `width` columns. A tape is immutable. Its RAM holds the constants
/// of all cases.
class MIXWELL_EXPORT Tape {
 public:
  ~Tape();
  Tape(Tape&&) noexcept;

  /// Computes U and its gradient at every column of x (q x R). A gradient costs two to four
  /// evaluations of U, for any q. Does not allocate.
  void evaluate(ConstBatch x, const Evaluation& out) const;
  /// Does the same for case n only. Cases count from 0 in the order in which they were written.
  void evaluate_case(ConstBatch x, Index n, const Evaluation& out) const;
  /// Does the same for some cases only: column j of x uses the cases before + n for all n in column
  /// j of `cases` (b x R). Repeated cases count each time. Copies the constants of each case. Does
  /// not allocate.
  void evaluate_cases(ConstBatch x, ConstBatch cases, Index before, const Evaluation& out) const;
  /// Computes the gradient (q x R) and H v of each column: v (q x R) -> product (q x R). The rules
  /// are those of evaluate(), and the cost is about twice as high.
  void multiply_hessian(ConstBatch x, ConstBatch v, Batch gradient, Batch product,
                        Workspace& scratch) const;

 private:
  friend class TapeMaker;
  struct Programs;
  explicit Tape(std::unique_ptr<const Programs> programs);
  std::unique_ptr<const Programs> programs_;
};

/// The operations that one case has recorded.
class TapeText;

/// Writes a tape, case by case. Each function is called at two points and must record the same
/// operations at both. A function with an `if` on value_of() of a number breaks this rule.
class MIXWELL_EXPORT TapeMaker {
 public:
  using Density = std::function<TapeNumber(const Values<TapeNumber>&)>;

  /// `points` is q x 2.
  explicit TapeMaker(Eigen::MatrixXd points);
  ~TapeMaker();
  TapeMaker(const TapeMaker&) = delete;
  TapeMaker& operator=(const TapeMaker&) = delete;

  /// Records a case. Throws RunError "NAME is computed another way at other values of the
  /// parameters...".
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

/// A tape that is written at the first request, by one thread while others wait. A copy has its own
/// tape.
class LazyTape {
 public:
  LazyTape() = default;
  LazyTape(const LazyTape&) {}
  LazyTape& operator=(const LazyTape&) = delete;
  ~LazyTape() = default;

  /// Returns the tape. The first call makes it by `write`.
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
