// What the cells of a table say: numbers, missing values, labels.
// SPDX-License-Identifier: Apache-2.0
#include "data/text.hpp"

#include <mixwell/cells.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace mixwell {
namespace {

/// Beside the empty cell. pandas' `na_values` come first (pandas.read_csv, version 2.2).
constexpr std::array<std::string_view, 21> missing_texts = {
    "#N/A", "#N/A N/A", "#NA",     "-1.#IND", "-1.#QNAN", "-NaN", "-nan",
    "<NA>", "1.#IND",   "1.#QNAN", "N/A",     "NA",       "NULL", "NaN",
    "None", "n/a",      "nan",     "null",    "na",       "?",    "."};

}  // namespace

std::optional<double> finite_number(std::string_view text) noexcept {
  text = without_plus(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

bool is_missing(std::string_view cell) noexcept {
  return cell.empty() ||
         std::find(missing_texts.begin(), missing_texts.end(), cell) != missing_texts.end();
}

bool LabelLess::operator()(std::string_view a, std::string_view b) const noexcept {
  const auto x = finite_number(a);
  const auto y = finite_number(b);
  if (x && y) return *x < *y;
  return x.has_value() != y.has_value() ? x.has_value() : a < b;
}

}  // namespace mixwell
