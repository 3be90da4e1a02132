// The point around which a control variate is made: a mode, or a mean of draws from a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/draws.hpp>
#include <mixwell/plugin.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell::control_variate {

/// The mode that find_mode reaches from the first position of the model's own, to the tolerance
/// 1e-6 sqrt(N) nats. Throws InputError where there is none.
inline Eigen::VectorXd mode_of(const Potential& law, const Model& model, const std::string& who) {
  constexpr std::int64_t iterations = 10000;
  constexpr std::int64_t newton_steps = 5;
  Eigen::MatrixXd start(model.dimension(), 1);
  model.initial(Stream(1, "control-variate/reference"), {}, start);
  Workspace scratch;
  const double none = 0.0;
  const ColumnLaw column({law, ConstMatrixMap(&none, 0, 1)}, 0, scratch);
  const double tolerance = 1e-6 * std::sqrt(static_cast<double>(law.offers<SumOfTerms>()->terms()));
  Optimum mode = find_mode(column, start.col(0), tolerance, iterations, newton_steps);
  if (mode.converged) return std::move(mode.theta);
  throw InputError(who + ": no mode of model `" + model.name() +
                   "` was found (|grad U| = " + std::to_string(mode.gradient.norm()) +
                   " where the search ended); give a point as reference = \"FILE\"");
}

/// Mean of the coordinates of one parameter over all its recorded draws.
inline Eigen::VectorXd mean_of_parameter(const DrawsFile& draws, const Column& column,
                                         const Parameter& parameter) {
  const ConstraintMap map({parameter});
  Eigen::MatrixXd x(parameter.size(), draws.draws() * draws.chains());
  for (Index i = 0; i < parameter.size(); ++i)
    x.row(i) = draws.read(column, i).reshaped().transpose();
  Eigen::MatrixXd theta(map.coordinates(), x.cols());
  map.unconstrain(x, theta);
  return theta.rowwise().mean();
}

/// Mean of theta over all draws of a draws.nc of that model.
inline Eigen::VectorXd mean_of_draws(const std::string& path, const Model& model) {
  const DrawsFile draws(path);
  Eigen::VectorXd mean(model.dimension());
  Index row = 0;
  for (const Parameter& parameter : model.parameters()) {
    const auto& columns = draws.columns();
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) {
      return c.group == RecordGroup::posterior && c.name == parameter.name &&
             c.shape == parameter.shape;
    });
    if (found == columns.end()) {
      throw InputError(path + ": has no variable `" + parameter.name +
                       "` of the shape it has in model `" + model.name() +
                       "`; the reference must come from a run of the same model");
    }
    mean.segment(row, parameter.coordinates()) = mean_of_parameter(draws, *found, parameter);
    row += parameter.coordinates();
  }
  return mean;
}

/// The places of the columns of coordinates.
inline std::vector<Index> places_in(const CsvTable& table, const Model& model) {
  try {
    return columns_of_coordinates(model, table.columns());
  } catch (const InputError& fault) {
    throw InputError(table.path() + ": " + fault.what());
  }
}

/// Mean of the rows of a CSV with a column for each coordinate of theta.
inline Eigen::VectorXd mean_of_rows(const std::string& path, const Model& model) {
  const CsvTable table(path);
  const std::vector<Index> places = places_in(table, model);
  Eigen::VectorXd mean(std::ssize(places));
  for (Index i = 0; i < mean.size(); ++i) {
    const Index place = places[static_cast<std::size_t>(i)];
    mean(i) = table.numbers(table.columns()[static_cast<std::size_t>(place)]).mean();
  }
  return mean;
}

/// By its first bytes: those of HDF5, or of NetCDF before version 4.
inline bool is_netcdf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 4> bytes{};
  in.read(bytes.data(), bytes.size());
  const std::string_view start(bytes.data(), bytes.size());
  return start == "\x89HDF" || start.starts_with("CDF");
}

/// `from` = "map" or a file. `who` begins what is said if it fails.
inline Eigen::VectorXd point_of(const std::string& from, const Potential& law, const Model& model,
                                const std::string& who) {
  if (from == "map") return mode_of(law, model, who);
  Eigen::VectorXd point = is_netcdf(from) ? mean_of_draws(from, model) : mean_of_rows(from, model);
  if (!point.allFinite()) throw InputError(from + ": the mean of its draws is not finite");
  return point;
}

}  // namespace mixwell::control_variate
