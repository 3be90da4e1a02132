// The laws of every curvature representation, and of every estimator.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/laws/curvature.hpp>
#include <mixwell/random.hpp>

#include <Eigen/Cholesky>

#include <cstring>
#include <string>
#include <vector>

namespace mixwell::laws {
namespace {

constexpr double kTolerance = 1e-10;

using Product = void (Representation::*)(const Numbers&, ConstBatch, Batch, Workspace&) const;

/// The d x d matrix that a product stands for, in column `column` of the numbers.
Eigen::MatrixXd dense(const Representation& how, Product product, ConstBatch numbers, Index d,
                      Index column) {
  Workspace scratch;
  Eigen::MatrixXd matrix(d, d);
  const Eigen::MatrixXd own = numbers.middleCols(column, 1);
  const Numbers shared(ConstMatrixMap(own.data(), own.rows(), 1));
  for (Index i = 0; i < d; ++i) {
    const Eigen::MatrixXd unit = Eigen::VectorXd::Unit(d, i);
    Eigen::MatrixXd image(d, 1);
    (how.*product)(shared, unit, image, scratch);
    matrix.col(i) = image;
  }
  return matrix;
}

Finding equal(const std::string& law, const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  const double error = (a - b).norm() / (1.0 + b.norm());
  return {law, error <= kTolerance, "relative error " + std::to_string(error)};
}

void check_column(const Representation& how, ConstBatch numbers, Index d, Index column,
                  Findings& findings) {
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(d, d);
  const auto H = dense(how, &Representation::H, numbers, d, column);
  const auto B = dense(how, &Representation::B, numbers, d, column);
  const auto S = dense(how, &Representation::S, numbers, d, column);
  const auto St = dense(how, &Representation::St, numbers, d, column);
  const auto C = dense(how, &Representation::C, numbers, d, column);
  findings.push_back(equal("H B = I", H * B, identity));
  findings.push_back(equal("H is symmetric", H, H.transpose()));
  findings.push_back(equal("S S' = H", S * S.transpose(), H));
  findings.push_back(equal("St is the transpose of S", St, S.transpose()));
  findings.push_back(equal("C C' = B", C * C.transpose(), B));
  findings.push_back(equal("C S' = I", C * St, identity));
  const Eigen::LLT<Eigen::MatrixXd> cholesky(H);
  findings.push_back({"H is positive definite", cholesky.info() == Eigen::Success, ""});
  Workspace scratch;
  Eigen::RowVectorXd log_det(1);
  const Eigen::MatrixXd own = numbers.middleCols(column, 1);
  how.log_det_H(ConstMatrixMap(own.data(), own.rows(), 1), d, log_det, scratch);
  const Eigen::MatrixXd lower = cholesky.matrixL();
  const Eigen::MatrixXd wanted =
      Eigen::MatrixXd::Constant(1, 1, 2.0 * lower.diagonal().array().log().sum());
  findings.push_back(equal("log det H", log_det, wanted));
}

/// Products of all columns at once, in reverse order, against those of each column alone.
void check_regrouping(const Representation& how, ConstBatch numbers, Index d, Findings& findings) {
  const Index w = numbers.cols();
  std::vector<Index> order;
  for (Index k = w; k-- > 0;) order.push_back(k);
  const ConstMatrixMap all(numbers.data(), numbers.rows(), w);
  Eigen::MatrixXd v(d, w);
  Stream(11, "laws/regrouping").normals({0, 0, 0}, v);
  Workspace scratch;
  const std::pair<const char*, Product> products[] = {{"H", &Representation::H},
                                                      {"B", &Representation::B},
                                                      {"S", &Representation::S},
                                                      {"St", &Representation::St},
                                                      {"C", &Representation::C}};
  for (const auto& [name, product] : products) {
    Eigen::MatrixXd together(d, w);
    (how.*product)(Numbers(all).regrouped(order.data()), v, together, scratch);
    Eigen::MatrixXd alone(d, w);
    for (Index k = 0; k < w; ++k) {
      alone.col(k) = dense(how, product, numbers, d, order[static_cast<std::size_t>(k)]) * v.col(k);
    }
    findings.push_back(
        equal(std::string(name) + " takes the numbers of each column", together, alone));
  }
}

/// Points of a random walk and the gradients of the quartic there, for every column.
struct SimulatedMemory {
  SimulatedMemory(Index d, Index columns, Index points) {
    const Stream stream(7, "laws/estimator");
    for (Index k = 0; k < points; ++k) {
      Eigen::MatrixXd theta(d, columns);
      stream.normals({static_cast<std::uint64_t>(k), 0, 0}, theta);
      thetas.push_back(theta);
      gradients.push_back(theta.array().cube());
    }
    for (const auto& m : thetas) theta_data.push_back(m.data());
    for (const auto& m : gradients) gradient_data.push_back(m.data());
  }
  Memory view() const {
    return {thetas.empty() ? 0 : thetas[0].rows(), thetas.empty() ? 0 : thetas[0].cols(),
            theta_data, gradient_data};
  }
  std::vector<Eigen::MatrixXd> thetas;
  std::vector<Eigen::MatrixXd> gradients;
  std::vector<const double*> theta_data;
  std::vector<const double*> gradient_data;
};

bool same_bits(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       sizeof(double) * static_cast<std::size_t>(a.size())) == 0);
}

Eigen::MatrixXd fitted(const Estimator& estimator, Index d, Index columns, const Memory& memory) {
  Workspace scratch;
  Eigen::MatrixXd numbers = Eigen::MatrixXd::Zero(estimator.rows(d, memory.size()), columns);
  estimator.fit(memory, numbers, scratch);
  return numbers;
}

}  // namespace

Findings check_representation(const Representation& how, ConstBatch numbers, Index dimension) {
  Findings findings;
  for (Index j = 0; j < numbers.cols(); ++j) check_column(how, numbers, dimension, j, findings);
  check_regrouping(how, numbers, dimension, findings);
  return findings;
}

namespace {

/// A register that has seen `draws` positions of a window, theta = mean + L z in every column.
Eigen::MatrixXd learnt(const CurvatureLearner& learner, const Eigen::MatrixXd& factor,
                       Index columns, Index draws) {
  const Index d = factor.rows();
  const Index registers = learner.scope() == Scope::run ? 1 : columns;
  Eigen::MatrixXd state = learner.initial(d).replicate(1, registers);
  const Stream stream(13, "laws/learner");
  for (Index n = 0; n < draws; ++n) {
    Eigen::MatrixXd z(d, columns);
    stream.normals({static_cast<std::uint64_t>(n), 0, 0}, z);
    const Eigen::MatrixXd theta = (factor * z).colwise() + Eigen::VectorXd::LinSpaced(d, -5, 5);
    learner.observe(state, theta);
  }
  Workspace scratch;
  learner.close_window(state, d, scratch);
  return state;
}

/// Before it has seen anything, after too few draws, and after many; twice with the same bits.
Findings check_learner(const Estimator& estimator) {
  constexpr Index d = 6;
  constexpr Index columns = 3;
  const CurvatureLearner& learner = *estimator.as_learner();
  Eigen::MatrixXd factor = Eigen::MatrixXd::Identity(d, d);
  factor.bottomRows(1).setConstant(0.5);
  factor *= 3.0;
  Findings findings;
  for (const Index draws : {0, 1, 3, 200}) {
    const Eigen::MatrixXd state = learnt(learner, factor, columns, draws);
    findings.push_back({"the register is finite after " + std::to_string(draws) + " draws",
                        state.allFinite(), ""});
    findings.push_back(
        {"learning is pure", same_bits(state, learnt(learner, factor, columns, draws)), ""});
    const Findings more = check_representation(*estimator.representation(), state, d);
    findings.insert(findings.end(), more.begin(), more.end());
  }
  return findings;
}

}  // namespace

Findings check_estimator(const Estimator& estimator) {
  if (estimator.as_learner() != nullptr) return check_learner(estimator);
  constexpr Index d = 6;
  constexpr Index columns = 3;
  const Index points = estimator.uses_memory() ? 4 : 0;
  const SimulatedMemory memory(d, columns, points);
  const Eigen::MatrixXd once = fitted(estimator, d, columns, memory.view());
  Findings findings;
  findings.push_back(
      {"fit is pure", same_bits(once, fitted(estimator, d, columns, memory.view())), ""});
  findings.push_back({"fit is finite", once.allFinite(), ""});
  SimulatedMemory other = memory;
  for (auto& m : other.thetas) m.rightCols(columns - 1) *= 3.0;
  for (auto& m : other.gradients) m.rightCols(columns - 1) *= 0.5;
  other.theta_data.clear();
  other.gradient_data.clear();
  for (const auto& m : other.thetas) other.theta_data.push_back(m.data());
  for (const auto& m : other.gradients) other.gradient_data.push_back(m.data());
  const Eigen::MatrixXd changed = fitted(estimator, d, columns, other.view());
  findings.push_back(
      {"fit is isolated by column", same_bits(once.leftCols(1), changed.leftCols(1)), ""});
  const Findings more = check_representation(*estimator.representation(), once, d);
  findings.insert(findings.end(), more.begin(), more.end());
  return findings;
}

}  // namespace mixwell::laws
