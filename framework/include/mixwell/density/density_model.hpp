// Models that are written as a log density. Mixwell derives value, gradient, terms and error
// reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/density/cases.hpp>
#include <mixwell/density/values.hpp>
#include <mixwell/detail/standard_draws.hpp>
#include <mixwell/detail/tape/tape.hpp>
#include <mixwell/law/capabilities.hpp>
#include <mixwell/law/constrained_model.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {

namespace detail {

/// Makes a text such as "log_likelihood of case 17 is nan".
MIXWELL_EXPORT std::string trouble_text(const std::string& what, double value);

/// Derivatives of the map theta -> x, and of pulled-back gradients, along directions v (d x w).
/// Only the map is differentiated, by central differences. The error is O(h^2) with h = 6e-6 max(1,
/// |theta|).
class MIXWELL_EXPORT MapDirection {
 public:
  MapDirection(const ConstraintMap& map, ConstBatch theta, ConstBatch v, Workspace& scratch);
  /// Computes J v of each column (q x w).
  void values(Batch out) const;
  /// Adds the derivative of J^T gradient - grad log |J|, with the gradient (q x w) held fixed.
  void add_bend(ConstBatch gradient, Batch out) const;

 private:
  /// Computes theta moved by `sign` times the step, and its values x.
  void move(double sign, Batch theta, Batch x) const;

  const ConstraintMap& map_;
  ConstMatrixMap theta_;
  ConstMatrixMap v_;
  RowMap step_;  ///< of each column
  Workspace& scratch_;
};

}  // namespace detail

/// The base class of a model `Derived` that is written as a log density. Derived has one of these
/// sets of public members, for numbers of any type S: either
///   template <class S> S log_density(const Values<S>&) const;
/// or, if the likelihood is a product over cases of the data (minibatches need this),
///   template <class S> S log_prior(const Values<S>&) const;
///   Index cases() const;
///   template <class S> S log_likelihood(const Values<S>&, Index n) const;
/// They return nats, as functions of the constrained values of the parameters, without any
/// Jacobian. Declare the parameters by scalar(), vector() and matrix(), as members with
/// initialisers or in the constructor. If there are cases, their log likelihoods are recorded. With
///   double draw_case(const Values<double>&, Index n, RandomNumbers&) const;
/// new cases are drawn and recorded too. Pass the observed cases by observe().
///
/// S is double if only U is wanted. For the gradient of U, the density is recorded once as a list
/// of operations (TapeNumber), which are replayed in reverse (Tape). A gradient costs two to four
/// evaluations of U, for any number of values. A tape cannot repeat an `if` on value_of() of a
/// number. A density with such an `if` must declare `static constexpr bool differentiates_forward =
/// true;`. With q values it is then evaluated ceil(q / 32) times for each column, each time with 32
/// derivatives (Dual), or with 8 if q <= 8. No memory is allocated after the first gradient.
template <class Derived>
class DensityModel : public ConstrainedModel,
                     public SumOfTerms,
                     public Generated,
                     public HessianProducts {
 public:
  using Scalar = ScalarParameter;
  using Vector = VectorParameter;
  using Matrix = MatrixParameter;

  bool evaluates_potential_alone() const noexcept override { return true; }

  std::vector<Labels> labels() const override { return labels_; }

  Index terms() const noexcept override {
    if constexpr (has_cases()) return derived().cases();
    return 0;
  }
  bool rest_is_prior() const noexcept override { return has_cases(); }
  void evaluate_rest(ConstBatch theta, const Evaluation& out) const override {
    if constexpr (has_cases())
      this->at_values(theta, out, true, [this](ConstBatch x, const Evaluation& at) {
        if (is_reverse(at)) return tape().evaluate_case(x, 0, at);
        evaluate_columns(x, at,
                         [this](const auto& values, Index) { return derived().log_prior(values); });
      });
  }
  void evaluate_terms(ConstBatch theta, ConstBatch indices, const Evaluation& out) const override {
    this->at_values(theta, out, false, [&](ConstBatch x, const Evaluation& at) {
      if (is_reverse(at)) return tape().evaluate_cases(x, indices, first_term, at);
      evaluate_columns(x, at, [&](const auto& values, Index j) {
        return sum_of_cases(values, indices.rows(),
                            [&](Index k) { return static_cast<Index>(indices(k, j)); });
      });
    });
  }

  bool multiplies_hessians() const noexcept override { return !is_forward(); }
  /// Exact except for rounding if all values are unconstrained. The second derivatives of
  /// constraints are computed by differences.
  void multiply_hessian(ConstBatch theta, ConstBatch v, Batch out,
                        Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    const ConstraintMap& map = this->map();
    MatrixMap gradient = scratch.matrix(map.values(), theta.cols());
    if (map.is_identity()) return tape().multiply_hessian(theta, v, gradient, out, scratch);
    MatrixMap x = scratch.matrix(map.values(), theta.cols());
    MatrixMap along = scratch.matrix(map.values(), theta.cols());
    MatrixMap product = scratch.matrix(map.values(), theta.cols());
    const detail::MapDirection direction(map, theta, v, scratch);
    map.constrain(theta, x);
    direction.values(along);
    tape().multiply_hessian(x, along, gradient, product, scratch);
    map.pull_back(theta, x, product, out);
    direction.add_bend(gradient, out);
  }

  std::vector<Parameter> generated() const override {
    return observed_.quantities(terms(), draws_cases());
  }
  void generate(ConstBatch theta, const Stream& stream, Address at, Batch out) const override {
    Workspace scratch;
    MatrixMap x = scratch.matrix(this->map().values(), theta.cols());
    this->map().constrain(theta, x);
    for (Index j = 0; j < theta.cols(); ++j)
      generate_column(Values<double>(x.col(j).data(), 0, scratch), stream,
                      {at.sweep, at.draw, at.replicate + static_cast<std::uint64_t>(j)},
                      out.col(j));
  }
  std::vector<NamedValues> observed_data() const override { return observed_.observed(); }
  std::vector<NamedValues> constant_data() const override { return observed_.constant(); }

  /// Names the prior or the first case whose log density is not finite.
  std::string trouble_at(ConstBatch theta) const override {
    Workspace scratch;
    Eigen::MatrixXd x(this->map().values(), 1);
    this->map().constrain(theta, x);
    const Values<double> values(x.data(), 0, scratch);
    if constexpr (has_cases()) {
      const double prior = derived().log_prior(values);
      if (!std::isfinite(prior)) return detail::trouble_text("log_prior", prior);
      for (Index n = 0; n < derived().cases(); ++n) {
        const double one = derived().log_likelihood(values, n);
        if (!std::isfinite(one))
          return detail::trouble_text("log_likelihood of case " + std::to_string(n), one);
      }
    } else {
      const double all = derived().log_density(values);
      if (!std::isfinite(all)) return detail::trouble_text("log_density", all);
    }
    return {};
  }

 protected:
  void offer(Offer& offer) const noexcept override {
    offer.set<SumOfTerms>(has_cases() ? this : nullptr);
    offer.set<Generated>(has_cases() ? this : nullptr);
  }

  Scalar scalar(std::string name, const Constraint& constraint = {}) {
    return {this->declare({.name = std::move(name), .shape = {}, .constraint = constraint})};
  }
  Vector vector(const std::string& name, const Dim& dim, const Constraint& constraint = {}) {
    return {declare_array(name, {dim}, constraint), dim.length,
            std::make_shared<const std::string>(name)};
  }
  Matrix matrix(const std::string& name, const Dim& rows, const Dim& cols,
                const Constraint& constraint = {}) {
    return {declare_array(name, {rows, cols}, constraint), rows.length, cols.length,
            std::make_shared<const std::string>(name)};
  }

  /// Sets the observed variable, in constructors: one number for each case.
  void observe(const std::string& name, const Eigen::VectorXd& values, const Dim& dim) {
    observed_.observe(name, values, dim);
    add_labels(dim);
  }
  void observe(const std::string& name, const Eigen::VectorXd& values) {
    observe(name, values, values.size());
  }
  /// Adds covariates and other data for readers of the results (constant_data).
  void constant(const std::string& name, const Eigen::VectorXd& values, const Dim& dim) {
    observed_.add_constant(name, values, dim);
    add_labels(dim);
  }
  void constant(const std::string& name, const Eigen::VectorXd& values) {
    constant(name, values, values.size());
  }

  void evaluate_values(ConstBatch x, const Evaluation& out) const override {
    if (is_reverse(out)) return tape().evaluate(x, out);
    evaluate_columns(x, out, [this](const auto& values, Index) {
      if constexpr (has_cases())
        return derived().log_prior(values) +
               sum_of_cases(values, derived().cases(), [](Index k) { return k; });
      else
        return derived().log_density(values);
    });
  }

 private:
  Index declare_array(const std::string& name, const std::vector<Dim>& dims,
                      const Constraint& constraint) {
    Parameter parameter{.name = name, .shape = {}, .constraint = constraint};
    for (const Dim& dim : dims) {
      parameter.shape.push_back(dim.length);
      parameter.dims.push_back(dim.name);
      add_labels(dim);
    }
    return this->declare(std::move(parameter));
  }

  void add_labels(const Dim& dim) {
    const Labels labels{dim.name, dim.labels};
    const bool is_known = std::find(labels_.begin(), labels_.end(), labels) != labels_.end();
    if (!dim.name.empty() && !is_known) labels_.push_back(labels);
  }

  /// Number of directions that are differentiated at once. With `wide`, the values in a density are
  /// computed less often. `narrow` avoids derivatives that are all zero.
  static constexpr Index narrow = 8;
  static constexpr Index wide = 32;

  static constexpr bool is_forward() {
    if constexpr (requires { Derived::differentiates_forward; })
      return Derived::differentiates_forward;
    return false;
  }

  static bool is_reverse(const Evaluation& out) { return out.wants_gradient() && !is_forward(); }

  /// Index of the first term among the cases of the tape. log_prior is the case before the terms.
  static constexpr Index first_term = 1;

  const Tape& tape() const {
    return tape_.get([this] { return written(); });
  }

  /// Writes the tape at two points that the constraints allow. The points are chosen to detect an
  /// `if` on a value: at the second point, every coordinate has the opposite sign and another size,
  /// and every two coordinates have the opposite order.
  Tape written() const {
    const Eigen::ArrayXd k =
        Eigen::ArrayXd::LinSpaced(this->dimension(), 1.0, static_cast<double>(this->dimension()));
    const Eigen::ArrayXd far = 2.5 + 0.5 * k.sin();
    Eigen::MatrixXd points(this->map().values(), 2);
    for (Index j = 0; j < 2; ++j) {
      const Eigen::MatrixXd theta = (j == 0 ? 1.0 : -0.5) * far;
      Eigen::MatrixXd x(points.rows(), 1);
      this->map().constrain(theta, x);
      points.col(j) = x;
    }
    TapeMaker maker(std::move(points));
    write(maker);
    return maker.finish();
  }

  void write(TapeMaker& maker) const {
    if constexpr (is_forward()) {
      static_cast<void>(maker);
    } else if constexpr (has_cases()) {
      maker.add([this](const auto& values) { return derived().log_prior(values); },
                [] { return std::string("log_prior"); });
      for (Index n = 0; n < derived().cases(); ++n)
        maker.add([&](const auto& values) { return derived().log_likelihood(values, n); },
                  [n] { return "log_likelihood of case " + std::to_string(n); });
    } else {
      maker.add([this](const auto& values) { return derived().log_density(values); },
                [] { return std::string("log_density"); });
    }
  }

  const Derived& derived() const noexcept { return static_cast<const Derived&>(*this); }

  static constexpr bool has_cases() {
    constexpr bool whole = requires(const Derived& model, const Values<double>& at) {
      { model.log_density(at) } -> std::convertible_to<double>;
    };
    constexpr bool summed = requires(const Derived& model, const Values<double>& at, Index n) {
      { model.log_prior(at) } -> std::convertible_to<double>;
      { model.log_likelihood(at, n) } -> std::convertible_to<double>;
      { model.cases() } -> std::convertible_to<Index>;
    };
    static_assert(
        whole != summed,
        "A DensityModel needs either log_density(values), or log_prior(values), cases() and "
        "log_likelihood(values, n). Make them const and public; all except cases() are templates "
        "over S.");
    return summed;
  }

  static constexpr bool draws_cases() {
    return requires(const Derived& model, const Values<double>& at, Index n,
                    RandomNumbers& random) {
      { model.draw_case(at, n, random) } -> std::convertible_to<double>;
    };
  }

  /// Writes the log likelihoods of all cases to `out`, then newly drawn cases.
  void generate_column(const Values<double>& values, const Stream& stream, Address at,
                       Batch out) const {
    if constexpr (has_cases())
      for (Index n = 0; n < terms(); ++n) out(n, 0) = derived().log_likelihood(values, n);
    if constexpr (draws_cases())
      each_case(terms(), stream, at, [&](Index n, RandomNumbers& random) {
        out(terms() + n, 0) = derived().draw_case(values, n, random);
      });
  }

  /// Sums log_likelihood over `count` cases.
  template <class S, class Case>
  S sum_of_cases(const Values<S>& values, Index count, const Case& number) const {
    S sum = 0.0;
    if constexpr (has_cases())
      for (Index k = 0; k < count; ++k) sum += derived().log_likelihood(values, number(k));
    return sum;
  }

  /// Computes U = -f and its gradient, column by column.
  template <class Density>
  void evaluate_columns(ConstBatch x, const Evaluation& out, const Density& f) const {
    Batch gradient = out.gradient;
    for (Index j = 0; j < x.cols(); ++j) {
      const double* const column = x.col(j).data();
      if (out.wants_gradient()) {
        double* const g = gradient.col(j).data();
        const double u = x.rows() <= narrow ? differentiate<narrow>(column, g, j, f, out.scratch)
                                            : differentiate<wide>(column, g, j, f, out.scratch);
        if (out.wants_potential()) out.potential[j] = u;
      } else {
        out.potential[j] = -f(Values<double>(column, 0, out.scratch), j);
      }
    }
  }

  /// Computes U and its gradient, `width` directions at a time. Returns U.
  template <Index width, class Density>
  double differentiate(const double* x, double* g, Index j, const Density& f,
                       Workspace& scratch) const {
    const Index q = this->map().values();
    double u = 0.0;
    for (Index first = 0; first < q; first += width) {
      const Index count = std::min(width, q - first);
      if (first > 0 && all_fixed(first, count)) continue;
      const Dual<width> here = f(Values<Dual<width>>(x, first, scratch), j);
      u = -here.value;
      for (Index k = 0; k < count; ++k) g[first + k] = -here.slopes[k];
    }
    return u;
  }

  bool all_fixed(Index first, Index count) const {
    for (Index k = 0; k < count; ++k)
      if (!this->map().is_fixed(first + k)) return false;
    return true;
  }

  ObservedCases observed_;
  std::vector<Labels> labels_;
  LazyTape tape_;
};

}  // namespace mixwell
