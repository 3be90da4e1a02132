// Models that are written as a log density. From this density, Mixwell computes U, its gradient
// and its terms, and reports where they are not finite.
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
/// Central differences are used for the map only, not for the density. The error is O(h^2) with
/// h = 6e-6 max(1, |theta|).
class MIXWELL_EXPORT MapDirection {
 public:
  MapDirection(const ConstraintMap& map, ConstBatch theta, ConstBatch v, Workspace& scratch);
  /// Computes J v for each column (q x w), where J is the Jacobian of the map.
  void values(Batch out) const;
  /// Adds to `out` the derivative of J^T gradient - grad log |J| along v, with the gradient (q x w)
  /// fixed.
  void add_bend(ConstBatch gradient, Batch out) const;

 private:
  /// Moves theta along v by `sign` times step_, and computes the values x of the moved theta.
  void move(double sign, Batch theta, Batch x) const;

  const ConstraintMap& map_;
  ConstMatrixMap theta_;
  ConstMatrixMap v_;
  RowMap step_;  ///< the step size of the central differences, for each column
  Workspace& scratch_;
};

}  // namespace detail

/// The base class of a model `Derived` that is written as a log density. Derived must have one of
/// two sets of public members, where S is any number type. The first set is
///   template <class S> S log_density(const Values<S>&) const;
/// The second set is for a likelihood that is a product over cases of the data. Minibatches need
/// this set:
///   template <class S> S log_prior(const Values<S>&) const;
///   Index cases() const;
///   template <class S> S log_likelihood(const Values<S>&, Index n) const;
/// These functions return log densities in nats, as functions of the constrained values of the
/// parameters, without any Jacobian. Declare the parameters with scalar(), vector() and matrix(),
/// in the initialisers of members or in the constructor. If there are cases, Mixwell records their
/// log likelihoods. It also draws and records new cases if Derived has a member
///   double draw_case(const Values<double>&, Index n, RandomNumbers&) const;
/// Pass the observed cases to observe().
///
/// S is double if only U is wanted. If the gradient of U is wanted too, Mixwell records the density
/// once as a list of operations (TapeNumber) and replays them in reverse (Tape). A gradient costs
/// two to four evaluations of U, for any number of values. A tape always replays the branch that
/// was recorded. A density with an `if` on value_of() of a number must therefore declare
/// `static constexpr bool differentiates_forward = true;`. Mixwell then evaluates it ceil(q / 32)
/// times for each column, where q is the number of values. Each evaluation computes 32 derivatives
/// (Dual), or 8 if q <= 8. No memory is allocated after the first gradient.
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
  /// The Hessian-vector product is exact up to rounding if all values are unconstrained. Otherwise
  /// central differences approximate the second derivatives of the map from coordinates to values.
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

  /// Returns a message about the first non-finite term of the log density (the prior or a case),
  /// or "" if all terms are finite.
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

  /// Sets the observed variable: one number for each case. Call it in the constructor.
  void observe(const std::string& name, const Eigen::VectorXd& values, const Dim& dim) {
    observed_.observe(name, values, dim);
    add_labels(dim);
  }
  void observe(const std::string& name, const Eigen::VectorXd& values) {
    observe(name, values, values.size());
  }
  /// Adds covariates and other data to the results, where they appear as constant_data.
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

  /// Number of directions in one evaluation of a density. `wide` needs fewer evaluations. `narrow`
  /// avoids derivatives that are all zero.
  static constexpr Index narrow = 8;
  static constexpr Index wide = 32;

  static constexpr bool is_forward() {
    if constexpr (requires { Derived::differentiates_forward; })
      return Derived::differentiates_forward;
    return false;
  }

  static bool is_reverse(const Evaluation& out) { return out.wants_gradient() && !is_forward(); }

  /// On the tape, case 0 is log_prior. The cases of the data begin at this index.
  static constexpr Index first_term = 1;

  const Tape& tape() const {
    return tape_.get([this] { return written(); });
  }

  /// Returns the tape, recorded at two points that the constraints allow. The points are chosen to
  /// detect an `if` on a value. At the second point, every coordinate has the opposite sign and a
  /// different magnitude, and the order of any two coordinates is reversed.
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
        "log_likelihood(values, n). Make these members const and public. All of them except "
        "cases() must be templates over S.");
    return summed;
  }

  static constexpr bool draws_cases() {
    return requires(const Derived& model, const Values<double>& at, Index n,
                    RandomNumbers& random) {
      { model.draw_case(at, n, random) } -> std::convertible_to<double>;
    };
  }

  /// Writes the log likelihoods of all cases to `out`, followed by newly drawn cases.
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

  /// Computes U = -f and its gradient, column by column, where f is a log density.
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
