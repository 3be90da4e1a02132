// Step sizes that decrease with the sweep number.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/graph/operation.hpp>
#include <mixwell/kernel/step_size.hpp>

#include <cmath>

namespace mixwell {
const std::string StepSchedule::langevin_step =
    "eps in theta+ = theta - eps H grad U + N(0, 2 eps H), or the scale of a decreasing schedule";

void StepSchedule::declare(Fields& fields, const std::string& meaning) {
  declare_kind(fields);
  fields.number("step_size", step_size)
      .unit("time")
      .above(0)
      .refines(Refines::step_size)
      .help(meaning);
  declare_numbers(fields);
}

void StepSchedule::declare_shape(Fields& fields) {
  declare_kind(fields);
  declare_numbers(fields);
}

void StepSchedule::declare_kind(Fields& fields) {
  fields.text("schedule", schedule)
      .one_of({"constant", "polynomial", "power"})
      .refines(Refines::schedule)
      .help(
          "formula of the step size eps_t: step_size (constant), step_size (offset + "
          "t)^-exponent (polynomial), (step_size / t)^exponent (power)");
}

void StepSchedule::declare_numbers(Fields& fields) {
  fields.number("offset", offset)
      .at_least(0)
      .only_with("schedule", {"polynomial"})
      .help("offset in the formula of the polynomial schedule");
  fields.number("exponent", exponent)
      .above(0)
      .at_most(1)
      .only_with("schedule", {"polynomial", "power"})
      .help("exponent in the formula of the schedule");
  fields.integer("hold", hold)
      .at_least(1)
      .at_most(1e12)
      .only_with("schedule", {"polynomial", "power"})
      .help("number of sweeps with the same eps; t counts groups of this many sweeps");
}

double StepSchedule::at(std::uint64_t sweep) const {
  const auto t = static_cast<double>(1 + sweep / static_cast<std::uint64_t>(hold));
  if (schedule == "polynomial") return step_size * std::pow(offset + t, -exponent);
  if (schedule == "power") return std::pow(step_size / t, exponent);
  return step_size;
}

Edge<edge::StepSize> StepSchedule::add(KernelGraph& graph, const std::string& path) const {
  return add_operation(
      graph, path + "/step-size", OperationKind::pure, {},
      [schedule = *this](Columns& block, edge::Out<edge::StepSize> eps) {
        eps.setConstant(schedule.at(block.sweep()));
      },
      Write<edge::StepSize>{Output::derived(path + "/eps", 1)});
}

void StepSchedule::record_weight(KernelGraph& graph, const Site& site,
                                 Edge<edge::StepSize> eps) const {
  if (is_constant()) return;
  record_statistic(
      graph, site, "weight", eps.value, RecordType::real, "time",
      "step size eps of the transition; averages over draws use it as the weight of each draw");
}

}  // namespace mixwell
