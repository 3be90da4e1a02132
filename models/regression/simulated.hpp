// Simulates cases from correlated inputs, a random parameter and noise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>

namespace mixwell::regression {

/// The manifest keys of simulated data.
struct Simulation {
  std::int64_t cases = 0;
  std::int64_t dimension = 0;
  std::int64_t seed = 1;
  std::optional<double> correlation;

  void declare(Fields& fields) {
    fields.integer("cases", cases)
        .at_least(0)
        .at_most(1 << 28)
        .help("without data: number N of cases to simulate");
    fields.integer("dimension", dimension)
        .at_least(0)
        .at_most(most_coordinates)
        .help("without data: number of simulated inputs");
    fields.integer("simulate_seed", seed).at_least(0).help("without data: seed of the simulation");
    fields.number("correlation", correlation)
        .above(-1)
        .below(1)
        .only_where("dimension above 1", [this] { return dimension != 1; })
        .help("without data: r, where inputs i and j have correlation r^|i - j| (default: 0)");
  }
};

/// Whether the cases are simulated. Throws ParameterError if both `data` and keys of a simulation
/// are given, or neither.
inline bool is_simulated(const Simulation& simulation, bool has_data) {
  const auto require = [&](const std::string& key, bool given, bool needed) {
    if (has_data && given)
      throw ParameterError(
          key, "must be left out if `data` is given, because this key is for simulated cases");
    if (!has_data && needed && !given)
      throw ParameterError(key, "must be at least 1 if `data` is not given");
  };
  require("cases", simulation.cases != 0, true);
  require("dimension", simulation.dimension != 0, true);
  require("correlation", simulation.correlation.has_value(), false);
  constexpr std::int64_t most = std::int64_t{1} << 30;
  if (!has_data && simulation.dimension > most / simulation.cases)
    throw ParameterError(
        "dimension",
        "must be at most 2^30 divided by `cases`. Simulate fewer inputs or fewer cases");
  if (!has_data)
    check_memory("dimension", sizeof(double) * static_cast<double>(simulation.cases) *
                                  static_cast<double>(simulation.dimension));
  return !has_data;
}

/// The random numbers of a simulation: one stream each for "inputs", "parameter" and "noise".
inline Stream stream_of(const Simulation& simulation, const std::string& model,
                        const std::string& what) {
  return {static_cast<std::uint64_t>(simulation.seed), model + "/" + what};
}

/// Column n (of d x N) is the inputs of case n, N(0, C) with C_ij = r^|i - j|: an autoregression
/// a_0 = z_0, a_i = r a_(i-1) + sqrt(1 - r^2) z_i, where z_i is normal i of replicate n in the
/// stream (simulate_seed, model/inputs). The condition number of C tends to ((1 + |r|) / (1 -
/// |r|))^2 as d grows; it is (1 + |r|) / (1 - |r|) at d = 2.
inline Eigen::MatrixXd simulated_inputs(const Simulation& simulation, const std::string& model) {
  Eigen::MatrixXd a(simulation.dimension, simulation.cases);
  stream_of(simulation, model, "inputs").normals({}, a);
  const double r = simulation.correlation.value_or(0.0);
  const double rest = std::sqrt((1 - r) * (1 + r));
  for (Index i = 1; i < a.rows(); ++i) a.row(i) = r * a.row(i - 1) + rest * a.row(i);
  return a;
}

/// `n` normals of replicate 0 of the stream (simulate_seed, model/parameter), times `sd`.
inline Eigen::VectorXd simulated_parameter(const Simulation& simulation, const std::string& model,
                                           Index n, double sd) {
  Eigen::VectorXd theta(n);
  stream_of(simulation, model, "parameter").normals({}, theta);
  return sd * theta;
}

/// Normal 0 of replicate n of the stream (simulate_seed, model/noise), for each case n.
inline Eigen::RowVectorXd simulated_noise(const Simulation& simulation, const std::string& model) {
  Eigen::RowVectorXd noise(simulation.cases);
  stream_of(simulation, model, "noise").normals({}, noise);
  return noise;
}

/// A sentence with the first ten coordinates of the parameter that simulated the cases.
inline std::string remark_on(const Eigen::VectorXd& theta) {
  constexpr Index most = 10;
  std::ostringstream text;
  text << "The cases are simulated with theta = (";
  for (Index i = 0; i < std::min(theta.size(), most); ++i) text << (i == 0 ? "" : ", ") << theta[i];
  text << (theta.size() > most ? ", ...)." : ").");
  return text.str();
}

}  // namespace mixwell::regression
