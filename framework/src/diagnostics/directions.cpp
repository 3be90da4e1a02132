// Principal directions of draws, and directions from a file.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/data.hpp>
#include <mixwell/error.hpp>
#include <mixwell/lab/directions.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <limits>
#include <unordered_map>
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

std::string base_name(const std::string& coordinate) {
  return coordinate.substr(0, coordinate.find('['));
}

/// Where the weights of a column go: one element, or all elements of an array.
class Coordinates {
 public:
  explicit Coordinates(const std::vector<std::string>& names) {
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::string base = base_name(names[k]);
      if (places_[base].empty()) bases_.push_back(base);
      places_[base].push_back(static_cast<Index>(k));
      places_[names[k]] = {static_cast<Index>(k)};
    }
  }

  const std::vector<Index>& places(const std::string& column, const std::string& file) const {
    const auto found = places_.find(column);
    if (found != places_.end()) return found->second;
    const bool element = places_.contains(base_name(column));
    throw InputError(
        file + ": no coordinate \"" + column + "\" among the draws" +
        (element ? ": the array has no such element" : suggestion(base_name(column), bases_)) +
        "; columns are elements (x[3], counted from 0), whole arrays (x), or `name`");
  }

 private:
  std::vector<std::string> bases_;
  std::unordered_map<std::string, std::vector<Index>> places_;
};

std::vector<std::string> row_names(const CsvTable& table) {
  std::vector<std::string> names;
  const auto column = std::find(table.columns().begin(), table.columns().end(), "name");
  const bool given = column != table.columns().end();
  for (Index row = 0; row < table.rows(); ++row)
    names.push_back(given ? table.text(row, column - table.columns().begin())
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
                       "\" is empty or another row has it; give each direction its own");
}

/// Arrays before elements, so that an element's own column has the last word.
std::vector<std::string> weight_columns(const CsvTable& table) {
  std::vector<std::string> columns;
  for (const std::string& column : table.columns())
    if (column != "name") columns.push_back(column);
  std::stable_partition(columns.begin(), columns.end(),
                        [](const std::string& c) { return c.find('[') == std::string::npos; });
  return columns;
}

void normalise(MatrixXd& vectors, const CsvTable& table) {
  for (Index row = 0; row < vectors.cols(); ++row) {
    const double length = vectors.col(row).stableNorm();
    if (!(length > 0))
      throw InputError(place(table, row) +
                       ": all weights are 0; a direction needs one that is not");
    vectors.col(row) /= length;
  }
}

}  // namespace

PrincipalDirections principal_directions(const Draws& x) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(covariance(x));
  const VectorXd& variances = solver.eigenvalues();  // ascending
  const Index d = variances.size();
  const double rounding =
      static_cast<double>(d) * std::numeric_limits<double>::epsilon() * variances[d - 1];
  const Index kept = (variances.array() > rounding).count();
  PrincipalDirections result{solver.eigenvectors().rowwise().reverse().leftCols(kept),
                             variances.reverse().head(kept), d - kept};
  for (Index k = 0; k < kept; ++k) point_forward(result.vectors.col(k));
  return result;
}

GivenDirections read_directions(const std::string& path,
                                const std::vector<std::string>& coordinates) {
  const CsvTable table(path);
  const Coordinates places(coordinates);
  GivenDirections result{row_names(table),
                         MatrixXd::Zero(static_cast<Index>(coordinates.size()), table.rows())};
  require_distinct(result.names, table);
  for (const std::string& column : weight_columns(table)) {
    const std::vector<Index>& rows = places.places(column, path);
    const VectorXd weights = table.numbers(column);
    for (const Index row : rows) result.vectors.row(row) = weights.transpose();
  }
  normalise(result.vectors, table);
  return result;
}

}  // namespace mixwell::diagnostics
