// Rounds numbers to the precision that the report page needs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>

namespace mixwell::page {

using Json = nlohmann::ordered_json;

/// Rounds x to `digits` significant digits; null if x is not finite.
Json to_digits(double x, int digits);
Json to_digits(const Eigen::Ref<const Eigen::VectorXd>& x, int digits);

/// The smallest difference that is visible in a figure of these numbers: 1/2000 of their range. 0
/// if all numbers are equal or if none is finite.
double quantum_of(const Eigen::Ref<const Eigen::MatrixXd>& x);

/// Rounds x to the decimal place of `quantum`. Does not round if `quantum` is 0. Null if x is not
/// finite.
Json to_quantum(double x, double quantum);
Json to_quantum(const Eigen::Ref<const Eigen::VectorXd>& x, double quantum);

}  // namespace mixwell::page
