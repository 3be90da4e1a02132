// Manifest keys of models that use N(mean, Sigma), and the structure of Sigma that they set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "shape.hpp"

#include <mixwell/plugin.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::gaussian {

inline std::string text(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

inline MatrixXd read_square(const std::string& path) {
  const CsvTable table(path);
  const auto d = static_cast<Index>(table.columns().size());
  if (table.rows() != d)
    throw InputError(path + ": a covariance matrix must be square, but this file has " +
                     std::to_string(table.rows()) + " rows and " + std::to_string(d) +
                     " columns. Give d rows and d columns.");
  MatrixXd sigma(d, d);
  for (Index j = 0; j < d; ++j)
    sigma.col(j) = table.numbers(table.columns()[static_cast<std::size_t>(j)]);
  return sigma;
}

inline void require_symmetric(const MatrixXd& sigma, const std::string& path) {
  for (Index j = 0; j < sigma.cols(); ++j) {
    for (Index i = 0; i < j; ++i) {
      if (std::abs(sigma(i, j) - sigma(j, i)) <= 1e-12 * std::abs(sigma(i, j))) continue;
      throw InputError(path + ": a covariance matrix must be symmetric, but row " +
                       std::to_string(i + 1) + ", column " + std::to_string(j + 1) + " is " +
                       text(sigma(i, j)) + " and row " + std::to_string(j + 1) + ", column " +
                       std::to_string(i + 1) + " is " + text(sigma(j, i)) +
                       ". Make the two entries equal.");
    }
  }
}

/// Sigma scaled so that every variance is 1.
inline MatrixXd correlations(const MatrixXd& sigma, const std::string& path) {
  for (Index i = 0; i < sigma.rows(); ++i)
    if (!(sigma(i, i) > 0.0))
      throw InputError(path + ": variances must be positive, but row " + std::to_string(i + 1) +
                       ", column " + std::to_string(i + 1) + " is " + text(sigma(i, i)) +
                       ". Correct that variance.");
  const VectorXd scale = sigma.diagonal().cwiseSqrt().cwiseInverse();
  return scale.asDiagonal() * sigma * scale.asDiagonal();
}

[[noreturn]] inline void throw_not_positive(const MatrixXd& correlation, const std::string& path,
                                            double least) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(correlation, Eigen::EigenvaluesOnly);
  throw InputError(
      path +
      ": a covariance matrix must be numerically positive definite. The smallest eigenvalue of "
      "its correlation matrix is " +
      text(solver.eigenvalues().minCoeff()) + " and the largest is " +
      text(solver.eigenvalues().maxCoeff()) + ", but smallest / largest must be above " +
      text(least) + ". Leave out coordinates that are linear combinations of other coordinates.");
}

/// The check does not depend on units, because the accuracy of a
/// Cholesky factor does not depend on the scales of its rows.
inline Eigen::LLT<MatrixXd> positive_factor(const MatrixXd& sigma, const std::string& path) {
  const MatrixXd correlation = correlations(sigma, path);
  const double least = static_cast<double>(sigma.rows()) * 1e-15;
  const Eigen::LLT<MatrixXd> factor(sigma);
  const Eigen::LLT<MatrixXd> scaled(correlation);
  const bool exist = factor.info() == Eigen::Success && scaled.info() == Eigen::Success;
  if (exist && std::max(factor.rcond(), scaled.rcond()) > least) return factor;
  throw_not_positive(correlation, path, least);
}

/// Variances condition^(-i / (d - 1)), i = 0 .. d - 1: from 1 down to 1 / condition.
inline VectorXd geometric(Index d, double condition) {
  const double last = std::max(1.0, static_cast<double>(d - 1));
  return pow(condition, -ArrayXd::LinSpaced(d, 0, static_cast<double>(d - 1)) / last).matrix();
}

inline VectorXd vector(const std::vector<double>& list) {
  return VectorXd::Map(list.data(), static_cast<Index>(list.size()));
}

/// The manifest keys that set d, mean and Sigma.
struct ShapeParams {
  std::int64_t dimension = 0;
  std::vector<double> mean = {0.0};
  std::string covariance = "identity";
  std::vector<double> variances;
  std::optional<double> c;
  std::optional<double> condition;
  std::optional<std::string> file;

  void declare(Fields& fields) {
    fields.integer("dimension", dimension)
        .at_least(0)
        .at_most(most_coordinates)
        .help("number of coordinates d; 0 = take d from `mean`, `variances` or `file`");
    fields.numbers("mean", mean).help("d numbers, or one for all coordinates");
    fields.text("covariance", covariance)
        .one_of({"identity", "diagonal", "ones-plus", "dense", "geometric"})
        .help("structure of Sigma");
    fields.numbers("variances", variances)
        .above(0)
        .only_with("covariance", {"diagonal"})
        .help("diagonal: d variances");
    fields.number("c", c)
        .above(0)
        .only_with("covariance", {"ones-plus"})
        .help("ones-plus: c in Sigma = 1 1' + c I");
    fields.number("condition", condition)
        .at_least(1)
        .only_with("covariance", {"geometric"})
        .help("geometric: condition number; variance i is condition^(-i / (d - 1))");
    fields.text("file", file)
        .file()
        .only_with("covariance", {"dense"})
        .help("dense: CSV file of Sigma, with a header of d names and d rows");
  }
};

/// Throws ParameterError if the key that a shape needs is missing.
inline void require_given(const ShapeParams& params, const std::string& shape,
                          const std::string& key, bool given) {
  if (params.covariance == shape && !given)
    throw ParameterError(key, "must be given if covariance = \"" + shape + "\"");
}

/// The dimension d that `dimension`, a mean of several numbers and the covariance (0 = any) agree
/// on.
inline Index agreed_dimension(const ShapeParams& params, Index covariance) {
  Index d = covariance;
  const auto settle = [&d](const std::string& key, Index wanted) {
    if (wanted != 0 && d != 0 && wanted != d)
      throw ParameterError(key, "is for " + std::to_string(wanted) +
                                    " coordinates, but the other keys give " + std::to_string(d) +
                                    ". Make these keys agree.");
    d = std::max(d, wanted);
  };
  settle("dimension", params.dimension);
  if (params.mean.size() != 1) settle("mean", static_cast<Index>(params.mean.size()));
  if (d == 0) throw ParameterError("dimension", "must be at least 1, because no other key gives d");
  constexpr double mean_and_variances = 2;
  check_memory("dimension", mean_and_variances * sizeof(double) * static_cast<double>(d));
  return d;
}

inline VectorXd means(const ShapeParams& params, Index d) {
  if (params.mean.size() == 1) return VectorXd::Constant(d, params.mean.front());
  return vector(params.mean);
}

inline std::unique_ptr<const Shape> make_dense(const ShapeParams& params) {
  const MatrixXd sigma = read_square(*params.file);
  require_symmetric(sigma, *params.file);
  const Index d = agreed_dimension(params, sigma.rows());
  return std::make_unique<Dense>(means(params, d), positive_factor(sigma, *params.file));
}

inline std::unique_ptr<const Shape> make_axes(const VectorXd& mean, const VectorXd& variances) {
  const bool round = (mean.array() == mean(0)).all() && (variances.array() == variances(0)).all();
  if (round) return std::make_unique<Round>(mean, variances(0));
  return std::make_unique<Axes>(mean, variances);
}

inline std::unique_ptr<const Shape> make_shape(const ShapeParams& params) {
  require_given(params, "diagonal", "variances", !params.variances.empty());
  require_given(params, "ones-plus", "c", params.c.has_value());
  require_given(params, "geometric", "condition", params.condition.has_value());
  require_given(params, "dense", "file", params.file.has_value());
  if (params.file) return make_dense(params);
  const Index d = agreed_dimension(params, static_cast<Index>(params.variances.size()));
  const VectorXd mean = means(params, d);
  if (params.c) return std::make_unique<OnesPlus>(mean, *params.c);
  if (params.condition) return std::make_unique<Axes>(mean, geometric(d, *params.condition));
  return make_axes(mean, params.variances.empty() ? VectorXd::Ones(d) : vector(params.variances));
}

}  // namespace mixwell::gaussian
