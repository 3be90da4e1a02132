// Densities recorded on a tape: derivatives against forward differentiation and against
// differences, in both kinds of lanes, and densities that a tape cannot repeat.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/contracts/model.hpp>
#include <mixwell/density.hpp>
#include <mixwell/law/capabilities.hpp>
#include <mixwell/law/optimum.hpp>

#include <boost/math/special_functions/trigamma.hpp>

#include <cmath>
#include <string>

namespace {

using namespace mixwell;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::contains;

MatrixXd normals(Index rows, Index cols, const std::string& name) {
  MatrixXd x(rows, cols);
  Stream(3, "test/tape/" + name).normals({}, x);
  return x;
}

/// All operations, and two kinds of cases that read shared values and their own values.
template <bool forward>
class Operations final : public DensityModel<Operations<forward>> {
 public:
  static constexpr bool differentiates_forward = forward;

  explicit Operations(Index cases) : X_(normals(3, cases, "X")), y_(normals(cases, 1, "y")) {}

  template <class S>
  S log_prior(const Values<S>& v) const {
    const S a = v(a_);
    const S t = v(t_);
    const VectorView<S> b = v(b_);
    return normal_lpdf(b, a, t) + student_t_lpdf(a, 3 + t, 0.2, 1.5) + std_normal_lpdf(v(g_)) +
           sin(a) * cos(b[1]) + atan(a) * tanh(b[2]) + abs(a) / (1 + t) +
           expm1(a) * log1m(0.3 * v(p_)) - pow(t, 1.7) - pow(1 + t, a) - pow(2.0, a) +
           Phi(a) * log_gamma(t) + logit(v(p_)) + log_sum_exp(a, b[0]) + log_sum_exp(b) +
           log1m_inv_logit(b[1]) + sqrt(1 + square(a)) - exp(a) +
           log1p(t) * select(a < b[0], t, a) + select(t >= 1, inv_logit(a), a / t) +
           neg_binomial_2_log_lpmf(3, a, t) + dot(b, b) * beta_lpdf(v(p_), 2, 1 + t);
  }
  Index cases() const { return y_.size(); }
  template <class S>
  S log_likelihood(const Values<S>& v, Index n) const {
    const S eta = v(a_) + dot(X_.col(n), v(b_)) + v(t_) * v(g_)[n % 5];
    const S own = dot(VectorXd(X_.col(n).head(2)), v(w_).row(n % 3));
    if (n % 3 == 0) return bernoulli_logit_lpmf(n % 2 == 0 ? 1 : 0, eta + own);
    return normal_lpdf(y_[n], eta, v(t_)) + own * v(p_);
  }

 private:
  using Base = DensityModel<Operations>;
  MatrixXd X_;
  VectorXd y_;
  typename Base::Scalar a_ = this->scalar("a");
  typename Base::Vector b_ = this->vector("b", 3);
  typename Base::Scalar t_ = this->scalar("t", Constraint::positive());
  typename Base::Vector g_ = this->vector("g", 5);
  typename Base::Scalar p_ = this->scalar("p", Constraint::interval(0, 1));
  typename Base::Matrix w_ = this->matrix("w", 3, 2);
};

/// 2500 cases with the same operations, which read the same value up to case 1499.
template <bool forward>
class ManyCases final : public DensityModel<ManyCases<forward>> {
 public:
  static constexpr bool differentiates_forward = forward;

  template <class S>
  S log_prior(const Values<S>& v) const {
    return std_normal_lpdf(v(b_));
  }
  Index cases() const { return y_.size(); }
  template <class S>
  S log_likelihood(const Values<S>& v, Index n) const {
    return normal_lpdf(y_[n], y_[(n + 7) % cases()] * v(b_)[n < 1500 ? 0 : n % 4], 0.7);
  }

 private:
  VectorXd y_ = normals(2500, 1, "many");
  typename DensityModel<ManyCases>::Vector b_ = this->vector("b", 4);
};

/// Cases of 4096 constants each, which are their gradient; 128 of them are 4 MiB.
class WideCases final : public DensityModel<WideCases> {
 public:
  template <class S>
  S log_prior(const Values<S>& v) const {
    return std_normal_lpdf(v(b_));
  }
  Index cases() const { return 300; }
  template <class S>
  S log_likelihood(const Values<S>& v, Index n) const {
    return dot(row(n), v(b_));
  }
  static VectorXd row(Index n) {
    const auto first = static_cast<double>(n * n);
    return VectorXd::LinSpaced(4096, first, first + 1.0);
  }

 private:
  Vector b_ = vector("b", 4096);
};

/// Of the largest number of the column.
double difference(const MatrixXd& a, const MatrixXd& b) {
  return ((a - b).cwiseAbs().colwise().maxCoeff().array() /
          (1.0 + b.cwiseAbs().colwise().maxCoeff().array()))
      .maxCoeff<Eigen::PropagateNaN>();
}

struct At {
  Eigen::RowVectorXd u;
  MatrixXd g;
};

At terms(const Model& model, const MatrixXd& theta, const MatrixXd& indices) {
  At at{Eigen::RowVectorXd(theta.cols()), MatrixXd(theta.rows(), theta.cols())};
  Workspace scratch;
  model.offers<SumOfTerms>()->evaluate_terms(theta, indices, {at.u.data(), at.g, scratch});
  return at;
}

/// Of 40 cases, `size` of each column: some twice, of both kinds, in no order.
MatrixXd chosen(Index size, Index columns, Index shift = 0) {
  MatrixXd all(size, columns);
  for (Index j = 0; j < columns; ++j)
    for (Index k = 0; k < size; ++k)
      all(k, j) = static_cast<double>((7 * k * k + 11 * j + shift) % 40);
  return all;
}

/// A branch on a number's value, in the case that is given.
class Branching final : public DensityModel<Branching> {
 public:
  explicit Branching(double threshold) : threshold_(threshold) {}
  template <class S>
  S log_prior(const Values<S>& v) const {
    return std_normal_lpdf(v(x_));
  }
  Index cases() const { return 3; }
  template <class S>
  S log_likelihood(const Values<S>& v, Index n) const {
    const S x = v(x_);
    return n == 2 && value_of(x) < threshold_ ? S(-square(x)) : S(-2 * square(x));
  }

 private:
  double threshold_;
  Scalar x_ = scalar("x");
};

/// The same, differentiated forward.
class ForwardBranching final : public DensityModel<ForwardBranching> {
 public:
  static constexpr bool differentiates_forward = true;
  template <class S>
  S log_density(const Values<S>& v) const {
    const S x = v(x_);
    return value_of(x) < 0 ? S(-square(x)) : S(-2 * square(x));
  }

 private:
  Scalar x_ = scalar("x");
};

/// Its constants come from a value: no branch, and as wrong.
class Frozen final : public DensityModel<Frozen> {
 public:
  template <class S>
  S log_density(const Values<S>& v) const {
    return -value_of(v(x_)) * v(x_);
  }

 private:
  Scalar x_ = scalar("x");
};

/// Values at which functions overflow or are undefined.
class Extremes final : public DensityModel<Extremes> {
 public:
  template <class S>
  S log_density(const Values<S>& v) const {
    const S x = v(x_)[0];
    return exp(x) + log1p_exp(v(x_)[1]) - log_inv_logit(v(x_)[2]) + log(v(x_)[3]) +
           inv_logit(v(x_)[4]);
  }

 private:
  Vector x_ = vector("x", 5);
};

/// Rosenbrock's valley, U = (1 - x)^2 + 100 (y - x^2)^2.
class Valley final : public DensityModel<Valley> {
 public:
  template <class S>
  S log_density(const Values<S>& v) const {
    const S x = v(x_)[0];
    return -square(1 - x) - 100 * square(v(x_)[1] - square(x));
  }

 private:
  Vector x_ = vector("x", 2);
};

/// The density of a model.
class OwnLaw final : public Potential {
 public:
  explicit OwnLaw(const Model& model) : model_(model) {}
  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    model_.evaluate(theta, out);
  }
  const Model* as_model() const noexcept override { return &model_; }

 private:
  const Model& model_;
};

/// Its products with the Hessian have a share of another.
class WrongProducts final : public DensityModel<WrongProducts> {
 public:
  template <class S>
  S log_density(const Values<S>& v) const {
    return std_normal_lpdf(v(x_)) - 0.1 * pow(v(x_)[0], 4.0);
  }
  void multiply_hessian(ConstBatch theta, ConstBatch v, Batch out,
                        Workspace& scratch) const override {
    DensityModel::multiply_hessian(theta, v, out, scratch);
    out.row(1) += 1e-3 * v.row(0);
  }

 private:
  Vector x_ = vector("x", 2);
};

bool holds(const contracts::Findings& findings, const std::string& clause) {
  for (const contracts::Finding& one : findings)
    if (one.clause == clause) return one.holds;
  return false;
}

}  // namespace

TEST_CASE("derivatives in reverse are those by forward differentiation", "[density]") {
  for (const Index cases : {1, 7, 40}) {
    const Operations<false> reverse(cases);
    const Operations<true> forward(cases);
    for (const Index columns : {1, 3, 8, 9, 33, 70}) {
      const MatrixXd theta = 0.5 * normals(reverse.dimension(), columns, "theta");
      const auto a = support::evaluate(reverse, theta);
      const auto b = support::evaluate(forward, theta);
      INFO(cases << " cases, " << columns << " columns");
      CHECK(difference(a.u, b.u) < 1e-13);
      CHECK(difference(a.g, b.g) < 1e-13);
      CHECK(b.g.allFinite());
    }
  }
}

TEST_CASE("minibatches in reverse are those by forward differentiation, repeats and all",
          "[density]") {
  const Operations<false> reverse(40);
  const Operations<true> forward(40);
  for (const Index size : {1, 3, 16, 50}) {
    for (const Index columns : {1, 3, 20}) {
      const MatrixXd theta = 0.5 * normals(reverse.dimension(), columns, "theta");
      const MatrixXd indices = chosen(size, columns);
      const At a = terms(reverse, theta, indices);
      const At b = terms(forward, theta, indices);
      INFO(size << " cases, " << columns << " columns");
      CHECK(difference(a.u, b.u) < 1e-13);
      CHECK(difference(a.g, b.g) < 1e-13);
    }
  }
}

TEST_CASE("cases that read other values than those before them keep both", "[density]") {
  const ManyCases<false> reverse;
  const ManyCases<true> forward;
  for (const Index columns : {1, 20}) {
    const MatrixXd theta = normals(4, columns, "theta of many");
    CHECK(difference(support::evaluate(reverse, theta).g, support::evaluate(forward, theta).g) <
          1e-12);
    MatrixXd edges(5, columns);
    edges.colwise() = VectorXd{{2499, 0, 1499, 1500, 1501}};
    CHECK(difference(terms(reverse, theta, edges).g, terms(forward, theta, edges).g) < 1e-12);
  }
}

TEST_CASE("every case has its own constants, however many megabytes they are", "[density]") {
  const WideCases model;
  const MatrixXd theta = normals(4096, 1, "theta of wide");
  VectorXd sum = VectorXd::Zero(4096);
  for (Index n = 0; n < model.cases(); ++n) sum += WideCases::row(n);
  CHECK(difference(support::evaluate(model, theta).g, theta - sum) < 1e-12);
  for (const Index n : {0, 15, 16, 127, 128, 255, 256, 299}) {
    CAPTURE(n);
    const MatrixXd one = MatrixXd::Constant(1, 1, static_cast<double>(n));
    CHECK(difference(terms(model, theta, one).g, -WideCases::row(n)) < 1e-15);
  }
}

TEST_CASE("a column's minibatch is its own, in any order", "[density]") {
  const Operations<false> model(40);
  const MatrixXd theta = 0.5 * normals(model.dimension(), 5, "theta");
  const MatrixXd indices = chosen(17, 5);
  const At all = terms(model, theta, indices);
  const At alone = terms(model, theta.col(3), indices.col(3));
  CHECK(all.u[3] == alone.u[0]);
  CHECK(all.g.col(3) == alone.g);
  const At reversed = terms(model, theta, indices.colwise().reverse());
  CHECK(difference(all.g, reversed.g) < 1e-13);
  CHECK(difference(all.g, terms(model, theta, chosen(17, 5, 1)).g) > 0.01);  // other cases
}

TEST_CASE("all terms and the rest are the whole, and single terms are their gradients",
          "[density]") {
  const Operations<false> model(40);
  for (const Index columns : {1, 2, 9}) {
    const MatrixXd theta = 0.5 * normals(model.dimension(), columns, "theta");
    const MatrixXd indices = VectorXd::LinSpaced(40, 0, 39).replicate(1, columns);
    At sum = terms(model, theta, indices);
    At rest{Eigen::RowVectorXd(columns), MatrixXd(theta.rows(), columns)};
    Workspace scratch;
    model.offers<SumOfTerms>()->evaluate_rest(theta, {rest.u.data(), rest.g, scratch});
    const auto whole = support::evaluate(model, theta);
    CHECK(difference(sum.u + rest.u, whole.u) < 1e-13);
    CHECK(difference(sum.g + rest.g, whole.g) < 1e-13);
    MatrixXd each(theta.rows(), 40);
    model.offers<SumOfTerms>()->gradients_of_terms(theta.col(0), indices.col(0), each, scratch);
    CHECK(difference(each.rowwise().sum(), sum.g.col(0)) < 1e-13);
    CHECK(difference(each.col(7), terms(model, theta.col(0), MatrixXd::Constant(1, 1, 7)).g) <
          1e-13);
  }
}

TEST_CASE("products with the Hessian are differences of the gradient, for any lanes", "[density]") {
  for (const Index cases : {1, 40}) {
    const Operations<false> model(cases);
    for (const Index columns : {1, 5, 33}) {
      const MatrixXd theta = 0.5 * normals(model.dimension(), columns, "theta");
      const MatrixXd v = normals(model.dimension(), columns, "v");
      constexpr double h = 6e-6;
      const MatrixXd numeric =
          (support::evaluate(model, theta + h * v).g - support::evaluate(model, theta - h * v).g) /
          (2 * h);
      MatrixXd product(theta.rows(), columns);
      Workspace scratch;
      hessian_products(&model)->multiply_hessian(theta, v, product, scratch);
      INFO(cases << " cases, " << columns << " columns");
      CHECK(difference(product, numeric) < 1e-7);
    }
  }
  const Operations<true> forward(3);
  CHECK(hessian_products(&forward) == nullptr);
}

TEST_CASE("the Hessian of a density is exact, for two gradients a coordinate", "[density]") {
  const Valley valley;
  const OwnLaw law(valley);
  Workspace scratch;
  Evaluations spent;
  const Law counted(law, ConstMatrixMap(nullptr, 0, 1), &spent);
  const ColumnLaw column(counted, 0, scratch);
  const double x = 0.7;
  const double y = -0.4;
  const MatrixXd expected{{2 - 400 * y + 1200 * x * x, -400 * x}, {-400 * x, 200}};
  CHECK((hessian(column, Eigen::Vector2d(x, y)) - expected).norm() < 1e-12);
  CHECK(column.gradients() == 4);
  CHECK(spent.all == 4);
}

TEST_CASE("products with another matrix are told by the contract", "[density]") {
  CHECK(holds(contracts::check_model(Operations<false>(40)), "Hessian products"));
  CHECK_FALSE(holds(contracts::check_model(WrongProducts()), "Hessian products"));
  CHECK(holds(contracts::check_model(WrongProducts()), "gradient"));
}

TEST_CASE("a density of all operations keeps the contract of a model", "[density][slow]") {
  const auto findings = contracts::check_model(Operations<false>(40));
  INFO(contracts::report(findings));
  CHECK(contracts::all_hold(findings));
}

TEST_CASE("a density with an if on a value is refused by name, and differentiated forward",
          "[density]") {
  for (const double threshold : {-0.9, 0.0, 0.3, 0.87, 1.9}) {
    CAPTURE(threshold);
    CHECK_THROWS_WITH(
        support::evaluate(Branching(threshold), MatrixXd::Ones(1, 1)),
        Catch::Contains("log_likelihood of case 2 computes its density with different operations"));
  }
  CHECK_THROWS_WITH(support::evaluate(Frozen(), MatrixXd::Ones(1, 1)),
                    Catch::Contains("log_density computes its density with different operations"));
  const auto at = support::evaluate(ForwardBranching(), MatrixXd{{-1, 1}});
  CHECK(at.u == Eigen::RowVector2d(1, 2));
  CHECK(at.g == MatrixXd{{-2, 4}});
}

TEST_CASE("what overflows on a tape is what overflows in numbers", "[density]") {
  const double huge = 1e4;
  const MatrixXd theta{{0.1, huge, -huge, 0.1, 0.1, std::nan("")},
                       {0.1, 0.1, huge, -huge, 1e-300, 0.1},
                       {0.1, -40, 0.1, -huge, huge, 0.1},
                       {0.5, 1, 1, 2, 1e-300, 1},
                       {0.1, 0.1, huge, -huge, 40, 0.1}};
  const Extremes model;
  const auto at = support::evaluate(model, theta);
  Eigen::RowVectorXd alone(theta.cols());
  Workspace scratch;
  model.evaluate(theta, Evaluation::of_potential(alone.data(), theta, scratch));
  for (Index j = 0; j < theta.cols(); ++j) {
    INFO(j);
    if (std::isfinite(alone[j]))
      CHECK(std::abs(at.u[j] - alone[j]) <= 1e-13 * (1 + std::abs(alone[j])));
    else
      CHECK((std::isnan(alone[j]) ? std::isnan(at.u[j]) : at.u[j] == alone[j]));
    if (std::isfinite(alone[j])) CHECK(at.g.col(j).allFinite());
  }
}

TEST_CASE("trigamma is that of Boost where it is defined", "[density]") {
  for (const double x : {0.1, 1.0, 7.5, 1e5, -0.5})
    CHECK(trigamma(x) == Approx(boost::math::trigamma(x)).epsilon(1e-14));
  CHECK(std::isnan(trigamma(0)));
  CHECK(std::isnan(trigamma(-3)));
  CHECK(trigamma(HUGE_VAL) == 0);
}
