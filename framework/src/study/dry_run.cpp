// `mixwell study --dry-run`: the cells of a study with what is known before they run.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"
#include "study/planner.hpp"
#include "study/records.hpp"
#include "study/shares.hpp"
#include "study/table_json.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/study.hpp>

#include <optional>

namespace mixwell {
namespace study {
namespace {

class DryRun {
 public:
  explicit DryRun(const StudyOptions& options)
      : options_(options),
        study_(read_study_file(options.path, options.quick)),
        planner_(options, study_, nullptr, -1) {}

  StudyPlan plan() {
    for (SeedGroup& group : planner_.groups()) {
      if (group.keys.empty()) continue;
      group.chosen = changes_to(group.keys, candidate(group.keys, 0, group.place));
    }
    planner_.plan(true, [] {});
    if (planner_.stopped()) throw RunError("interrupted");
    std::vector<PlannedCell> cells(planner_.cells().size());
    for (SeedGroup& group : planner_.groups()) {
      for (const std::size_t k : group.cells) cells[k] = planned(group, planner_.cells()[k]);
    }
    std::erase_if(cells, [this](const PlannedCell& cell) {
      return !matches(options_.only, cell.label, cell.cell);
    });
    StudyPlan plan;
    plan.study = study_.name;
    plan.cells = std::move(cells);
    if (study_.tune) plan.tune_gradients = study_.tune->gradients;
    return plan;
  }

 private:
  PlannedCell planned(SeedGroup& group, const StudyCell& cell) {
    PlannedCell planned;
    planned.label = cell.label;
    planned.model = cell.model;
    planned.variant = cell.variant;
    planned.seed = cell.seed;
    planned.refused = group.no_plan;
    planned.tuned = !group.keys.empty();
    if (!planned.tuned) planned.cell = planner_.identity(group, cell).sha256.substr(0, 16);
    const Json axes = parse_json(cell.axes);
    for (const auto& [key, value] : axes.items())
      planned.axes.emplace_back(key, study_value(value));
    planned.status = status_of(planned.cell);
    if (group.plan) describe(*group.plan, planned);
    return planned;
  }

  CellStatus status_of(const std::string& cell) const {
    StudyRow row;
    row.cell = cell;
    if (const auto end = cell.empty() ? std::nullopt : recorded_end(options_.folder, cell))
      row.status = *end;
    at_work_.show(row);
    return row.status;
  }

  static void describe(const CellPlan& plan, PlannedCell& planned) {
    planned.certificate = to_string(plan.certificate);
    planned.refused = plan.refused;
    if (!plan.cost) return;
    planned.gradients = plan.cost->gradients;
    planned.seconds = plan.cost->seconds;
    planned.reason = plan.cost->reason;
  }

  const StudyOptions& options_;
  const StudyFile study_;
  Planner planner_;
  const CellsAtWork at_work_{options_.folder};
};

}  // namespace
}  // namespace study

StudyPlan plan_study(const StudyOptions& options) { return study::DryRun(options).plan(); }

}  // namespace mixwell
