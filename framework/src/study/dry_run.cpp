// `mixwell study --dry-run`: the cells of a study with what is known before they run.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"
#include "study/ledger_file.hpp"
#include "study/planner.hpp"
#include "study/table_json.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/study.hpp>

#include <filesystem>

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
    const auto statuses = known_statuses();
    std::vector<PlannedCell> cells(planner_.cells().size());
    for (SeedGroup& group : planner_.groups()) {
      for (const std::size_t k : group.cells)
        cells[k] = planned(group, planner_.cells()[k], statuses);
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
  std::map<std::string, LedgerStatus> known_statuses() const {
    if (!std::filesystem::exists(options_.folder + "/study.sqlite")) return {};
    const auto remark = [this](const std::string& text) {
      if (options_.remark) options_.remark(text);
    };
    return read_ledger(options_.folder, remark)->statuses();
  }

  PlannedCell planned(SeedGroup& group, const StudyCell& cell,
                      const std::map<std::string, LedgerStatus>& statuses) {
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
    const auto known = statuses.find(planned.cell);
    if (known != statuses.end()) planned.status = known->second.status;
    if (group.plan) describe(*group.plan, planned);
    return planned;
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
};

}  // namespace
}  // namespace study

StudyPlan plan_study(const StudyOptions& options) { return study::DryRun(options).plan(); }

}  // namespace mixwell
