// Pairs, limits and forms of the quasi-Newton estimators, on hand-made memories.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/contracts/preconditioner.hpp>
#include <mixwell/estimator.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <optional>
#include <span>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

constexpr const char* forms[] = {"bfgs", "lbfgs", "product-form"};

/// The keys of the estimators.
struct Keys {
  std::optional<double> gamma = {};
  std::optional<Interval> eigenvalues = {};
  bool sort = true;
  double curvature_test = 1e-6;
};

std::shared_ptr<const FittedPreconditioner> make(const std::string& id, const Keys& keys = {}) {
  const auto blueprint = support::registry().find(Kind::estimator, id).blueprint();
  const auto target = [&](const char* key) { return blueprint->fields().find(key)->target(); };
  *std::get<std::optional<double>*>(target("gamma")) = keys.gamma;
  *std::get<std::optional<Interval>*>(target("eigenvalues")) = keys.eigenvalues;
  *std::get<bool*>(target("sort")) = keys.sort;
  *std::get<double*>(target("curvature_test")) = keys.curvature_test;
  return std::dynamic_pointer_cast<const FittedPreconditioner>(
      std::shared_ptr<const Component>(blueprint->make()));
}

/// One column of points, with gradients and potentials.
class Points {
 public:
  Points& add(const Eigen::VectorXd& theta, const Eigen::VectorXd& g, double u = 0.0) {
    thetas_.push_back(theta);
    gradients_.push_back(g);
    potentials_.push_back(u);
    return *this;
  }
  Points& add_quadratic(const Eigen::MatrixXd& A, const Eigen::VectorXd& theta) {
    return add(theta, A * theta, 0.5 * theta.dot(A * theta));
  }

  Eigen::MatrixXd fit(const FittedPreconditioner& estimator) const {
    std::vector<const double*> from;
    for (const auto& x : thetas_) from.push_back(x.data());
    for (const auto& x : gradients_) from.push_back(x.data());
    for (const auto& x : potentials_) from.push_back(&x);
    const std::span<const double* const> all(from);
    const std::size_t n = thetas_.size();
    const Index d = thetas_.front().size();
    Eigen::MatrixXd numbers(estimator.rows(d, static_cast<Index>(n)), 1);
    Workspace scratch;
    estimator.fit({d, 1, all.first(n), all.subspan(n, n), all.last(n)}, numbers, scratch);
    return numbers;
  }
  Index dimension() const { return thetas_.front().size(); }

 private:
  std::vector<Eigen::VectorXd> thetas_;
  std::vector<Eigen::VectorXd> gradients_;
  std::vector<double> potentials_;
};

using Product = void (Representation::*)(const Numbers&, ConstBatch, Batch, Workspace&) const;

Eigen::MatrixXd matrix(const FittedPreconditioner& estimator, const Points& points,
                       Product product) {
  const Eigen::MatrixXd numbers = points.fit(estimator);
  const Index d = points.dimension();
  Workspace scratch;
  Eigen::MatrixXd out(d, d);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(d, d);
  ((*estimator.representation()).*product)(ConstMatrixMap(numbers.data(), numbers.rows(), 1),
                                           identity, out, scratch);
  return out;
}

Eigen::MatrixXd H_of(const FittedPreconditioner& estimator, const Points& points) {
  return matrix(estimator, points, &Representation::H);
}

double log_det(const FittedPreconditioner& estimator, const Points& points) {
  const Eigen::MatrixXd numbers = points.fit(estimator);
  Eigen::RowVectorXd out(1);
  Workspace scratch;
  estimator.representation()->log_det_H(ConstMatrixMap(numbers.data(), numbers.rows(), 1),
                                        points.dimension(), out, scratch);
  return out(0);
}

double distance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).norm() / b.norm();
}

Eigen::VectorXd normal_vector(Index d, std::uint64_t k) {
  Eigen::MatrixXd z(d, 1);
  Stream(23, "test/quasi-newton").normals({k, 0, 0}, z);
  return z;
}

/// Symmetric with eigenvalues 1, 2, ..., d.
Eigen::MatrixXd positive_matrix(Index d) {
  Eigen::MatrixXd z(d, d);
  Stream(29, "test/quasi-newton").normals({}, z);
  const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(z).householderQ();
  return Q * Eigen::VectorXd::LinSpaced(d, 1, static_cast<double>(d)).asDiagonal() * Q.transpose();
}

/// Points of a random quadratic, U in no order.
Points quadratic_points(Index d, std::uint64_t n) {
  const Eigen::MatrixXd A = positive_matrix(d);
  Points points;
  for (std::uint64_t k = 0; k < n; ++k) points.add_quadratic(A, normal_vector(d, k));
  return points;
}

/// The same in the plane, from numbers of U = (x^2 + 4 y^2) / 2.
Points& at(Points& points, double x, double y) {
  return points.add(Eigen::Vector2d(x, y), Eigen::Vector2d(x, 4 * y), 0.5 * x * x + 2 * y * y);
}

/// The textbook update, in whole matrices.
Eigen::MatrixXd updated(const Eigen::MatrixXd& H, const Eigen::VectorXd& s,
                        const Eigen::VectorXd& y) {
  const double sy = s.dot(y);
  const Eigen::MatrixXd V = Eigen::MatrixXd::Identity(s.size(), s.size()) - y * s.transpose() / sy;
  return V.transpose() * H * V + s * s.transpose() / sy;
}

}  // namespace

TEST_CASE("the three forms are one preconditioner, for few and many pairs") {
  for (const std::uint64_t n : {1, 2, 5, 12}) {
    for (const Keys& keys :
         {Keys{}, Keys{.gamma = 0.7, .sort = false}, Keys{.eigenvalues = Interval(0.2, 0.8)}}) {
      const Points points = quadratic_points(8, n);
      const auto dense = make("bfgs", keys);
      for (const char* id : {"lbfgs", "product-form"}) {
        INFO(id << " " << n << " points");
        const auto limited = make(id, keys);
        for (const Product product : {&Representation::H, &Representation::B, &Representation::S,
                                      &Representation::St, &Representation::C}) {
          CHECK(distance(matrix(*limited, points, product), matrix(*dense, points, product)) <
                1e-10);
        }
        CHECK(log_det(*limited, points) == Approx(log_det(*dense, points)).margin(1e-10));
      }
    }
  }
}

TEST_CASE("log det H is that of the matrix") {
  const Points points = quadratic_points(7, 6);
  for (const char* id : forms) {
    const auto estimator = make(id);
    const Eigen::LLT<Eigen::MatrixXd> cholesky(H_of(*estimator, points));
    const Eigen::MatrixXd L = cholesky.matrixL();
    CHECK(log_det(*estimator, points) ==
          Approx(2 * L.diagonal().array().log().sum()).margin(1e-11));
  }
}

TEST_CASE("without pairs the preconditioner is gamma, or 1") {
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(2, 2);
  Points lonely;
  at(lonely, 1, 2);
  Points twice = lonely;
  at(twice, 1, 2);
  for (const char* id : forms) {
    for (const Points& points : {lonely, twice}) {
      CHECK(distance(H_of(*make(id), points), identity) == 0.0);
      CHECK(distance(H_of(*make(id, {.gamma = 0.25}), points), 0.25 * identity) < 1e-15);
      CHECK(distance(H_of(*make(id, {.eigenvalues = Interval(2, 3)}), points), 2 * identity) <
            1e-15);
    }
  }
}

TEST_CASE("gamma is s'y over y'y of the newest pair") {
  Points points;
  at(at(at(points, 3, 2), 1, 1), 1, 0);  // newest: s = (0, -1), y = (0, -4)
  const Eigen::VectorXd s = Eigen::Vector2d(-2, -1);
  const Eigen::MatrixXd first =
      updated(0.25 * Eigen::MatrixXd::Identity(2, 2), s, Eigen::Vector2d(-2, -4));
  const Eigen::MatrixXd wanted = updated(first, Eigen::Vector2d(0, -1), Eigen::Vector2d(0, -4));
  for (const char* id : forms) CHECK(distance(H_of(*make(id), points), wanted) < 1e-14);
}

TEST_CASE("points are sorted by descending U and equal ones keep their order") {
  Points shuffled;
  at(at(at(at(shuffled, 1, 0), 0, 3), -1, 0), 2, 1);
  Points sorted;  // U = 18, 4, 1/2, 1/2
  at(at(at(at(sorted, 0, 3), 2, 1), 1, 0), -1, 0);
  Points swapped;
  at(at(at(at(swapped, 0, 3), 2, 1), -1, 0), 1, 0);
  for (const char* id : forms) {
    const auto sorting = make(id);
    const auto taking = make(id, {.sort = false});
    CHECK(shuffled.fit(*sorting) == sorted.fit(*taking));
    CHECK(shuffled.fit(*sorting) == sorted.fit(*sorting));
    CHECK(shuffled.fit(*taking) != sorted.fit(*taking));
    CHECK(shuffled.fit(*sorting) != swapped.fit(*taking));
    CHECK(sorting->reads_potentials());
    CHECK_FALSE(taking->reads_potentials());
  }
}

TEST_CASE("a point that fails the curvature test is dropped and its predecessor tried again") {
  const Eigen::Vector2d far(9, 9);
  Points with;  // the second point would have s'y < 0 with the first
  with.add(Eigen::Vector2d(2, 1), Eigen::Vector2d(2, 4), 4);
  with.add(far, Eigen::Vector2d(0, 0), 3);
  with.add(Eigen::Vector2d(1, 0), Eigen::Vector2d(1, 0), 2);
  Points without;
  without.add(Eigen::Vector2d(2, 1), Eigen::Vector2d(2, 4), 4);
  without.add(Eigen::Vector2d(1, 0), Eigen::Vector2d(1, 0), 2);
  for (const char* id : forms) {
    CHECK(distance(H_of(*make(id), with), H_of(*make(id), without)) == 0.0);
  }
}

TEST_CASE("the curvature test is relative to the lengths of s and y") {
  for (const double scale : {1e-60, 1.0, 1e60}) {
    for (const double cosine : {0.4e-3, 0.6e-3}) {
      Points points;
      points.add(Eigen::Vector2d(0, 0), Eigen::Vector2d(0, 0), 1);
      points.add(scale * Eigen::Vector2d(1, 0), scale * Eigen::Vector2d(cosine, 1), 0);
      for (const char* id : forms) {
        const Eigen::MatrixXd H = H_of(*make(id, {.curvature_test = 0.5e-3}), points);
        CHECK((H == Eigen::MatrixXd::Identity(2, 2)) == (cosine < 0.5e-3));
      }
    }
  }
}

TEST_CASE("points that are not finite are passed over") {
  Points with;
  with.add(Eigen::Vector2d(1, NAN), Eigen::Vector2d(1, 1), 9);
  Points clean;
  for (Points* points : {&with, &clean}) {
    at(*points, 3, 2);
    if (points == &with) {
      points->add(Eigen::Vector2d(0, 0), Eigen::Vector2d(INFINITY, 0), 7);
      points->add(Eigen::Vector2d(0, 0), Eigen::Vector2d(0, 0), NAN);
    }
    at(*points, 1, 1);
  }
  for (const char* id : forms) {
    CHECK(H_of(*make(id), with) == H_of(*make(id), clean));
  }
}

TEST_CASE("conjugate pairs that span the space recover the inverse Hessian") {
  // Along the eigenvectors of A the secant equations of all pairs hold together.
  constexpr Index d = 6;
  const Eigen::MatrixXd A = positive_matrix(d);
  const Eigen::MatrixXd directions =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A).eigenvectors();
  Points points;
  Eigen::VectorXd theta = normal_vector(d, 0);
  points.add_quadratic(A, theta);
  for (Index k = 0; k < d; ++k) {
    theta += (1.0 + static_cast<double>(k)) * directions.col(k);
    points.add_quadratic(A, theta);
  }
  for (const char* id : forms) {
    const auto estimator = make(id, {.sort = false});
    CHECK(distance(H_of(*estimator, points), A.inverse()) < 1e-12);
    CHECK(distance(matrix(*estimator, points, &Representation::B), A) < 1e-12);
    CHECK(log_det(*estimator, points) == Approx(-std::lgamma(d + 1.0)).epsilon(1e-12));
  }
}

TEST_CASE("the preconditioner follows a change of coordinates") {
  // theta -> A theta with gradients A^-T g takes H0 = gamma I to gamma A A'. An orthogonal A keeps
  // H0, and H becomes A H A'; so does a shift of theta and a constant added to U.
  constexpr Index d = 5;
  Eigen::MatrixXd z(d, d);
  Stream(31, "test/quasi-newton").normals({}, z);
  const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(z).householderQ();
  const Eigen::MatrixXd A = positive_matrix(d);
  Points here;
  Points there;
  for (std::uint64_t k = 0; k < 5; ++k) {
    const Eigen::VectorXd theta = normal_vector(d, k);
    const double u = 0.5 * theta.dot(A * theta);
    here.add(theta, A * theta, u);
    there.add(Q * theta + Eigen::VectorXd::Ones(d), Q * A * theta, u + 3.0);
  }
  for (const char* id : forms) {
    const auto estimator = make(id);
    CHECK(distance(H_of(*estimator, there), Q * H_of(*estimator, here) * Q.transpose()) < 1e-12);
  }
}

TEST_CASE("eigenvalues stay within their limits, and only pairs that break them are left out") {
  const Points points = quadratic_points(8, 12);
  const auto spectrum = [&](const char* id, const Keys& keys) {
    const auto estimator = make(id, keys);
    return Eigen::VectorXd(
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H_of(*estimator, points)).eigenvalues());
  };
  for (const char* id : forms) {
    const Eigen::VectorXd free = spectrum(id, {.gamma = 0.3});
    CHECK(free.minCoeff() < 0.16);
    CHECK(free.maxCoeff() > 0.6);
    for (const auto& [low, high] :
         {Interval(0.15, 0.5), Interval(0.155, 1e9), Interval(1e-9, 0.4)}) {
      const Eigen::VectorXd e = spectrum(id, {.gamma = 0.3, .eigenvalues = Interval(low, high)});
      INFO(id << " " << low << " " << high << ": " << e.transpose());
      CHECK(e.minCoeff() >= low * (1 - 2e-9));
      CHECK(e.maxCoeff() <= high * (1 + 2e-9));
      CHECK(e.maxCoeff() > 1.1 * e.minCoeff());  // some pairs were taken
    }
    CHECK(spectrum(id, {.gamma = 0.3, .eigenvalues = Interval(1e-6, 1e6)}) == free);
  }
}

TEST_CASE("limits that contradict each other are refused") {
  CHECK_THROWS_WITH(make("bfgs", {.eigenvalues = Interval(2, 1)}), Catch::Contains("low <= high"));
  CHECK_THROWS_WITH(make("lbfgs", {.gamma = 3, .eigenvalues = Interval(1, 2)}),
                    Catch::Contains("must be within the limits `eigenvalues`"));
}

namespace {

/// Any matrices as a preconditioner: numbers H, B, S, C, log det H.
class Matrices final : public Representation {
 public:
  void H(const Numbers& n, ConstBatch v, Batch out, Workspace&) const override { go(n, 0, v, out); }
  void B(const Numbers& n, ConstBatch v, Batch out, Workspace&) const override { go(n, 1, v, out); }
  void S(const Numbers& n, ConstBatch v, Batch out, Workspace&) const override { go(n, 2, v, out); }
  void C(const Numbers& n, ConstBatch v, Batch out, Workspace&) const override { go(n, 3, v, out); }
  void St(const Numbers& n, ConstBatch v, Batch out, Workspace&) const override {
    for (Index j = 0; j < v.cols(); ++j) {
      out.col(j) = of(n, 2, v.rows(), j).transpose() * v.col(j);
    }
  }
  void log_det_H(const Numbers& n, Index d, Row out, Workspace&) const override {
    for (Index j = 0; j < out.cols(); ++j) out(j) = n.column(j)[4 * d * d];
  }

 private:
  static ConstMatrixMap of(const Numbers& n, Index which, Index d, Index j) {
    return {n.column(j) + which * d * d, d, d};
  }
  static void go(const Numbers& n, Index which, ConstBatch v, Batch out) {
    for (Index j = 0; j < v.cols(); ++j) out.col(j) = of(n, which, v.rows(), j) * v.col(j);
  }
};

/// Formulas of one update as a paper may print them.
struct Printed {
  bool swapped = false;  ///< of H: the factors swapped and s s' not divided by s'y
  double sign_y = 1.0;   ///< q = sign_y y + sign_Bs sqrt(.) B s
  double sign_Bs = 1.0;
  bool By = false;  ///< s'B y for s'B s under the root
};

Eigen::VectorXd updates(const Printed& how, Index d, std::uint64_t pairs) {
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(d, d);
  const Eigen::MatrixXd A = positive_matrix(d);
  Eigen::MatrixXd H = I;
  Eigen::MatrixXd S = I;
  Eigen::MatrixXd C = I;
  for (std::uint64_t k = 0; k < pairs; ++k) {
    const Eigen::VectorXd s = normal_vector(d, k);
    const Eigen::VectorXd y = A * s;
    const double sy = s.dot(y);
    const Eigen::VectorXd Bs = C * (C.transpose() * s);
    const double root = std::sqrt(sy / std::abs(how.By ? Bs.dot(y) : Bs.dot(s)));
    const Eigen::VectorXd q = how.sign_y * y + how.sign_Bs * root * Bs;
    const Eigen::VectorXd u = Bs + y / root;
    const Eigen::MatrixXd V = I - s * y.transpose() / sy;
    H = how.swapped ? Eigen::MatrixXd(V.transpose() * H * V + s * s.transpose())
                    : Eigen::MatrixXd(V * H * V.transpose() + s * s.transpose() / sy);
    S = (I - s * q.transpose() / sy) * S;
    C = (I - u * s.transpose() / Bs.dot(s)) * C;
  }
  Eigen::VectorXd numbers(4 * d * d + 1);
  Eigen::Map<Eigen::MatrixXd>(numbers.data(), d, 4 * d) << H, H.inverse(), S, C;
  numbers(4 * d * d) = std::log(H.determinant());
  return numbers;
}

/// The clauses that a representation of these numbers breaks.
std::vector<std::string> broken(const Printed& how) {
  std::vector<std::string> names;
  for (const contracts::Finding& finding :
       contracts::check_representation(Matrices(), updates(how, 6, 3), 6)) {
    if (!finding.holds) names.push_back(finding.clause);
  }
  return names;
}

}  // namespace

TEST_CASE("misprinted updates break the contract of preconditioners and the right one does not") {
  using Names = std::vector<std::string>;
  CHECK(broken({}).empty());
  CHECK(broken({.swapped = true}) == Names{"S S' = H", "C C' = B"});
  CHECK(broken({.sign_Bs = -1}) == Names{"C S' = I"});
  CHECK(broken({.sign_y = -1}) == Names{"S S' = H", "C S' = I"});
  CHECK(broken({.By = true}).front() == "S S' = H");
  CHECK(broken({.sign_y = -1, .By = true}).front() == "S S' = H");
}

TEST_CASE("the update with swapped factors misses the secant equation") {
  constexpr Index d = 6;
  const Eigen::VectorXd s = normal_vector(d, 0);
  const Eigen::VectorXd y = positive_matrix(d) * s;
  const auto error = [&](const Printed& how) {
    const Eigen::VectorXd numbers = updates(how, d, 1);
    return (ConstMatrixMap(numbers.data(), d, d) * y - s).norm() / s.norm();
  };
  CHECK(error({}) < 1e-14);
  CHECK(error({.swapped = true}) > 0.1);
}
