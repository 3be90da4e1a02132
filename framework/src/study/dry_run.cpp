// `mixwell study --dry-run`: the cells of a study with what is known before they run.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"
#include "study/ledger_file.hpp"
#include "study/planner.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/study.hpp>

#include <filesystem>

namespace mixwell {
namespace study {
namespace {

/// Cells of a study with what is known about them before they run.
class DryRun {
 public:
  explicit DryRun(const StudyOptions& options)
      : options_(options),
        study_(read_study_file(options.path, options.quick)),
        planner_(options, study_, nullptr, -1) {}

  std::string json() {
    for (SeedGroup& group : planner_.groups()) {
      if (group.keys.empty()) continue;
      group.chosen = changes_to(group.keys, candidate(group.keys, 0, group.place));
    }
    planner_.plan(true, [] {});
    if (planner_.stopped()) throw RunError("interrupted");
    const auto statuses = known_statuses();
    std::vector<Json> rows(planner_.cells().size());
    for (SeedGroup& group : planner_.groups()) {
      for (const std::size_t k : group.cells) rows[k] = row(group, planner_.cells()[k], statuses);
    }
    Json json = {{"study", study_.name}, {"cells", Json::array()}};
    for (Json& one : rows) {
      if (!one.is_null()) json["cells"].push_back(std::move(one));
    }
    if (study_.tune) json["tune_gradients"] = study_.tune->gradients;
    return json_text(json) + "\n";
  }

 private:
  std::map<std::string, LedgerStatus> known_statuses() const {
    if (!std::filesystem::exists(options_.folder + "/study.sqlite")) return {};
    const auto remark = [this](const std::string& text) {
      if (options_.remark) options_.remark(text);
    };
    return read_ledger(options_.folder, remark)->statuses();
  }

  Json row(SeedGroup& group, const StudyCell& cell,
           const std::map<std::string, LedgerStatus>& statuses) {
    const bool tuned = !group.keys.empty();
    const std::string id = tuned ? "" : planner_.identity(group, cell).sha256.substr(0, 16);
    if (!matches(options_.only, cell.label, id)) return nullptr;
    Json row = {{"cell", tuned ? Json() : Json(id)},
                {"label", cell.label},
                {"model", cell.model},
                {"variant", cell.variant},
                {"seed", cell.seed}};
    const Json axes = parse_json(cell.axes);
    for (const auto& [key, value] : axes.items()) row[key] = value;
    const auto known = statuses.find(id);
    row["status"] = to_string(known == statuses.end() ? CellStatus::pending : known->second.status);
    row["class"] = group.plan ? Json(to_string(group.plan->certificate)) : Json();
    row["refused"] = group.plan ? group.plan->refused : group.no_plan;
    const CostEstimate none;
    const CostEstimate& cost = group.plan && group.plan->cost ? *group.plan->cost : none;
    row["gradients"] = finite_or_null(cost.gradients);
    row["seconds"] = finite_or_null(cost.seconds);
    row["tuned"] = tuned;
    if (!cost.reason.empty()) row["reason"] = cost.reason;
    return row;
  }

  const StudyOptions& options_;
  const StudyFile study_;
  Planner planner_;
};

}  // namespace
}  // namespace study

std::string study_plan_json(const StudyOptions& options) { return study::DryRun(options).json(); }

}  // namespace mixwell
