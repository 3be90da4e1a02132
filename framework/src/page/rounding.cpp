// Rounds numbers to the precision that the report page needs.
// SPDX-License-Identifier: Apache-2.0
#include "page/rounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace mixwell::page {
namespace {

constexpr int all_digits = 17;
constexpr double steps_in_range = 2000.0;

template <class Round>
Json each(const Eigen::Ref<const Eigen::VectorXd>& x, const Round& round) {
  Json::array_t numbers;
  numbers.reserve(static_cast<std::size_t>(x.size()));
  for (const double value : x) numbers.push_back(round(value));
  return numbers;
}

}  // namespace

Json to_digits(double x, int digits) {
  if (!std::isfinite(x)) return nullptr;
  return std::strtod(fmt::format("{:.{}e}", x, digits - 1).c_str(), nullptr);
}

Json to_digits(const Eigen::Ref<const Eigen::VectorXd>& x, int digits) {
  return each(x, [&](double value) { return to_digits(value, digits); });
}

double quantum_of(const Eigen::Ref<const Eigen::MatrixXd>& x) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : x.reshaped()) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const double quantum = high / steps_in_range - low / steps_in_range;
  return std::isfinite(quantum) && quantum > 0 ? quantum : 0.0;
}

Json to_quantum(double x, double quantum) {
  if (!std::isfinite(x)) return nullptr;
  if (quantum == 0.0 || x == 0.0) return x;
  const double places = std::floor(std::log10(std::abs(x))) - std::floor(std::log10(quantum));
  if (places < 0) return 0.0;
  return to_digits(x, std::min(static_cast<int>(places) + 1, all_digits));
}

Json to_quantum(const Eigen::Ref<const Eigen::VectorXd>& x, double quantum) {
  return each(x, [&](double value) { return to_quantum(value, quantum); });
}

}  // namespace mixwell::page
