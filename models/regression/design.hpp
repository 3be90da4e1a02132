// Makes the rows x of a regression from inputs: powers, projection, scale, intercept and factors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "columns.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstdint>
#include <map>

namespace mixwell::regression {

/// The recipe that turns a table's inputs into rows of x.
struct Recipe {
  std::int64_t powers = 1;
  std::int64_t projection = 0;  ///< number of random projections; 0 = none
  std::int64_t projection_seed = 1;
  bool standardize = true;
  bool intercept = true;
};

/// m x k independent entries N(0, 1 / k). Entry (i, j) is sqrt(1 / k) times normal i of replicate j
/// in the stream (seed, "logistic-regression/projection"), for any regression.
inline Eigen::MatrixXd random_projection(Index m, Index k, std::int64_t seed) {
  Eigen::MatrixXd p(m, k);
  const Stream stream(static_cast<std::uint64_t>(seed), "logistic-regression/projection");
  stream.normals({}, p);
  return p / std::sqrt(static_cast<double>(k));
}

/// A recipe with numbers that the training table fixes, applied to any table and to single points.
/// The inputs, their squares, their cubes, ... (no cross terms) are projected if wanted; the
/// results are the columns. If wanted, each column is standardised: its mean is subtracted and it
/// is divided by its standard deviation (denominator n - 1); a constant column is only centred. An
/// intercept adds 1 in front. Indicators of all levels except the first of each factor follow, not
/// standardised.
class Design {
 public:
  Design(const Predictors& table, const Recipe& recipe)
      : recipe_(recipe),
        inputs_(table.names),
        input_count_(table.inputs.cols()),
        factors_(table.factors) {
    check_projection(table);
    if (recipe_.projection > 0)
      projection_ = random_projection(input_count_ * recipe_.powers, recipe_.projection,
                                      recipe_.projection_seed);
    settle_scale(columns(table.inputs, table.path));
  }

  /// Names of the inputs; empty if they are numbered.
  const std::vector<std::string>& inputs() const noexcept { return inputs_; }
  bool has_intercept() const noexcept { return recipe_.intercept; }
  Index column_count() const noexcept { return mean_.size(); }
  const std::vector<Factor>& factors() const noexcept { return factors_; }
  /// d, the length of a row.
  Index width() const noexcept {
    Index all = column_count() + (has_intercept() ? 1 : 0);
    for (const Factor& factor : factors_) all += std::ssize(factor.categories.levels) - 1;
    return all;
  }
  /// Whether columns have their own names: those of a CSV file do, unless they are projected.
  bool has_names() const noexcept { return !inputs_.empty() && recipe_.projection == 0; }
  /// "age", "age^2", "input 3^2", "projection 7"; the inputs of a file without names count from 1.
  std::string column_name(Index j) const {
    if (recipe_.projection > 0) return "projection " + std::to_string(j);
    const Index power = 1 + j / input_count_;
    const Index input = j % input_count_;
    const std::string name = inputs_.empty() ? "input " + std::to_string(input + 1)
                                             : inputs_[static_cast<std::size_t>(input)];
    return power == 1 ? name : name + "^" + std::to_string(power);
  }
  /// Columns that are constant: centred at 0 and not scaled.
  const std::vector<Index>& constant_columns() const noexcept { return constant_; }

  /// N x d: the rows of a table's cases.
  Eigen::MatrixXd rows(const Predictors& table) const {
    return with_indicators(scaled(columns(table.inputs, table.path)), table.factors);
  }

  /// The row x of one point. `values` contains exactly the inputs. `levels` contains the index of
  /// the point's level for each factor.
  Eigen::RowVectorXd row(const std::map<std::string, double>& values,
                         const std::vector<Index>& levels) const {
    Eigen::RowVectorXd raw(static_cast<Index>(inputs_.size()));
    for (Index j = 0; j < raw.size(); ++j) raw[j] = values.at(inputs_[static_cast<std::size_t>(j)]);
    std::vector<Factor> factors = factors_;
    for (std::size_t k = 0; k < factors.size(); ++k) factors[k].categories.codes = {levels[k]};
    return with_indicators(scaled(projected(expanded(raw))), factors);
  }

 private:
  /// Checks the memory for the projection, a matrix of (inputs) x k, and for its result, N x k.
  void check_projection(const Predictors& table) const {
    const auto rows = static_cast<double>(input_count_ * recipe_.powers + table.inputs.rows());
    check_memory("projection", sizeof(double) * rows * static_cast<double>(recipe_.projection));
  }

  Eigen::MatrixXd expanded(const Eigen::MatrixXd& raw) const {
    Eigen::MatrixXd all(raw.rows(), raw.cols() * recipe_.powers);
    all.leftCols(raw.cols()) = raw;
    for (Index j = raw.cols(); j < all.cols(); ++j)
      all.col(j) = all.col(j - raw.cols()).cwiseProduct(raw.col(j % raw.cols()));
    return all;
  }

  Eigen::MatrixXd projected(Eigen::MatrixXd features) const {
    if (recipe_.projection == 0) return features;
    return features * projection_;
  }

  Eigen::MatrixXd columns(const Eigen::MatrixXd& inputs, const std::string& path) const {
    Eigen::MatrixXd all = projected(expanded(inputs));
    for (Index j = 0; j < all.cols(); ++j)
      if (!all.col(j).allFinite())
        throw InputError(
            path + ": " + quoted(column_name(j)) +
            " contains a number above the largest double. Lower `powers`, or rescale the inputs.");
    return all;
  }

  void settle_scale(const Eigen::MatrixXd& all) {
    mean_ = Eigen::RowVectorXd::Zero(all.cols());
    sd_ = Eigen::RowVectorXd::Ones(all.cols());
    if (!recipe_.standardize) return;
    for (Index j = 0; j < all.cols(); ++j) {
      const auto column = all.col(j).array();
      const bool constant = (column == column[0]).all();
      if (constant) constant_.push_back(j);
      mean_[j] = constant ? column[0] : column.mean();
      if (!constant)
        sd_[j] =
            std::sqrt((column - mean_[j]).square().sum() / static_cast<double>(all.rows() - 1));
    }
  }

  Eigen::MatrixXd scaled(const Eigen::MatrixXd& all) const {
    Eigen::MatrixXd x = Eigen::MatrixXd::Ones(all.rows(), all.cols() + (recipe_.intercept ? 1 : 0));
    x.rightCols(all.cols()) = (all.rowwise() - mean_).array().rowwise() / sd_.array();
    return x;
  }

  static Eigen::MatrixXd with_indicators(Eigen::MatrixXd x, const std::vector<Factor>& factors) {
    for (const Factor& factor : factors) {
      const Eigen::MatrixXd levels = indicators(factor.categories);
      x.conservativeResize(Eigen::NoChange, x.cols() + levels.cols());
      x.rightCols(levels.cols()) = levels;
    }
    return x;
  }

  Recipe recipe_;
  std::vector<std::string> inputs_;
  Index input_count_;
  std::vector<Factor> factors_;
  Eigen::MatrixXd projection_;
  Eigen::RowVectorXd mean_;
  Eigen::RowVectorXd sd_;
  std::vector<Index> constant_;
};

}  // namespace mixwell::regression
