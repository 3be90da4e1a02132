// The contract of every preconditioner representation, and of every estimator.
// SPDX-License-Identifier: Apache-2.0
#include "measured.hpp"
#include "preconditioner_clauses.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/contracts/preconditioner.hpp>
#include <mixwell/kernel/momentum.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace mixwell::contracts {
namespace {

constexpr double tolerance = 1e-10;

using Product = void (Representation::*)(const Numbers&, ConstBatch, Batch, Workspace&) const;

/// The d x d matrix of a product, with column `column` of the numbers.
MatrixXd dense(const Representation& how, Product product, ConstBatch numbers, Index d,
               Index column) {
  Workspace scratch;
  MatrixXd matrix(d, d);
  const MatrixXd own = numbers.middleCols(column, 1);
  const Numbers shared(ConstMatrixMap(own.data(), own.rows(), 1));
  for (Index i = 0; i < d; ++i) {
    const MatrixXd unit = Eigen::VectorXd::Unit(d, i);
    MatrixXd image(d, 1);
    (how.*product)(shared, unit, image, scratch);
    matrix.col(i) = image;
  }
  return matrix;
}

Finding equal(const std::string& clause, const MatrixXd& a, const MatrixXd& b) {
  const double error = (a - b).norm() / (1.0 + b.norm());
  return {clause, error <= tolerance, "relative error " + std::to_string(error)};
}

/// |a - b| <= 1e-12 |scale|, and neither is NaN.
Finding same(const std::string& clause, const MatrixXd& a, const MatrixXd& b,
             const MatrixXd& scale) {
  return relative_error(clause, (a - b).norm() / scale.norm(), 1e-12);
}

double log_det(const Representation& how, ConstBatch numbers, Index d, Index column) {
  Workspace scratch;
  RowVectorXd out(1);
  const MatrixXd own = numbers.middleCols(column, 1);
  how.log_det_H(ConstMatrixMap(own.data(), own.rows(), 1), d, out, scratch);
  return out(0);
}

Findings check_column(const Representation& how, ConstBatch numbers, Index d, Index column) {
  const MatrixXd identity = MatrixXd::Identity(d, d);
  const auto H = dense(how, &Representation::H, numbers, d, column);
  const auto B = dense(how, &Representation::B, numbers, d, column);
  const auto S = dense(how, &Representation::S, numbers, d, column);
  const auto St = dense(how, &Representation::St, numbers, d, column);
  const auto C = dense(how, &Representation::C, numbers, d, column);
  const Eigen::LLT<MatrixXd> cholesky(H);
  const MatrixXd lower = cholesky.matrixL();
  const double wanted = 2.0 * lower.diagonal().array().log().sum();
  const double found = log_det(how, numbers, d, column);
  return {equal("H B = I", H * B, identity),
          equal("H is symmetric", H, H.transpose()),
          equal("S S' = H", S * S.transpose(), H),
          equal("St is the transpose of S", St, S.transpose()),
          equal("C C' = B", C * C.transpose(), B),
          equal("C S' = I", C * St, identity),
          {"H is positive definite", cholesky.info() == Eigen::Success, ""},
          equal("log det H", MatrixXd::Constant(1, 1, found), MatrixXd::Constant(1, 1, wanted))};
}

/// Compares products of all columns at once, in reverse order, with products of each column by
/// itself.
void check_regrouping(const Representation& how, ConstBatch numbers, Index d, Findings& findings) {
  const Index w = numbers.cols();
  std::vector<Index> order;
  for (Index k = w; k-- > 0;) order.push_back(k);
  const ConstMatrixMap all(numbers.data(), numbers.rows(), w);
  MatrixXd v(d, w);
  Stream(11, "contracts/regrouping").normals({0, 0, 0}, v);
  Workspace scratch;
  const std::pair<const char*, Product> products[] = {{"H", &Representation::H},
                                                      {"B", &Representation::B},
                                                      {"S", &Representation::S},
                                                      {"St", &Representation::St},
                                                      {"C", &Representation::C}};
  for (const auto& [name, product] : products) {
    MatrixXd together(d, w);
    (how.*product)(Numbers(all).regrouped(order.data()), v, together, scratch);
    MatrixXd alone(d, w);
    for (Index k = 0; k < w; ++k) {
      alone.col(k) = dense(how, product, numbers, d, order[static_cast<std::size_t>(k)]) * v.col(k);
    }
    findings.push_back(
        equal(std::string(name) +
                  " gives the same products for all columns together and for each separately",
              together, alone));
  }
}

/// Points with U and gradient, for each column.
struct SimulatedMemory {
  SimulatedMemory(Index d, Index columns) : d_(d), columns_(columns) {}

  void add(const MatrixXd& theta, const RowVectorXd& u, const MatrixXd& g) {
    thetas.push_back(theta);
    potentials.push_back(u);
    gradients.push_back(g);
  }
  /// Valid until the memory changes or view() is called again.
  Memory view() {
    pointers_.clear();
    for (const auto& m : thetas) pointers_.push_back(m.data());
    for (const auto& m : gradients) pointers_.push_back(m.data());
    for (const auto& m : potentials) pointers_.push_back(m.data());
    const std::span<const double* const> all(pointers_);
    const std::size_t n = thetas.size();
    return {d_, columns_, all.first(n), all.subspan(n, n), all.last(n)};
  }

  std::vector<MatrixXd> thetas;
  std::vector<MatrixXd> gradients;
  std::vector<RowVectorXd> potentials;

 private:
  Index d_;
  Index columns_;
  std::vector<const double*> pointers_;
};

/// The k-th of a sequence of standard normal matrices.
MatrixXd normal_matrix(Index rows, Index columns, Index k) {
  MatrixXd z(rows, columns);
  Stream(7, "contracts/estimator").normals({static_cast<std::uint64_t>(k), 0, 0}, z);
  return z;
}

/// U = sum theta_i^4 / 4 at standard normal points.
SimulatedMemory quartic_memory(Index d, Index columns, Index points) {
  SimulatedMemory memory(d, columns);
  for (Index k = 0; k < points; ++k) {
    const MatrixXd theta = normal_matrix(d, columns, k);
    memory.add(theta, 0.25 * theta.array().pow(4).colwise().sum(), theta.array().cube());
  }
  return memory;
}

/// U = sum -theta_i^2 + theta_i^4 / 4, concave within |theta_i| < 0.8, at points in order of
/// descending U. In this order, both ways to pair points give the same pairs.
SimulatedMemory indefinite_memory(Index d, Index columns, Index points) {
  const auto potential = [](const auto& theta) {
    return (theta.array().pow(4) / 4 - theta.array().square()).sum();
  };
  std::vector<MatrixXd> sorted(static_cast<std::size_t>(points));
  for (Index k = 0; k < points; ++k) {
    sorted[static_cast<std::size_t>(k)] = 1.5 * normal_matrix(d, columns, k);
  }
  for (Index j = 0; j < columns; ++j) {
    for (std::size_t k = 1; k < sorted.size(); ++k) {
      for (std::size_t i = k; i > 0; --i) {
        auto before = sorted[i - 1].col(j);
        auto here = sorted[i].col(j);
        if (potential(before) < potential(here)) before.swap(here);
      }
    }
  }
  SimulatedMemory memory(d, columns);
  for (const MatrixXd& theta : sorted) {
    RowVectorXd u(columns);
    for (Index j = 0; j < columns; ++j) u(j) = potential(theta.col(j));
    memory.add(theta, u, theta.array().cube() - 2 * theta.array());
  }
  return memory;
}

MatrixXd fitted(const FittedPreconditioner& estimator, Index d, Index columns,
                const Memory& memory) {
  Workspace scratch;
  MatrixXd numbers = MatrixXd::Constant(estimator.rows(d, memory.size()), columns, 3.0);
  estimator.fit(memory, numbers, scratch);
  return numbers;
}

}  // namespace

Findings check_representation(const Representation& how, ConstBatch numbers, Index dimension) {
  Findings findings;
  for (Index j = 0; j < numbers.cols(); ++j)
    append(findings, check_column(how, numbers, dimension, j));
  check_regrouping(how, numbers, dimension, findings);
  return findings;
}

namespace {

/// A history after `draws` positions of a window, theta = mean + L z in each column.
MatrixXd learnt(const LearntPreconditioner& learner, const MatrixXd& factor, Index columns,
                Index draws) {
  const Index d = factor.rows();
  const Index registers = learner.scope() == Scope::run ? 1 : columns;
  MatrixXd state = learner.initial(d).replicate(1, registers);
  const Stream stream(13, "contracts/learner");
  for (Index n = 0; n < draws; ++n) {
    MatrixXd z(d, columns);
    stream.normals({static_cast<std::uint64_t>(n), 0, 0}, z);
    const MatrixXd theta = (factor * z).colwise() + Eigen::VectorXd::LinSpaced(d, -5, 5);
    learner.observe(state, theta);
  }
  Workspace scratch;
  learner.close_window(state, d, scratch);
  return state;
}

/// Checks a learner before any draw, after too few draws, and after many draws. Learning twice must
/// give the same bits.
Findings check_learner(const LearntPreconditioner& learner) {
  constexpr Index d = 6;
  constexpr Index columns = 3;
  MatrixXd factor = MatrixXd::Identity(d, d);
  factor.bottomRows(1).setConstant(0.5);
  factor *= 3.0;
  Findings findings;
  for (const Index draws : {0, 1, 3, 200}) {
    const MatrixXd state = learnt(learner, factor, columns, draws);
    findings.push_back(
        {"all entries of the history are finite after " + std::to_string(draws) + " draws",
         state.allFinite(), ""});
    findings.push_back(
        {"learning is pure", same_bits(state, learnt(learner, factor, columns, draws)), ""});
    append(findings, check_representation(*learner.representation(), state, d));
  }
  return findings;
}

/// Checks that a fit is pure, finite, and passes the contract of preconditioners, for any number of
/// points.
void check_fit(const FittedPreconditioner& estimator, SimulatedMemory memory, Findings& findings) {
  const Memory view = memory.view();
  const std::string with = " with " + std::to_string(view.size()) + " points";
  const MatrixXd once = fitted(estimator, view.rows(), view.cols(), view);
  const MatrixXd again = fitted(estimator, view.rows(), view.cols(), view);
  findings.push_back({"fit is pure" + with, same_bits(once, again), ""});
  findings.push_back({"fit is finite" + with, once.allFinite(), ""});
  append(findings, check_representation(*estimator.representation(), once, view.rows()));
}

void check_isolation(const FittedPreconditioner& estimator, SimulatedMemory memory,
                     Findings& findings) {
  const Index d = memory.view().rows();
  const Index columns = memory.view().cols();
  const MatrixXd once = fitted(estimator, d, columns, memory.view());
  for (auto& m : memory.thetas) m.rightCols(columns - 1) *= 3.0;
  for (auto& m : memory.gradients) m.rightCols(columns - 1) *= 0.5;
  for (auto& m : memory.potentials) m.rightCols(columns - 1) *= -1.0;
  const MatrixXd changed = fitted(estimator, d, columns, memory.view());
  findings.push_back({"the fit of a column does not depend on other columns",
                      same_bits(once.leftCols(1), changed.leftCols(1)), ""});
}

/// The size of a fit to a memory whose points and gradients are scaled by two factors.
double size_of_fit(const FittedPreconditioner& estimator, double points, double gradients) {
  SimulatedMemory memory = quartic_memory(6, 3, 5);
  for (auto& m : memory.thetas) m *= points;
  for (auto& m : memory.gradients) m *= gradients;
  for (auto& m : memory.potentials) m *= points * gradients;
  const MatrixXd numbers = fitted(estimator, 6, 3, memory.view());
  return largest_entry(*estimator.representation(), numbers, 6);
}

/// Checks the bound where U is flat and where the points in the memory nearly coincide. Checks a
/// global bound far out too.
void check_bound(const FittedPreconditioner& estimator, Findings& findings) {
  const Bound bound = estimator.traits().bound;
  if (bound == Bound::unknown) return;
  findings.push_back(
      stays_bounded("where U is flat", [&](double t) { return size_of_fit(estimator, 1.0, t); }));
  findings.push_back(stays_bounded("where the points in the memory nearly coincide",
                                   [&](double t) { return size_of_fit(estimator, t, t * t * t); }));
  if (bound != Bound::global) return;
  findings.push_back(
      stays_bounded("far out", [&](double t) { return size_of_fit(estimator, 1.0 / t, 1.0); }));
}

/// Checks H y = s and B s = y for the last two points. Both must hold for any order of the pairs.
void check_secant(const Representation& how, ConstBatch numbers, const SimulatedMemory& memory,
                  Findings& findings) {
  const std::size_t n = memory.thetas.size();
  const MatrixXd s = memory.thetas[n - 1] - memory.thetas[n - 2];
  const MatrixXd y = memory.gradients[n - 1] - memory.gradients[n - 2];
  const ConstMatrixMap all(numbers.data(), numbers.rows(), numbers.cols());
  Workspace scratch;
  MatrixXd image(s.rows(), s.cols());
  how.H(all, y, image, scratch);
  findings.push_back(equal("H y = s", image, s));
  how.B(all, s, image, scratch);
  findings.push_back(equal("B s = y", image, y));
}

/// For n draws of x = F z with covariance M, the mean of (a'x)^2 / a'M a is 1 with variance 2 / n.
/// For each direction a, the z-score of this mean exceeds 5 in absolute value with probability
/// 6e-7.
void check_covariance(const Representation& how, ConstBatch numbers, Index d, Findings& findings) {
  constexpr Index n = 20000;
  const ConstMatrixMap first(numbers.data(), numbers.rows(), 1);
  const std::tuple<const char*, Product, Product> cases[] = {
      {"S z has covariance H", &Representation::S, &Representation::H},
      {"C z has covariance B", &Representation::C, &Representation::B}};
  MatrixXd z(d, n);
  Stream(17, "contracts/covariance").normals({0, 0, 0}, z);
  Workspace scratch;
  MatrixXd x(d, n);
  MatrixXd image(d, 1);
  for (const auto& [name, factor, covariance] : cases) {
    (how.*factor)(first, z, x, scratch);
    for (Index k = 0; k < 4; ++k) {
      const MatrixXd a = normal_matrix(d, 1, k);
      (how.*covariance)(first, a, image, scratch);
      const double mean = (a.transpose() * x).squaredNorm() / (n * a.col(0).dot(image.col(0)));
      const double score = (mean - 1.0) * std::sqrt(n / 2.0);
      findings.push_back({name, std::abs(score) < 5.0, "z = " + std::to_string(score)});
    }
  }
}

/// A constant preconditioner has no numbers in the graph, so the numbers of three columns have no
/// rows.
Findings check_constant(const ConstantPreconditioner& constant) {
  constexpr Index d = 6;
  constant.check(d);
  return check_representation(*constant.representation(), MatrixXd(0, 3), d);
}

Findings check_fitted(const FittedPreconditioner& estimator) {
  Findings findings;
  for (const Index points : {0, 1, 2, 4, 9}) {
    check_fit(estimator, quartic_memory(6, 3, points), findings);
    check_fit(estimator, indefinite_memory(6, 3, points), findings);
  }
  check_isolation(estimator, quartic_memory(6, 3, 4), findings);
  check_bound(estimator, findings);
  return findings;
}

}  // namespace

Findings check_estimator(const Estimator& estimator) {
  if (const auto* learnt = dynamic_cast<const LearntPreconditioner*>(&estimator)) {
    return check_learner(*learnt);
  }
  if (const auto* own = dynamic_cast<const OwnPreconditioner*>(&estimator)) {
    return check_own_preconditioner(*own);
  }
  if (const auto* fitted = dynamic_cast<const FittedPreconditioner*>(&estimator)) {
    return check_fitted(*fitted);
  }
  return check_constant(dynamic_cast<const ConstantPreconditioner&>(estimator));
}

Findings check_quasi_newton(const FittedPreconditioner& estimator) {
  constexpr Index d = 6;
  constexpr Index columns = 3;
  Findings findings;
  SimulatedMemory memory(d, columns);  // radii decrease, and so does U
  for (const Index radius : {5, 4, 3, 2, 1}) {
    MatrixXd theta = normal_matrix(d, columns, radius);
    for (Index j = 0; j < columns; ++j) {
      theta.col(j) *= static_cast<double>(radius) / theta.col(j).lpNorm<4>();
    }
    memory.add(theta, 0.25 * theta.array().pow(4).colwise().sum(), theta.array().cube());
  }
  const MatrixXd numbers = fitted(estimator, d, columns, memory.view());
  check_secant(*estimator.representation(), numbers, memory, findings);
  check_covariance(*estimator.representation(), numbers, d, findings);
  return findings;
}

namespace {

/// U = sum theta_i^4 / 4 + sum (theta_i - theta_i-1)^2 / 2.
class Valley final : public Potential {
 public:
  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    const Index n = theta.rows() - 1;
    const MatrixXd slope = theta.bottomRows(n) - theta.topRows(n);
    Batch g = out.gradient;
    g = theta.array().cube();
    g.bottomRows(n) += slope;
    g.topRows(n) -= slope;
    if (!out.wants_potential()) return;
    out.u() =
        0.25 * theta.array().pow(4).colwise().sum().matrix() + 0.5 * slope.colwise().squaredNorm();
  }
};

/// A trajectory through Valley with one coupling.
struct Path {
  MatrixXd theta;
  MatrixXd p;
  RowVectorXd start;   ///< U + K
  RowVectorXd change;  ///< of U + K
};

Path follow(Coupling coupling, const Estimator& estimator, const Numbers& numbers,
            const Integrator& integrator, Path path) {
  constexpr std::int64_t steps = 20;
  const Index d = path.theta.rows();
  const Index columns = path.theta.cols();
  const Valley valley;
  const double none = 0.0;
  const Law law(valley, ConstMatrixMap(&none, 0, 1));
  const MomentumLaw momentum(coupling, estimator.representation());
  const Flow flow(coupling, Preconditioner(*estimator.representation(), numbers));
  const MatrixXd eps = MatrixXd::Constant(d, columns, 0.02);
  MatrixXd g(d, columns);
  RowVectorXd u(columns);
  RowVectorXd kinetic(columns);
  Workspace scratch;
  const MatrixXd z = path.p;
  momentum.draw(numbers, z, path.p, scratch);
  law.evaluate(path.theta, {u.data(), g, scratch});
  momentum.kinetic(numbers, path.p, kinetic, scratch);
  path.start = u + kinetic;
  const Motion motion{law, flow, ConstMatrixMap(eps.data(), d, columns), scratch};
  integrator.advance({path.theta, path.p, g}, steps, motion, u.data());
  momentum.kinetic(numbers, path.p, kinetic, scratch);
  path.change = u + kinetic - path.start;
  return path;
}

/// Numbers for which H is not I, if the estimator has a choice.
MatrixXd some_numbers(const Estimator& estimator, Index d, Index columns) {
  if (const auto* learner = dynamic_cast<const LearntPreconditioner*>(&estimator)) {
    MatrixXd factor = MatrixXd::Identity(d, d);
    factor.bottomRows(1).setConstant(0.5);
    return learnt(*learner, factor, columns, 200);
  }
  const auto* fits = dynamic_cast<const FittedPreconditioner*>(&estimator);
  if (fits == nullptr) return MatrixXd(0, columns);
  SimulatedMemory memory = quartic_memory(d, columns, 5);
  return fitted(*fits, d, columns, memory.view());
}

}  // namespace

Findings check_couplings(const Estimator& estimator, const Integrator& integrator) {
  constexpr Index d = 6;
  constexpr Index columns = 3;
  const MatrixXd numbers = some_numbers(estimator, d, columns);
  const ConstMatrixMap all(numbers.data(), numbers.rows(), numbers.cols());
  const Path start{normal_matrix(d, columns, 21), normal_matrix(d, columns, 22), {}, {}};
  const Path mass = follow(Coupling::mass, estimator, all, integrator, start);
  const Path factor = follow(Coupling::factor, estimator, all, integrator, start);
  Workspace scratch;
  MatrixXd image(d, columns);
  estimator.representation()->St(all, mass.p, image, scratch);
  return {
      same("with couplings `factor` and `mass`, trajectories end at the same point", factor.theta,
           mass.theta, mass.theta),
      same("the momentum with coupling `factor` is S' times the momentum with coupling `mass`",
           factor.p, image, image),
      same("with couplings `factor` and `mass`, the energy errors are equal", factor.change,
           mass.change, mass.start.cwiseAbs() + RowVectorXd::Ones(columns)),
      {"the trajectory moves", (mass.theta - start.theta).norm() > 0.1 * start.theta.norm(), ""}};
}

}  // namespace mixwell::contracts
