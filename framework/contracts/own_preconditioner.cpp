// The clauses about declared bounds, and those about every OwnPreconditioner.
// SPDX-License-Identifier: Apache-2.0
#include "bowl.hpp"
#include "measured.hpp"
#include "preconditioner_clauses.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/contracts/preconditioner.hpp>

#include <algorithm>
#include <cmath>

namespace mixwell::contracts {

Eigen::MatrixXd column_of(const Representation& how, ConstBatch numbers, Index dimension, Index i) {
  const Eigen::MatrixXd unit = Eigen::VectorXd::Unit(dimension, i).replicate(1, numbers.cols());
  Eigen::MatrixXd image(dimension, numbers.cols());
  Workspace scratch;
  how.H(ConstMatrixMap(numbers.data(), numbers.rows(), numbers.cols()), unit, image, scratch);
  return image;
}

double largest_entry(const Representation& how, ConstBatch numbers, Index dimension) {
  double largest = 0.0;
  for (Index i = 0; i < dimension; ++i) {
    const Eigen::MatrixXd column = column_of(how, numbers, dimension, i);
    if (!column.allFinite()) return INFINITY;
    largest = std::max(largest, column.cwiseAbs().maxCoeff());
  }
  return largest;
}

Finding stays_bounded(const std::string& where, const std::function<double(double)>& size_at) {
  constexpr double slack = 1.5;
  const double before = size_at(1e-8);
  const double after = size_at(1e-12);
  return {"bounded " + where, std::isfinite(after) && after <= slack * before,
          "its size is " + text(before) + ", then " + text(after), "bound"};
}

namespace {

class Normals final : public NormalSource {
 public:
  void normals(Batch out, std::uint32_t draw) const override {
    Stream(3, "contracts/own-curvature").normals({0, draw, 0}, out);
  }
};

/// The history of a slot that stayed at theta for so long that an average with weight 1 % has
/// forgotten the start.
Eigen::MatrixXd settled(const OwnPreconditioner& own, const Potential& target,
                        const Eigen::MatrixXd& theta) {
  const Index rows = own.state_rows(theta.rows());
  if (rows == 0) return theta;
  Eigen::MatrixXd state = Eigen::MatrixXd::Zero(rows, theta.cols());
  Eigen::MatrixXd g(theta.rows(), theta.cols());
  Workspace scratch;
  const double none = 0.0;
  const Law law(target, ConstMatrixMap(&none, 0, 1));
  law.evaluate(theta, {nullptr, g, scratch});
  const Normals noise;
  for (std::uint64_t sweep = 0; sweep < 4000; ++sweep) {
    own.observe({law, target, theta, g, noise, sweep, scratch}, state);
  }
  return state;
}

Eigen::MatrixXd numbers_from(const OwnPreconditioner& own, const Potential& target,
                             const Eigen::MatrixXd& state, Index d) {
  Eigen::MatrixXd numbers = Eigen::MatrixXd::Constant(own.rows(d), state.cols(), 3.0);
  Workspace scratch;
  own.fit(target, state, state, numbers, scratch);
  return numbers;
}

/// sum_i dH e_i / dtheta_i by central differences.
Eigen::MatrixXd numeric_drift_correction(const OwnPreconditioner& own,
                                         const Eigen::MatrixXd& theta) {
  constexpr double h = 1e-5;
  const Index d = theta.rows();
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(d, theta.cols());
  for (Index i = 0; i < d; ++i) {
    const Eigen::MatrixXd up = own_numbers(own, moved(theta, i, h));
    const Eigen::MatrixXd down = own_numbers(own, moved(theta, i, -h));
    sum += (column_of(*own.representation(), up, d, i) -
            column_of(*own.representation(), down, d, i)) /
           (2.0 * h);
  }
  return sum;
}

Finding check_drift_correction(const OwnPreconditioner& own, const Eigen::MatrixXd& theta) {
  const Bowl target;
  const Eigen::MatrixXd state = settled(own, target, theta);
  const Eigen::MatrixXd numbers = numbers_from(own, target, state, theta.rows());
  Eigen::MatrixXd gamma = Eigen::MatrixXd::Constant(theta.rows(), theta.cols(), 7.0);
  Workspace scratch;
  own.drift_correction(target, state, state, numbers, gamma, scratch);
  const Eigen::MatrixXd numeric = numeric_drift_correction(own, theta);
  const double error = (gamma - numeric).norm() / (1e-3 + numeric.norm());
  return relative_error("Gamma matches H", error, 1e-6, "total");
}

/// All entries of H, one column for each column of theta.
Eigen::MatrixXd entries(const OwnPreconditioner& own, const Eigen::MatrixXd& theta) {
  const Index d = theta.rows();
  const Eigen::MatrixXd numbers = own_numbers(own, theta);
  Eigen::MatrixXd all(d * d, theta.cols());
  for (Index i = 0; i < d; ++i)
    all.middleRows(i * d, d) = column_of(*own.representation(), numbers, d, i);
  return all;
}

/// H along a line through both signs of each coordinate: the largest change between neighbours must
/// vanish as they approach each other.
Finding check_continuity(const OwnPreconditioner& own, const Eigen::VectorXd& direction) {
  const auto at = [&](double t) { return Eigen::VectorXd((2.0 * t - 1.0) * direction); };
  constexpr Index intervals = 32;
  Eigen::MatrixXd line(direction.size(), intervals + 1);
  for (Index k = 0; k <= intervals; ++k) line.col(k) = at(static_cast<double>(k) / intervals);
  const Eigen::MatrixXd H = entries(own, line);
  Index widest = 0;
  for (Index k = 1; k < intervals; ++k) {
    if ((H.col(k + 1) - H.col(k)).norm() > (H.col(widest + 1) - H.col(widest)).norm()) widest = k;
  }
  double low = static_cast<double>(widest) / intervals;
  double high = static_cast<double>(widest + 1) / intervals;
  Eigen::VectorXd below = H.col(widest);
  Eigen::VectorXd above = H.col(widest + 1);
  const double before = (above - below).norm();
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    const Eigen::VectorXd between = entries(own, at(middle));
    const bool is_below = (between - below).norm() > (above - between).norm();
    (is_below ? high : low) = middle;
    (is_below ? above : below) = between;
  }
  const double left = (above - below).norm();
  return {"H is continuous", left <= 1e-3 * before + 1e-12,
          "a change of " + text(before) + " became " + text(left), "continuous"};
}

/// Checks the bound near 0, where U is flat. Checks a global bound far out too.
void check_bound(const OwnPreconditioner& own, const Eigen::MatrixXd& theta, Findings& findings) {
  const Bound bound = own.traits().bound;
  if (bound == Bound::unknown) return;
  const auto size_at = [&](const Eigen::MatrixXd& there) {
    return largest_entry(*own.representation(), own_numbers(own, there), there.rows());
  };
  findings.push_back(
      stays_bounded("where U is flat", [&](double t) { return size_at(t * theta); }));
  if (bound != Bound::global) return;
  findings.push_back(stays_bounded("far out", [&](double t) { return size_at(theta / t); }));
}

}  // namespace

Eigen::MatrixXd own_numbers(const OwnPreconditioner& own, const Eigen::MatrixXd& theta) {
  const Bowl target;
  return numbers_from(own, target, settled(own, target, theta), theta.rows());
}

Findings check_own_preconditioner(const OwnPreconditioner& own) {
  // 4 rows, because estimators on matrices need a square number of rows.
  Eigen::MatrixXd theta(4, 3);
  Stream(5, "contracts/own-curvature").normals({}, theta);
  const Eigen::MatrixXd numbers = own_numbers(own, theta);
  Findings findings = {
      {"fit is pure", (numbers.array() == own_numbers(own, theta).array()).all(), ""},
      {"fit is finite", numbers.allFinite(), ""}};
  append(findings, check_representation(*own.representation(), numbers, theta.rows()));
  if (own.has_drift_correction() && own.drift_correction_traits().total) {
    findings.push_back(check_drift_correction(own, theta));
  }
  if (own.traits().continuous) findings.push_back(check_continuity(own, theta.col(0)));
  check_bound(own, theta, findings);
  return findings;
}

}  // namespace mixwell::contracts
