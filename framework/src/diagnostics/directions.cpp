// Principal directions of draws, and directions from a file.
// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/autocovariance.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/data/data.hpp>
#include <mixwell/lab/directions.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_set>

namespace mixwell::diagnostics {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd covariance(const Draws& x) {
  const MatrixXd centred = x.rowwise() - x.colwise().mean();
  MatrixXd result = MatrixXd::Zero(x.cols(), x.cols());
  result.selfadjointView<Eigen::Lower>().rankUpdate(centred.transpose());
  return result / static_cast<double>(x.rows() - 1);
}

void point_forward(Eigen::Ref<VectorXd> direction) {
  Index largest = 0;
  direction.cwiseAbs().maxCoeff(&largest);
  if (direction[largest] < 0) direction = -direction;
}

/// A column of weights, and the coordinates that get these weights.
struct WeightColumn {
  std::string name;
  std::vector<Index> places;
};

/// The columns of weights, sorted by decreasing number of elements, because a column with fewer
/// elements overrides a column with more.
std::vector<WeightColumn> weight_columns(const CsvTable& table, const CoordinatesCalled& called) {
  std::vector<WeightColumn> columns;
  for (const std::string& name : table.columns()) {
    if (name == "name") continue;
    table.find(name);  // throws if two columns have this name
    try {
      columns.push_back({name, called(name)});
    } catch (const InputError& fault) {
      throw InputError(table.path() + ": " + fault.what());
    }
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [](const WeightColumn& a, const WeightColumn& b) {
                     return a.places.size() > b.places.size();
                   });
  return columns;
}

/// Throws InputError if two columns name the same elements, for example one by number and one by
/// label.
void require_one_column_each(const std::vector<WeightColumn>& columns, const std::string& path) {
  std::map<std::vector<Index>, std::string> seen;
  for (const WeightColumn& column : columns) {
    const auto [other, is_new] = seen.emplace(column.places, column.name);
    if (!is_new)
      throw InputError(path + ": the columns \"" + other->second + "\" and \"" + column.name +
                       "\" name the same elements. Remove one of the two columns.");
  }
}

std::vector<std::string> row_names(const CsvTable& table) {
  std::vector<std::string> names;
  for (Index row = 0; row < table.rows(); ++row)
    names.push_back(table.has("name") ? table.text(row, table.find("name"))
                                      : "direction[" + std::to_string(row) + "]");
  return names;
}

std::string place(const CsvTable& table, Index row) {
  return table.path() + ":" + std::to_string(table.line(row));
}

void require_distinct(const std::vector<std::string>& names, const CsvTable& table) {
  std::unordered_set<std::string> seen;
  for (std::size_t row = 0; row < names.size(); ++row)
    if (names[row].empty() || !seen.insert(names[row]).second)
      throw InputError(place(table, static_cast<Index>(row)) + ": the name \"" + names[row] +
                       "\" must not be empty or equal to another row's name. Give each direction "
                       "its own name.");
}

void normalise(MatrixXd& vectors, const CsvTable& table) {
  for (Index row = 0; row < vectors.cols(); ++row) {
    const double length = vectors.col(row).stableNorm();
    if (!(length > 0))
      throw InputError(place(table, row) +
                       ": all weights are 0 in this row, but a direction needs at least one weight "
                       "that is not 0. Correct this row.");
    vectors.col(row) /= length;
  }
}

}  // namespace

PrincipalDirections principal_directions(const Draws& x) {
  const InUnits units(x);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(covariance(units.draws()));
  const VectorXd& variances = solver.eigenvalues();  // ascending
  const Index d = variances.size();
  const double rounding =
      static_cast<double>(d) * std::numeric_limits<double>::epsilon() * variances[d - 1];
  const Index kept = (variances.array() > rounding).count();
  PrincipalDirections result{
      solver.eigenvectors().rowwise().reverse().leftCols(kept),
      variances.reverse().head(kept).unaryExpr([&](double v) { return units.back(units.back(v)); }),
      d - kept};
  for (Index k = 0; k < kept; ++k) point_forward(result.vectors.col(k));
  return result;
}

GivenDirections read_directions(const std::string& path, Index coordinates,
                                const CoordinatesCalled& called) {
  const CsvTable table(path);
  GivenDirections result{row_names(table), !table.has("name"),
                         MatrixXd::Zero(coordinates, table.rows())};
  require_distinct(result.names, table);
  const std::vector<WeightColumn> columns = weight_columns(table, called);
  require_one_column_each(columns, path);
  for (const WeightColumn& column : columns) {
    const VectorXd weights = table.numbers(column.name);
    for (const Index row : column.places) result.vectors.row(row) = weights.transpose();
  }
  normalise(result.vectors, table);
  return result;
}

}  // namespace mixwell::diagnostics
