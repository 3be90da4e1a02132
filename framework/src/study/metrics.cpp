// Numbers in a worker's answer.
// SPDX-License-Identifier: Apache-2.0
#include "study/metrics.hpp"

#include <cmath>

namespace mixwell::study {

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double number_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || !found->is_number() ? std::numeric_limits<double>::quiet_NaN()
                                                    : found->get<double>();
}

void add_metric(Json& answer, const char* name, double value, double mcse) {
  if (std::isnan(value)) return;
  answer["metrics"][name] = {{"value", finite_or_null(value)}, {"mcse", finite_or_null(mcse)}};
}

}  // namespace mixwell::study
