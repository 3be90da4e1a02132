// Models that are written as a log density: the contract, matrix distributions, terms, errors.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/contracts/model.hpp>
#include <mixwell/density.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>

#include <cmath>

namespace {

using namespace mixwell;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::contains;
namespace bm = boost::math;

/// Values of parameters by themselves, for densities as doubles.
struct Given {
  VectorXd x;
  Workspace scratch{};
  std::shared_ptr<const std::string> name = std::make_shared<const std::string>("given");

  VectorView<double> vector() { return values()(VectorParameter{0, x.size(), name}); }
  MatrixView<double> matrix(Index rows, Index cols) {
    return values()(MatrixParameter{0, rows, cols, name});
  }
  Values<double> values() { return {x.data(), 0, scratch}; }
};

VectorXd row_by_row(const MatrixXd& matrix) { return matrix.transpose().reshaped(); }

/// Counts with a mean e^(alpha + x beta + b_group), all constraints, and matrix distributions.
class Counts final : public DensityModel<Counts> {
 public:
  explicit Counts(double spoilt = 0) : X_(2, 30), y_(30) {
    Stream(2, "test/counts").normals({}, X_);
    for (Index n = 0; n < y_.size(); ++n) y_[n] = static_cast<double>((7 * n) % 5);
    if (spoilt != 0) y_[17] = spoilt;
  }

  template <class S>
  S log_prior(const Values<S>& v) const {
    const MatrixXd factor{{1, 0}, {0.3, 2}};
    return normal_lpdf(v(alpha), 0, 2) + std_normal_lpdf(v(beta)) + exponential_lpdf(v(tau), 1) +
           normal_lpdf(v(b), 0, v(tau)) + dirichlet_lpdf(v(p), 2) +
           dirichlet_lpdf(v(p), Eigen::Vector3d(1, 2, 1.5)) + lkj_corr_cholesky_lpdf(v(L), 1.5) +
           wishart_cholesky_lpdf(v(W), 5, factor) +
           multi_normal_cholesky_lpdf(v(beta), Eigen::Vector2d(0.5, 1), v(W)) +
           categorical_logit_lpmf(1, v(b));
  }
  Index cases() const { return y_.size(); }
  template <class S>
  S log_likelihood(const Values<S>& v, Index n) const {
    return poisson_log_lpmf(y_[n], v(alpha) + dot(X_.col(n), v(beta)) + v(b)[n % 4] * v(L)(2, 1));
  }

 private:
  MatrixXd X_;
  VectorXd y_;
  Scalar alpha = scalar("alpha");
  Vector beta = vector("beta", 2);
  Scalar tau = scalar("tau", Constraint::positive());
  Vector b = vector("b", 4);
  Vector p = vector("p", 3, Constraint::simplex());
  Matrix L = matrix("L", 4, 4, Constraint::cholesky_correlation());
  Matrix W = matrix("W", 2, 2, Constraint::cholesky_covariance());
};

/// A density that is no sum, of two numbers.
class Small final : public DensityModel<Small> {
 public:
  explicit Small(Index read = 1) : read_(read) {}
  template <class S>
  S log_density(const Values<S>& v) const {
    const S one = v(x)[read_];
    return select(one < 0, -square(one), -2 * square(one)) - square(v(x)[0] - one);
  }

 private:
  Index read_;
  Vector x = vector("x", 2);
};

}  // namespace

TEST_CASE("a density keeps the contract of a model, whole and by its terms", "[density][slow]") {
  const auto findings = contracts::check_model(Counts());
  INFO(contracts::report(findings));
  CHECK(contracts::all_hold(findings));
  CHECK(Counts().offers<SumOfTerms>() != nullptr);
  CHECK(Counts().offers<SumOfTerms>()->terms() == 30);
}

TEST_CASE("a density that is no sum keeps the contract and offers no terms", "[density]") {
  const auto findings = contracts::check_model(Small());
  INFO(contracts::report(findings));
  CHECK(contracts::all_hold(findings));
  CHECK(Small().offers<SumOfTerms>() == nullptr);
  CHECK(support::evaluate(Small(), MatrixXd{{1, 1}, {-1, 1}}).u == Eigen::RowVector2d(5, 2));
}

TEST_CASE("a case whose density is no number is named", "[density]") {
  const VectorXd somewhere = VectorXd::Constant(Counts().dimension(), 0.1);
  CHECK(Counts().trouble_at(somewhere).empty());
  CHECK(Counts(-1).trouble_at(somewhere) == "log_likelihood of case 17 is nan");
  VectorXd far = somewhere;
  far[0] = std::nan("");
  CHECK(Counts().trouble_at(far) == "log_prior is nan");
  CHECK(Small().trouble_at(VectorXd::Constant(2, HUGE_VAL)).substr(0, 14) == "log_density is");
}

TEST_CASE("reading beyond a parameter is told with its name", "[density]") {
  CHECK_THROWS_WITH(support::evaluate(Small(2), MatrixXd::Ones(2, 1)),
                    Catch::Contains("reads element 2 of `x`, which has 2 elements"));
  Given given{VectorXd::Ones(4)};
  CHECK_THROWS_AS(given.matrix(2, 2)(2, 0), RunError);
  CHECK_THROWS_AS(given.matrix(2, 2)(0, -1), RunError);
  CHECK_THROWS_WITH(dot(VectorXd::Ones(3), given.vector()),
                    Catch::Contains("dot() was called with 3 constants and 4 values"));
}

TEST_CASE("reading what was never declared is told, and is not the first parameter", "[density]") {
  const VectorXd x = VectorXd::Ones(3);
  Workspace scratch;
  const Values<double> values(x.data(), 0, scratch);
  const std::string rule = "reads a parameter that was never declared";
  CHECK_THROWS_WITH(values(ScalarParameter()), Catch::Contains(rule));
  CHECK_THROWS_WITH(values(VectorParameter()), Catch::Contains(rule));
  CHECK_THROWS_WITH(values(MatrixParameter()), Catch::Contains(rule));
}

TEST_CASE("the product with constants has them for derivatives", "[density]") {
  const VectorXd x = VectorXd::LinSpaced(40, -1, 2);
  const VectorXd a = VectorXd::LinSpaced(40, 3, -1);
  Workspace scratch;
  const VectorParameter all{1, 39, std::make_shared<const std::string>("x")};
  const VectorXd b = a.tail(39);
  for (const Index first : {0, 8, 16, 32}) {
    const Values<Dual<8>> values(x.data(), first, scratch);
    const Dual<8> product = dot(b, values(all));
    CHECK(product.value == Approx(b.dot(x.tail(39))));
    CHECK(dot(b.transpose(), values(all)).value == Approx(product.value));
    Dual<8> singly = 0;
    for (Index i = 0; i < 39; ++i) singly += b[i] * values(all)[i];
    CHECK((product.slopes - singly.slopes).abs().maxCoeff() < 1e-15);
    CHECK(product.slopes.abs().maxCoeff() > 0);
  }
}

TEST_CASE("a Dirichlet density is that of betas one after the other", "[density]") {
  const VectorXd alpha{{1.5, 2.5, 0.7}};
  for (const auto& x : {Eigen::Vector3d(0.2, 0.3, 0.5), Eigen::Vector3d(0.7, 0.1, 0.2)}) {
    Given given{x};
    const double rest = 1 - x[0];
    const double expected =
        std::log(bm::pdf(bm::beta_distribution<>(alpha[0], alpha[1] + alpha[2]), x[0])) +
        std::log(bm::pdf(bm::beta_distribution<>(alpha[1], alpha[2]), x[1] / rest) / rest);
    CHECK(dirichlet_lpdf(given.vector(), alpha) == Approx(expected));
    CHECK(dirichlet_lpdf(given.vector(), 2) ==
          Approx(dirichlet_lpdf(given.vector(), VectorXd::Constant(3, 2))));
  }
}

// |v|^2 of row i is Beta(i / 2, eta + (K - 1 - i) / 2), and its direction uniform.
TEST_CASE("a density of correlations is that of its rows", "[density]") {
  const double eta = 1.7;
  const MatrixXd L{{1, 0, 0}, {0.6, 0.8, 0}, {-0.3, 0.4, std::sqrt(0.75)}};
  Given given{row_by_row(L)};
  double expected = 0;
  for (Index i = 1; i < 3; ++i) {
    const double s = L.row(i).head(i).squaredNorm();
    const double half = 0.5 * static_cast<double>(i);
    const bm::beta_distribution<> law(half, eta + 0.5 * static_cast<double>(2 - i));
    expected += std::log(bm::pdf(law, s)) + std::lgamma(half) - half * std::log(M_PI) +
                (1 - half) * std::log(s);
  }
  CHECK(lkj_corr_cholesky_lpdf(given.matrix(3, 3), eta) == Approx(expected));
}

TEST_CASE("a density of normals with a factor is that with the covariance", "[density]") {
  const MatrixXd L{{1.5, 0, 0}, {0.6, 0.8, 0}, {-0.3, 0.4, 2}};
  Given given{row_by_row(L)};
  const VectorXd y{{1, -2, 0.5}};
  const VectorXd mu{{0.3, 0, 1}};
  const MatrixXd covariance = L * L.transpose();
  const double expected = -0.5 * (y - mu).dot(covariance.inverse() * (y - mu)) -
                          0.5 * std::log((2 * M_PI * covariance).determinant());
  CHECK(multi_normal_cholesky_lpdf(y, mu, given.matrix(3, 3)) == Approx(expected));
}

// With W = F A (F A)^T: A has normals below the diagonal, roots of chi-squares on it (Bartlett).
TEST_CASE("a Wishart density of a factor is Bartlett's", "[density]") {
  const MatrixXd F{{1.2, 0, 0}, {0.4, 0.7, 0}, {-0.5, 0.1, 1.6}};
  const MatrixXd L{{2, 0, 0}, {0.6, 1.8, 0}, {-0.3, 0.4, 2.2}};
  const MatrixXd A = F.inverse() * L;
  const double nu = 4.5;
  double expected = 0;
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < i; ++j) expected += std::log(bm::pdf(bm::normal(), A(i, j)));
    const bm::chi_squared law(nu - static_cast<double>(i));
    expected += std::log(2 * A(i, i) * bm::pdf(law, A(i, i) * A(i, i)));
    expected -= static_cast<double>(i + 1) * std::log(F(i, i));
  }
  Given given{row_by_row(L)};
  CHECK(wishart_cholesky_lpdf(given.matrix(3, 3), nu, F) == Approx(expected));
}

TEST_CASE("probabilities of categories sum to 1", "[density]") {
  Given given{VectorXd{{-700, 2, 710}}};
  double sum = 0;
  for (Index k = 0; k < 3; ++k) sum += std::exp(categorical_logit_lpmf(k, given.vector()));
  CHECK(sum == Approx(1));
  CHECK(categorical_logit_lpmf(1, given.vector()) == Approx(-708));
}
