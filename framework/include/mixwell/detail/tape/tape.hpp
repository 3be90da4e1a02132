// A sum of densities, written once as operations on values and replayed on blocks of lanes, forward
// and in reverse.
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

/// -sum_n f_n(x), its gradient and products with its Hessian, of functions f_n (cases) that were
/// written as operations (Griewank & Walther 2008, Evaluating Derivatives, chapters 3 and 5). Cases
/// with the same operations are lanes of one program, which differ in constants and in which values
/// they read: an operation is done for `width` cases of a column at once, or, where there are fewer
/// cases than columns, for `width` columns. Immutable; memory: the constants of all cases.
class MIXWELL_EXPORT Tape {
 public:
  ~Tape();
  Tape(Tape&&) noexcept;

  /// U and its gradient at every column of x (q x R). A gradient costs two to four evaluations of
  /// U, for any q. Without allocation.
  void evaluate(ConstBatch x, const Evaluation& out) const;
  /// The same of only case n; cases count from 0 in the order in which they were written.
  void evaluate_case(ConstBatch x, Index n, const Evaluation& out) const;
  /// Column j of x with the cases before + n for n in column j of `cases` (b x R), where repeats
  /// count. The constants of each are copied on the way. Without allocation.
  void evaluate_cases(ConstBatch x, ConstBatch cases, Index before, const Evaluation& out) const;
  /// The gradient (q x R) and H v of each column, for v q x R -> product q x R. As evaluate(), and
  /// about twice its cost.
  void multiply_hessian(ConstBatch x, ConstBatch v, Batch gradient, Batch product,
                        Workspace& scratch) const;

 private:
  friend class TapeMaker;
  struct Programs;
  explicit Tape(std::unique_ptr<const Programs> programs);
  std::unique_ptr<const Programs> programs_;
};

/// What each case wrote.
class TapeText;

/// Writes a tape, case by case. Each function is called at two points: what it writes may not
/// depend on where it is, as it does where it has an `if` on value_of() of a number.
class MIXWELL_EXPORT TapeMaker {
 public:
  using Density = std::function<TapeNumber(const Values<TapeNumber>&)>;

  /// `points`: q x 2.
  explicit TapeMaker(Eigen::MatrixXd points);
  ~TapeMaker();
  TapeMaker(const TapeMaker&) = delete;
  TapeMaker& operator=(const TapeMaker&) = delete;

  /// Throws RunError "NAME is computed another way at other values of the parameters...".
  void add(const Density& density, const std::function<std::string()>& name);
  Tape finish();

 private:
  void write(const Density& density, Index point, TapeText& text);

  Eigen::MatrixXd points_;
  Workspace scratch_;
  std::array<std::unique_ptr<TapeText>, 2> texts_;
  std::unique_ptr<Tape::Programs> programs_;
  std::map<std::string, std::size_t> places_;  ///< of programs, by what their operations are
};

/// A tape that is written when it is first asked for, by one thread while others wait; a copy has
/// one of its own.
class LazyTape {
 public:
  LazyTape() = default;
  LazyTape(const LazyTape&) {}
  LazyTape& operator=(const LazyTape&) = delete;
  ~LazyTape() = default;

  /// `write` returns it.
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
