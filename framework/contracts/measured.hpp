// Helpers with which the contracts evaluate models, compare results and report differences.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/model.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>

namespace mixwell::contracts {

using Eigen::MatrixXd;
using Eigen::RowVectorXd;

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// U and gradient at the columns of theta; NaN marks what was not written or not asked for.
struct Evaluated {
  RowVectorXd u;
  MatrixXd g;
};

enum class Asked { both, potential, gradient };

/// The values that evaluate(Evaluation) writes.
template <class Evaluate>
Evaluated evaluated_by(const MatrixXd& theta, const Evaluate& evaluate, Asked asked = Asked::both) {
  Evaluated out{RowVectorXd::Constant(theta.cols(), nan),
                MatrixXd::Constant(theta.rows(), theta.cols(), nan)};
  Workspace scratch;
  double* const u = asked == Asked::gradient ? nullptr : out.u.data();
  double* const g = asked == Asked::potential ? nullptr : out.g.data();
  evaluate(Evaluation{u, MatrixMap(g, theta.rows(), theta.cols()), scratch});
  return out;
}

inline Evaluated evaluated(const Model& model, const MatrixXd& theta, Asked asked = Asked::both) {
  return evaluated_by(
      theta, [&](const Evaluation& out) { model.evaluate(theta, out); }, asked);
}

inline bool same_bits(const MatrixXd& a, const MatrixXd& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       static_cast<std::size_t>(a.size()) * sizeof(double)) == 0);
}

/// The larger of two errors; NaN is the largest.
inline double worse(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

/// Largest |a - b| relative to the largest |a| of the same column.
inline double column_difference(const MatrixXd& a, const MatrixXd& b) {
  double worst = 0;
  for (Index j = 0; j < a.cols(); ++j) {
    const double difference = (a.col(j) - b.col(j)).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    worst = worse(worst, difference / std::max(a.col(j).cwiseAbs().maxCoeff(), 1e-300));
  }
  return worst;
}

/// The largest difference between column j of `together` and `alone(j)`.
template <class Alone>
double difference_alone(const MatrixXd& together, const Alone& alone) {
  double worst = 0;
  for (Index j = 0; j < together.cols(); ++j)
    worst = worse(worst, column_difference(together.col(j), alone(j)));
  return worst;
}

/// theta with one coordinate of each column moved.
inline MatrixXd moved(MatrixXd theta, Index coordinate, double step) {
  theta.row(coordinate).array() += step;
  return theta;
}

inline std::string text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

inline void append(Findings& findings, Findings more) {
  findings.insert(findings.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

inline Finding relative_error(const std::string& clause, double error, double limit,
                              const std::string& trait = {}) {
  return {clause, error <= limit, "relative error " + text(error), trait};
}

/// Tests whether the means of several statistics are zero, as they are if the clause holds. Each
/// statistic is a row with one number for each draw. The verdict uses Bonferroni: the p-value of
/// the largest |z| times the number of statistics bounds the probability of rejecting.
class ZeroMeans {
 public:
  void add(const std::string& name, const RowVectorXd& values) {
    const auto n = static_cast<double>(values.size());
    const double sd = std::sqrt((values.array() - values.mean()).square().sum() / (n - 1));
    const double z = values.isZero(0) ? 0 : values.mean() * std::sqrt(n) / sd;
    ++count_;
    if (!(std::abs(z) > std::abs(worst_)) && !std::isnan(z)) return;
    worst_ = z;
    name_ = name;
  }

  /// Adds the sums of a MetropolisChange, or of any type with names() and a row of sums() for each
  /// name.
  template <class Change>
  void add_all(const std::string& prefix, const Change& change) {
    const std::vector<std::string> names = change.names();
    for (std::size_t k = 0; k < names.size(); ++k)
      add(prefix + names[k], change.sums().row(static_cast<Index>(k)).matrix());
  }

  Finding finding(const std::string& clause) const {
    const double p = std::erfc(std::abs(worst_) / std::sqrt(2.0)) * static_cast<double>(count_);
    return {
        clause, p > 1e-4,
        "largest of " + std::to_string(count_) + " z-scores: " + text(worst_) + " for " + name_};
  }

 private:
  Index count_ = 0;
  double worst_ = 0;
  std::string name_;
};

}  // namespace mixwell::contracts
