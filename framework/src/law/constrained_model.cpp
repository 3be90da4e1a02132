// U of coordinates from U of values.
// SPDX-License-Identifier: Apache-2.0
#include "law/parameter_rules.hpp"

#include <mixwell/constrained_model.hpp>

#include <utility>

namespace mixwell {

ConstrainedModel::ConstrainedModel() : map_({}) {}
ConstrainedModel::~ConstrainedModel() = default;

Index ConstrainedModel::declare(Parameter parameter) {
  std::vector<Parameter> all = map_.parameters();
  all.push_back(std::move(parameter));
  check_parameters(all);
  const Index first = map_.values();
  map_ = ConstraintMap(std::move(all));
  return first;
}

void ConstrainedModel::do_evaluate(ConstBatch theta, const Evaluation& out) const {
  at_values(theta, out, true,
            [this](ConstBatch x, const Evaluation& at) { evaluate_values(x, at); });
}

}  // namespace mixwell
