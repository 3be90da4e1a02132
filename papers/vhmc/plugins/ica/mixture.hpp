// Simulated mixtures of independent sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/LU>
#include <Eigen/QR>

#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

namespace mixwell::ica {

/// The keys of mixtures that are simulated instead of read.
struct Simulation {
  std::int64_t channels = 5;
  std::int64_t cases = 0;
  std::int64_t seed = 1;
  double condition = 4;

  void declare(Fields& fields) {
    fields.integer("channels", channels)
        .at_least(1)
        .at_most(64)
        .help("without data: number c of channels and of sources");
    fields.integer("cases", cases)
        .at_least(0)
        .at_most(1 << 24)
        .help("without data: number N of cases to simulate");
    fields.integer("simulate_seed", seed).at_least(0).help("without data: seed of the simulation");
    fields.number("condition", condition)
        .at_least(1)
        .at_most(1e6)
        .help("without data: condition number of the mixing matrix");
  }
};

namespace detail {

/// c x c orthogonal: Q of the QR decomposition of a matrix of normals. The normals come from
/// replicates first, first + 1, ... of the stream.
inline Eigen::MatrixXd random_rotation(const Stream& stream, Index c, Index first) {
  Eigen::MatrixXd normals(c, c);
  stream.normals({0, 0, static_cast<std::uint64_t>(first)}, normals);
  return Eigen::HouseholderQR<Eigen::MatrixXd>(normals).householderQ();
}

}  // namespace detail

/// A = Q D R', c x c. Q and R are rotations made from the stream (simulate_seed, "ica/mixing"). D
/// is diagonal, with a geometric sequence from 1 / sqrt(condition) to sqrt(condition).
inline Eigen::MatrixXd simulated_mixing(const Simulation& simulation) {
  const Index c = simulation.channels;
  const Stream stream(static_cast<std::uint64_t>(simulation.seed), "ica/mixing");
  Eigen::VectorXd D = Eigen::VectorXd::Ones(c);
  if (c > 1) D = (0.5 * std::log(simulation.condition) * Eigen::ArrayXd::LinSpaced(c, -1, 1)).exp();
  return detail::random_rotation(stream, c, 0) * D.asDiagonal() *
         detail::random_rotation(stream, c, c).transpose();
}

/// The true unmixing matrix W = A^-1. A position `W` of the model estimates the rows of this
/// matrix up to order and sign.
inline Eigen::MatrixXd simulated_unmixing(const Simulation& simulation) {
  return simulated_mixing(simulation).inverse();
}

/// N x c: row n is A s_n. The entries of s_n are independent logistic variables log(u / (1 - u)) of
/// variance pi^2 / 3. The uniform variables u come from replicate n of the stream (simulate_seed,
/// "ica/sources").
inline Eigen::MatrixXd simulated_mixtures(const Simulation& simulation) {
  Eigen::MatrixXd sources(simulation.channels, simulation.cases);
  Stream(static_cast<std::uint64_t>(simulation.seed), "ica/sources").uniforms({}, sources);
  sources = (sources.array() / (1 - sources.array())).log();
  return (simulated_mixing(simulation) * sources).transpose();
}

/// A sentence with the matrix that inverts the simulated mixing, in a form that a reader can copy.
inline std::string remark_on(const Eigen::MatrixXd& W) {
  std::ostringstream text;
  text.precision(17);
  text << "The cases are simulated with the unmixing matrix W = (";
  for (Index i = 0; i < W.rows(); ++i) {
    text << (i == 0 ? "(" : ", (");
    for (Index j = 0; j < W.cols(); ++j) text << (j == 0 ? "" : ", ") << W(i, j);
    text << ")";
  }
  text << ").";
  return text.str();
}

}  // namespace mixwell::ica
