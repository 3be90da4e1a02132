// Numbers as short as the page needs them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>

namespace mixwell::page {

using Json = nlohmann::ordered_json;

/// x to so many significant digits; null where it is not finite.
Json to_digits(double x, int digits);
Json to_digits(const Eigen::Ref<const Eigen::VectorXd>& x, int digits);

/// The finest difference worth writing in a figure of these numbers: a 2000th of their range, 0
/// where they are all the same or none is finite.
double quantum_of(const Eigen::Ref<const Eigen::MatrixXd>& x);

/// x to the decimal place of `quantum` (as it is for 0); null where it is not finite.
Json to_quantum(double x, double quantum);
Json to_quantum(const Eigen::Ref<const Eigen::VectorXd>& x, double quantum);

}  // namespace mixwell::page
