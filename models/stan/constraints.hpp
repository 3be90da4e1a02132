// Checks that values strictly satisfy the constraints that a program declares for its parameters.
// Mixwell does this itself, because the engines do not report which element is invalid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.hpp"
#include "declared.hpp"

#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::stan {

namespace detail {

/// The name of an element, such as "x[0, 1]", from its position with the last index fastest.
inline std::string element_name(const std::string& name, const std::vector<Index>& shape,
                                Index flat) {
  return coordinate_names({{.name = name, .shape = shape}})[static_cast<std::size_t>(flat)];
}

/// Stan's own tolerance for sums and symmetry.
inline constexpr double constraint_tolerance = 1e-8;

/// A vector or matrix of a structured type, among the values of a variable. Each method returns
/// what is wrong with the part, or "".
class StructuredPart {
 public:
  using Matrix =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

  /// `values`: the whole variable, in which this part begins at `first`.
  StructuredPart(const NamedValues& values, std::size_t first, Index rows, Index cols)
      : values_(values), first_(first), x_(values.values.data() + first, rows, cols) {}

  std::string stochastic(bool sums_rows, bool sums_columns) const {
    std::string wrong = first_where([](Index, Index, double x) { return !(x > 0); });
    if (wrong.empty() && sums_rows) wrong = sums(x_.rowwise().sum(), 1, "row");
    if (wrong.empty() && sums_columns) wrong = sums(x_.colwise().sum().transpose(), 1, "column");
    return wrong;
  }
  std::string summing_to_zero() const {
    if (x_.cols() == 1) return sums(x_.colwise().sum().transpose(), 0, "column");
    const std::string wrong = sums(x_.rowwise().sum(), 0, "row");
    return wrong.empty() ? sums(x_.colwise().sum().transpose(), 0, "column") : wrong;
  }
  std::string ordered(bool is_positive) const {
    return first_where([&](Index i, Index, double x) {
      return i == 0 ? is_positive && !(x > 0) : !(x > x_(i - 1, 0));
    });
  }
  std::string unit() const {
    return sums(x_.colwise().squaredNorm().transpose(), 1, "column", "the squares of ");
  }
  std::string covariance() const {
    const std::string wrong = first_where([&](Index i, Index j, double x) {
      return !(std::abs(x - x_(j, i)) <= constraint_tolerance);
    });
    if (!wrong.empty()) return wrong;
    const Eigen::MatrixXd copy = x_;
    return copy.llt().info() == Eigen::Success ? ""
                                               : "`" + values_.name + "` is not positive definite";
  }
  std::string correlation() const {
    const std::string wrong = first_where([](Index i, Index j, double x) {
      return i == j && !(std::abs(x - 1) <= constraint_tolerance);
    });
    return wrong.empty() ? covariance() : wrong;
  }
  std::string cholesky(bool has_unit_rows) const {
    const std::string wrong =
        first_where([](Index i, Index j, double x) { return i == j ? !(x > 0) : j > i && x != 0; });
    if (!wrong.empty() || !has_unit_rows) return wrong;
    return sums(x_.rowwise().squaredNorm(), 1, "row", "the squares of ");
  }
  /// Both bounds are exclusive.
  std::string bounded(double lower, double upper) const {
    return first_where([&](Index, Index, double x) { return !(x > lower && x < upper); });
  }

 private:
  template <class Predicate>
  std::string first_where(const Predicate& is_wrong) const {
    for (Index i = 0; i < x_.rows(); ++i)
      for (Index j = 0; j < x_.cols(); ++j)
        if (is_wrong(i, j, x_(i, j))) return element(i * x_.cols() + j);
    return {};
  }

  /// "`x[0, 1]` is 2": the name and the value of an element of this part.
  std::string element(Index at) const {
    const std::size_t flat = first_ + static_cast<std::size_t>(at);
    return "`" + element_name(values_.name, values_.shape, static_cast<Index>(flat)) + "` is " +
           number_text(values_.values[flat]);
  }

  /// `all`: the sums that must equal `wanted`, one for each row or column of a matrix.
  std::string sums(const Eigen::VectorXd& all, double wanted, const std::string& line,
                   const std::string& of = "") const {
    for (Index k = 0; k < all.size(); ++k)
      if (!(std::abs(all[k] - wanted) <= constraint_tolerance))
        return of + "the elements of " +
               (x_.cols() == 1 ? "" : line + " " + std::to_string(k) + " of ") + "`" +
               values_.name + "` sum to " + number_text(all[k]);
    return {};
  }
  const NamedValues& values_;
  std::size_t first_;
  Matrix x_;
};

/// What is wrong with a part, and the rule of its type.
struct Breach {
  std::string wrong{};
  std::string rule{};
};

inline Breach breach(const std::string& word, const StructuredPart& part) {
  const std::string positive = " must be above 0 and sum to 1";
  const std::string triangle =
      "its diagonal elements must be above 0, and all elements above the diagonal must be 0";
  if (word == "simplex") return {part.stochastic(false, true), "its elements" + positive};
  if (word == "column_stochastic_matrix")
    return {part.stochastic(false, true), "the elements of each column" + positive};
  if (word == "row_stochastic_matrix")
    return {part.stochastic(true, false), "the elements of each row" + positive};
  if (word == "ordered")
    return {part.ordered(false), "each element must be greater than the one before it"};
  if (word == "positive_ordered")
    return {part.ordered(true),
            "the first element must be above 0, and each other element must be greater than the "
            "one before it"};
  if (word == "unit_vector") return {part.unit(), "the squares of its elements must sum to 1"};
  if (word == "sum_to_zero_vector") return {part.summing_to_zero(), "its elements must sum to 0"};
  if (word == "sum_to_zero_matrix")
    return {part.summing_to_zero(), "the elements of each row and of each column must sum to 0"};
  if (word == "cov_matrix")
    return {part.covariance(), "it must be symmetric and positive definite"};
  if (word == "corr_matrix")
    return {part.correlation(),
            "it must be symmetric and positive definite, with ones on its diagonal"};
  if (word == "cholesky_factor_cov") return {part.cholesky(false), triangle};
  if (word == "cholesky_factor_corr")
    return {part.cholesky(true),
            triangle + ", and the squares of the elements of each row must sum to 1"};
  return {};
}

}  // namespace detail

/// The declarations of the block `parameters`, as far as Mixwell can evaluate them.
class Constraints {
 public:
  /// A value that violates its constraint or is on the boundary.
  struct Finding {
    std::string variable;
    std::string words;  ///< value, declaration and rule, without a final period
  };

  Constraints() = default;
  /// `data`: used to evaluate bounds.
  Constraints(Declarations declared, const std::vector<NamedValues>& data)
      : declared_(std::move(declared)) {
    add(data, known_);
  }

  /// The first broken constraint among these values of some or all parameters.
  std::optional<Finding> broken_by(const std::vector<NamedValues>& values) const {
    Values known = known_;
    add(values, known);
    for (const Declared& one : declared_.variables)
      if (auto found = finding({values, known}, one, one.name, one.type)) return found;
    return std::nullopt;
  }

  /// The first parameter that has values here and whose constraint uses a missing parameter.
  std::optional<Finding> depending_on(const std::set<std::string>& missing) const {
    for (const Declared& one : declared_.variables) {
      std::set<std::string> words;
      add_names(one.type, &Type::constraint, words);
      std::string names;
      for (const std::string& name : missing)
        if (words.contains(name)) names += (names.empty() ? "`" : ", `") + name + "`";
      if (!names.empty() && !missing.contains(one.name)) return Finding{one.name, names};
    }
    return std::nullopt;
  }

 private:
  struct Numbers {
    const std::vector<NamedValues>& values;
    const Values& known;  ///< used to evaluate bounds
  };

  static void add(const std::vector<NamedValues>& values, Values& known) {
    for (const NamedValues& one : values) known[one.name] = {one.shape, one.values, false};
  }

  /// `leaf`: the variable or a member of a tuple.
  static std::optional<Finding> finding(const Numbers& all, const Declared& one,
                                        const std::string& leaf, const Type& type) {
    for (std::size_t k = 0; k < type.members.size(); ++k)
      if (auto found = finding(all, one, leaf + ":" + std::to_string(k + 1), type.members[k]))
        return found;
    const auto values = std::find_if(all.values.begin(), all.values.end(),
                                     [&](const NamedValues& given) { return given.name == leaf; });
    if (values == all.values.end() || !type.members.empty() || type.is_complex) return std::nullopt;
    const detail::Breach found = breach_in(all.known, *values, type);
    if (found.wrong.empty()) return std::nullopt;
    return Finding{one.name, found.wrong + ", but the program declares `" + one.text + "` (" +
                                 to_string(one.where) + "): " + found.rule};
  }

  static detail::Breach breach_in(const Values& known, const NamedValues& values,
                                  const Type& type) {
    const std::size_t dimensions = values.shape.size();
    const std::size_t own = std::min(detail::dimensions_of(type.word), dimensions);
    const Index cols = own == 2 ? values.shape[dimensions - 1] : 1;
    const Index rows = own == 0 ? 1 : values.shape[dimensions - own];
    const auto size = static_cast<std::size_t>(rows * cols);
    for (std::size_t first = 0; size > 0 && first < values.values.size(); first += size) {
      const detail::StructuredPart part(values, first, rows, cols);
      detail::Breach found = detail::breach(type.word, part);
      if (found.wrong.empty()) found = outside(known, type, part);
      if (!found.wrong.empty()) return found;
    }
    return {};
  }

  static detail::Breach outside(const Values& known, const Type& type,
                                const detail::StructuredPart& part) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double lower = bound(known, type, "lower").value_or(-infinity);
    const double upper = bound(known, type, "upper").value_or(infinity);
    const std::string above = lower > -infinity ? " above " + number_text(lower) : "";
    const std::string below = upper < infinity ? " below " + number_text(upper) : "";
    return {part.bounded(lower, upper),
            "its values must be" + above + (above.empty() || below.empty() ? "" : " and") + below};
  }

  /// Nothing if there is no bound, or if Mixwell cannot evaluate it to one number.
  static std::optional<double> bound(const Values& known, const Type& type,
                                     const std::string& name) {
    for (const Tokens tokens : type.constraint) {
      if (tokens.size() < 3 || tokens[0].text != name || tokens[1].text != "=") continue;
      const auto value = detail::Expression(tokens.subspan(2), known).value();
      if (value && value->shape.empty()) return value->numbers[0];
    }
    return std::nullopt;
  }

  Declarations declared_;
  Values known_;
};

}  // namespace mixwell::stan
