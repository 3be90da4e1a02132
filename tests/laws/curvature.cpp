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

using Product = void (Representation::*)(ConstBatch, ConstBatch, Batch, Workspace&) const;

/// The d x d matrix that a product stands for, in column `column` of the numbers.
Eigen::MatrixXd dense(const Representation& how, Product product, ConstBatch numbers, Index d,
                      Index column) {
  Workspace scratch;
  Eigen::MatrixXd matrix(d, d);
  const Eigen::MatrixXd own = numbers.middleCols(column, 1);
  for (Index i = 0; i < d; ++i) {
    const Eigen::MatrixXd unit = Eigen::VectorXd::Unit(d, i);
    Eigen::MatrixXd image(d, 1);
    (how.*product)(own, unit, image, scratch);
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
  how.log_det_H(numbers.middleCols(column, 1), d, log_det, scratch);
  const Eigen::MatrixXd lower = cholesky.matrixL();
  const Eigen::MatrixXd wanted =
      Eigen::MatrixXd::Constant(1, 1, 2.0 * lower.diagonal().array().log().sum());
  findings.push_back(equal("log det H", log_det, wanted));
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
  return findings;
}

Findings check_estimator(const Estimator& estimator) {
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
