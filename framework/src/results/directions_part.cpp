// The part of a summary that describes directions in parameter space.
// SPDX-License-Identifier: Apache-2.0
#include "results/row.hpp"
#include "results/vector.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/machine.hpp>
#include <mixwell/lab/directions.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index together = 64;  ///< number of directions that are projected at a time

/// The vector for which directions are requested.
struct CleanVector : DrawnVector {
  std::vector<Index> not_finite = {};  ///< coordinates whose draws were replaced by 0
};

/// Removes coordinates that are constant or whose draws are not finite (or overflow a variance),
/// and returns their names.
std::vector<std::string> take_out_the_rest(CleanVector& vector) {
  std::vector<std::string> out;
  CleanVector kept{{{}, MatrixXd(vector.draws.rows(), vector.draws.cols())}, {}};
  for (Index k = 0; k < vector.draws.cols(); ++k) {
    const std::string& name = vector.names[static_cast<std::size_t>(k)];
    const double sd = diagnostics::sd(vector.draws.col(k));
    if (!(sd > 0) || !std::isfinite(sd * sd)) {
      out.push_back(name);
      continue;
    }
    kept.draws.col(static_cast<Index>(kept.names.size())) = vector.draws.col(k);
    kept.names.push_back(name);
  }
  kept.draws.conservativeResize(Eigen::NoChange, static_cast<Index>(kept.names.size()));
  vector = std::move(kept);
  return out;
}

/// Replaces the draws of coordinates that are not finite by 0. Otherwise their NaN would affect
/// directions that give these coordinates no weight.
void blank_what_is_not_finite(CleanVector& vector) {
  for (Index k = 0; k < vector.draws.cols(); ++k) {
    if (vector.draws.col(k).allFinite()) continue;
    vector.not_finite.push_back(k);
    vector.draws.col(k).setZero();
  }
}

struct Directions {
  std::vector<std::string> names;
  bool is_numbered;
  MatrixXd vectors;
  Index degenerate = 0;
};

Directions principal(const CleanVector& vector) {
  if (vector.names.empty() || vector.draws.rows() < 2) return {{}, true, MatrixXd(0, 0), 0};
  diagnostics::PrincipalDirections found = diagnostics::principal_directions(vector.draws);
  Directions result{{}, true, std::move(found.vectors), found.degenerate};
  for (Index k = 0; k < result.vectors.cols(); ++k)
    result.names.push_back("principal[" + std::to_string(k) + "]");
  return result;
}

std::vector<Index> places_of(const std::string& column, const CleanVector& vector) {
  if (auto found = coordinates_called(vector, column)) return *std::move(found);
  std::vector<std::string> known;
  for (const Column& one : vector.columns) known.push_back(one.name);
  throw InputError(
      "the draws have no coordinate \"" + column + "\"" +
      suggestion(column.substr(0, column.find('[')), known) +
      ". Name each column after an element (x[3], with indices from 0, or x[Ulm], with a label), "
      "a slice (x[0:3]) or a whole array (x). The optional column `name` names the directions");
}

Directions given(const std::string& path, const CleanVector& vector) {
  diagnostics::GivenDirections read = diagnostics::read_directions(
      path, std::ssize(vector.names),
      [&](const std::string& column) { return places_of(column, vector); });
  return {std::move(read.names), read.is_numbered, std::move(read.vectors), 0};
}

MatrixXd project(const CleanVector& vector, const MatrixXd& vectors) {
  MatrixXd projected = vector.draws * vectors;
  for (const Index coordinate : vector.not_finite)
    for (Index k = 0; k < vectors.cols(); ++k)
      if (vectors(coordinate, k) != 0) projected.col(k).setConstant(std::nan(""));
  return projected;
}

std::vector<SummaryRow> rows_along(const Directions& directions, const CleanVector& vector,
                                   Index chains, const RowSettings& settings) {
  const Index all = directions.vectors.cols();
  std::vector<SummaryRow> rows(static_cast<std::size_t>(all));
  for (Index first = 0; first < all; first += together) {
    const Index count = std::min(together, all - first);
    const MatrixXd projected = project(vector, directions.vectors.middleCols(first, count));
    parallel_for(count, [&](Index k) {
      const auto draws = projected.col(k).reshaped(projected.rows() / chains, chains);
      const auto place = static_cast<std::size_t>(first + k);
      rows[place] = summary_row(directions.names[place], draws, settings);
      if (directions.is_numbered) rows[place].indices = {first + k};
    });
  }
  return rows;
}

std::vector<NamedFigure> weights_of(const VectorXd& direction, const CleanVector& vector) {
  std::vector<NamedFigure> weights;
  for (Index k = 0; k < direction.size(); ++k)
    if (direction[k] != 0)
      weights.emplace_back(vector.names[static_cast<std::size_t>(k)], direction[k]);
  return weights;
}

/// Nothing if no direction has an ess_bulk.
std::optional<DirectionsSummary::Smallest> smallest_of(const Directions& directions,
                                                       const std::vector<SummaryRow>& rows,
                                                       const CleanVector& vector) {
  std::size_t worst = rows.size();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double ess = rows[k].standard.ess_bulk;
    if (std::isnan(ess)) continue;
    if (worst == rows.size() || ess < rows[worst].standard.ess_bulk) worst = k;
  }
  if (worst == rows.size()) return std::nullopt;
  return DirectionsSummary::Smallest{
      directions.names[worst], rows[worst].standard.ess_bulk,
      weights_of(directions.vectors.col(static_cast<Index>(worst)), vector)};
}

}  // namespace

DirectionsSummary summarise_directions(const DrawsFile& file, const SummaryOptions& options,
                                       const RowSettings& settings) {
  CleanVector vector{read_vector(file, options.of, "--of", "--directions"), {}};
  DirectionsSummary result{.from = options.directions};
  Directions directions;
  if (options.directions == "principal") {
    result.left_out = take_out_the_rest(vector);
    directions = principal(vector);
  } else {
    blank_what_is_not_finite(vector);
    directions = given(options.directions, vector);
  }
  result.coordinates = std::ssize(vector.names);
  result.degenerate = directions.degenerate;
  result.along = rows_along(directions, vector, file.chains(), settings);
  result.smallest = smallest_of(directions, result.along, vector);
  return result;
}

}  // namespace mixwell
