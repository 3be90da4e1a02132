// Numbers in a worker's answer.
// SPDX-License-Identifier: Apache-2.0
#include "study/metrics.hpp"

#include "files/json.hpp"

#include <cmath>

namespace mixwell::study {

void add_metric(Json& answer, const char* name, double value, double mcse) {
  if (std::isnan(value)) return;
  answer["metrics"][name] = {{"value", finite_or_null(value)}, {"mcse", finite_or_null(mcse)}};
}

}  // namespace mixwell::study
