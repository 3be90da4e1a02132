// The values of a model's parameters, as a density reads them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/base/workspace.hpp>
#include <mixwell/density/dual.hpp>
#include <mixwell/detail/tape/number.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mixwell {

/// A dimension of an array: either a length, or a name with a label for each element.
struct Dim {
  Dim(Index count) : length(count) {}
  Dim(std::string called, std::vector<std::string> of_elements)
      : name(std::move(called)),
        labels(std::move(of_elements)),
        length(static_cast<Index>(labels.size())) {}

  std::string name{};
  std::vector<std::string> labels{};
  Index length;
};

/// Handles of parameters. DensityModel makes the handles. Pass a handle to Values to get the
/// parameter's values. A handle that was not made by DensityModel has row -1.
struct ScalarParameter {
  Index row = -1;
};
struct VectorParameter {
  Index row = -1;
  Index size = 0;
  std::shared_ptr<const std::string> name{};
};
struct MatrixParameter {
  Index row = -1;
  Index rows = 0;
  Index cols = 0;
  std::shared_ptr<const std::string> name{};
};

namespace detail {

/// Throws RunError "the density reads element 12 of `beta`, which has 10 elements...".
[[noreturn]] MIXWELL_EXPORT void refuse_element(const std::string& name, Index index, Index size);
/// Throws RunError "dot() was called with 4 constants and 3 values...".
[[noreturn]] MIXWELL_EXPORT void refuse_dot(Index constants, Index values);
/// Throws RunError "the density reads a parameter that was never declared...".
[[noreturn]] MIXWELL_EXPORT void refuse_undeclared();

/// Numbers of type S: double, Dual or TapeNumber. For a Dual, slope k of element i is 1 if
/// k = i - `direction`, and 0 otherwise. For a TapeNumber, element i is row i - `direction` of the
/// model's values. `direction` need not be an index of this list.
template <class S>
class Elements {
 public:
  Elements(const double* first, Index direction) : first_(first), direction_(direction) {}

  S operator[](Index i) const {
    if constexpr (std::is_same_v<S, double>) {
      return first_[i];
    } else if constexpr (std::is_same_v<S, TapeNumber>) {
      return TapeNumber::of_value(i - direction_, first_[i]);
    } else {
      S one(first_[i]);
      const Index k = i - direction_;
      if (k >= 0 && k < S::width) one.slopes[k] = 1.0;
      return one;
    }
  }
  Elements from(Index row) const { return {first_ + row, direction_ - row}; }
  const double* data() const noexcept { return first_; }
  Index direction() const noexcept { return direction_; }

 private:
  const double* first_;
  Index direction_;
};

}  // namespace detail

/// A list of numbers of type S: the values of a vector parameter.
template <class S>
class VectorView {
 public:
  VectorView(detail::Elements<S> elements, Index size, const std::string* name)
      : elements_(elements), size_(size), name_(name) {}

  Index size() const noexcept { return size_; }
  S operator[](Index i) const {
    if (i < 0 || i >= size_) detail::refuse_element(*name_, i, size_);
    return elements_[i];
  }
  /// The numbers as doubles.
  Eigen::Map<const Eigen::VectorXd> values() const { return {elements_.data(), size_}; }
  const detail::Elements<S>& elements() const noexcept { return elements_; }

 private:
  detail::Elements<S> elements_;
  Index size_;
  const std::string* name_;
};

/// A matrix of numbers of type S, stored row by row.
template <class S>
class MatrixView {
 public:
  MatrixView(detail::Elements<S> elements, Index rows, Index cols, const std::string* name,
             Workspace* scratch)
      : elements_(elements), rows_(rows), cols_(cols), name_(name), scratch_(scratch) {}

  Index rows() const noexcept { return rows_; }
  Index cols() const noexcept { return cols_; }
  S operator()(Index i, Index j) const { return row(i)[j]; }
  VectorView<S> row(Index i) const {
    if (i < 0 || i >= rows_) detail::refuse_element(*name_, i, rows_);
    return {elements_.from(i * cols_), cols_, name_};
  }
  Workspace& scratch() const noexcept { return *scratch_; }

 private:
  detail::Elements<S> elements_;
  Index rows_;
  Index cols_;
  const std::string* name_;
  Workspace* scratch_;
};

/// All values of one position. `values(beta)` is a number, a VectorView or a MatrixView.
template <class S>
class Values {
 public:
  /// `x` has q numbers. The first slope of a Dual is the derivative with respect to row
  /// `direction`.
  Values(const double* x, Index direction, Workspace& scratch)
      : elements_(x, direction), scratch_(&scratch) {}

  S operator()(const ScalarParameter& at) const { return elements_[row_of(at)]; }
  VectorView<S> operator()(const VectorParameter& at) const {
    return {elements_.from(row_of(at)), at.size, at.name.get()};
  }
  MatrixView<S> operator()(const MatrixParameter& at) const {
    return {elements_.from(row_of(at)), at.rows, at.cols, at.name.get(), scratch_};
  }
  /// Scratch memory, valid until the end of the Workspace::Frame in which it is allocated. Use
  /// Workspace::objects<S> to allocate numbers.
  Workspace& scratch() const noexcept { return *scratch_; }

 private:
  template <class Handle>
  static Index row_of(const Handle& at) {
    if (at.row < 0) detail::refuse_undeclared();
    return at.row;
  }

  detail::Elements<S> elements_;
  Workspace* scratch_;
};

/// Computes sum_i a_i b_i for constants `a`: an Eigen vector, row or column with as many elements
/// as `b`. The cost is O(size + width), because the derivatives are elements of `a`.
template <class Constants, class S>
S dot(const Eigen::MatrixBase<Constants>& a, const VectorView<S>& b) {
  static_assert(Constants::IsVectorAtCompileTime,
                "the first argument of dot() must be an Eigen vector, row or column");
  if (a.size() != b.size()) detail::refuse_dot(a.size(), b.size());
  double sum = 0.0;
  if constexpr (Constants::ColsAtCompileTime == 1)
    sum = a.dot(b.values());
  else
    sum = a.transpose().dot(b.values());
  if constexpr (std::is_same_v<S, double>) {
    return sum;
  } else if constexpr (std::is_same_v<S, TapeNumber>) {
    const Eigen::VectorXd constants = a.reshaped();
    return TapeNumber::of_dot(constants, -b.elements().direction(), sum);
  } else {
    S all(sum, typename S::Unset{});
    const Index direction = b.elements().direction();
    if (direction >= 0 && b.size() - direction >= S::width) {
      all.slopes = a.array().template segment<S::width>(direction);
      return all;
    }
    const Index first = std::max<Index>(0, -direction);
    const Index end = std::clamp<Index>(b.size() - direction, first, S::width);
    for (Index k = 0; k < first; ++k) all.slopes[k] = 0.0;
    for (Index k = first; k < end; ++k) all.slopes[k] = a[direction + k];
    for (Index k = end; k < S::width; ++k) all.slopes[k] = 0.0;
    return all;
  }
}

/// Computes sum_i a_i b_i for two lists of type S.
template <class S>
S dot(const VectorView<S>& a, const VectorView<S>& b) {
  S sum = 0.0;
  for (Index i = 0; i < b.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Computes sum_i f(a_i).
template <class S, class Function>
S sum_of(const VectorView<S>& a, const Function& f) {
  S sum = 0.0;
  for (Index i = 0; i < a.size(); ++i) sum += f(a[i]);
  return sum;
}
template <class S>
S sum(const VectorView<S>& a) {
  return sum_of(a, [](const S& one) { return one; });
}

namespace detail {

template <class List>
auto log_sum_exp_by_largest(const List& a) {
  double high = value_of(a[0]);
  for (Index i = 1; i < a.size(); ++i) high = std::max(high, value_of(a[i]));
  if (std::isinf(high)) high = 0.0;
  std::decay_t<decltype(a[0] + 0.0)> sum = 0.0;
  using std::exp;
  using std::log;
  for (Index i = 0; i < a.size(); ++i) sum += exp(a[i] - high);
  return log(sum) + high;
}

}  // namespace detail

/// Computes log sum_i e^(a_i) without overflow. `a` is any type with size() and [i].
template <class List>
auto log_sum_exp(const List& a) {
  if constexpr (std::is_same_v<std::decay_t<decltype(a[0])>, TapeNumber>) {
    TapeNumber all = a[0];
    for (Index i = 1; i < a.size(); ++i) all = log_sum_exp(all, a[i]);
    return all;
  } else {
    return detail::log_sum_exp_by_largest(a);
  }
}

}  // namespace mixwell
