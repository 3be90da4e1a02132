// What cells are compared with: the draws of a file or of a variant, and the errors against them.
// SPDX-License-Identifier: Apache-2.0
#include "study/comparison.hpp"

#include "files/json.hpp"
#include "files/sha256.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace mixwell::study {

void Comparison::begin(std::vector<std::string> ids,
                       const std::map<std::string, LedgerStatus>& statuses) {
  ids_ = std::move(ids);
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    if (is_reference(k) && statuses.at(ids_[k]).status == CellStatus::done && has_draws(ids_[k]))
      done_.insert(ids_[k]);
  }
}

bool Comparison::is_reference(std::size_t cell) const {
  return !study_.reference_variant.empty() &&
         planner_.cells()[cell].variant == study_.reference_variant;
}

bool Comparison::has_draws(const std::string& id) const {
  return std::filesystem::exists(folder_of(id) + "/draws.nc");
}

void Comparison::ended(const std::string& id, bool done) {
  --open_;
  if (done) done_.insert(id);
}

bool Comparison::must_wait(std::size_t cell) const {
  return study_.keep == "summary" && open_ > 0 && !is_reference(cell);
}

Json Comparison::reference_of(const SeedGroup& group) {
  for (const std::string& name : {planner_.cells()[group.cells.front()].model, std::string()}) {
    const auto file = study_.references.find(name);
    if (file != study_.references.end())
      return {{"id", planner_.hashes().of(file->second)}, {"paths", {file->second}}};
  }
  std::set<std::string> cells;
  for (const std::size_t r : group.references) {
    for (const std::size_t k : planner_.groups()[r].cells) cells.insert(ids_[k]);
  }
  if (cells.empty()) return nullptr;
  std::string all;
  Json paths = Json::array();
  for (const std::string& cell : cells) {
    if (!done_.contains(cell)) return nullptr;
    all += cell;
    paths.push_back(folder_of(cell));
  }
  return {{"id", sha256(all)}, {"paths", paths}};
}

void Comparison::run() {
  const auto statuses = ledger_.statuses();
  const auto known = ledger_.compared();
  std::set<std::string> seen;
  std::vector<std::string> cells;
  std::vector<WorkItem> tasks;
  std::int64_t lost = 0;
  for (const SeedGroup& group : planner_.groups()) {
    const Json reference = reference_of(group);
    const std::string id = reference.is_null() ? "" : reference.at("id").get<std::string>();
    for (const std::size_t k : group.cells) {
      const std::string& cell = ids_[k];
      if (statuses.at(cell).status != CellStatus::done || !seen.insert(cell).second) continue;
      const auto before = known.find(cell);
      if ((before == known.end() ? "" : before->second) == id) continue;
      if (!id.empty() && has_draws(cell)) {
        const Json request = {
            {"do", "compare"}, {"folder", folder_of(cell)}, {"reference", reference}};
        tasks.push_back({cells.size(), json_text(request)});
        cells.push_back(cell);
        continue;
      }
      if (!id.empty()) ++lost;
      if (before != known.end()) reporter_.patiently([&] { ledger_.compare(cell, {}); });
    }
  }
  if (lost > 0) {
    reporter_.remark(
        fmt::format("{} finished cells kept no draws: how far they are from the reference is not "
                    "known; with keep = \"draws\" and another --out they run anew",
                    lost));
  }
  if (tasks.empty()) return;
  reporter_.progress().stage = "comparing";
  RequestList batch(
      std::move(tasks),
      [&](std::size_t k, Json answer) {
        if (status_of(answer) == WorkerStatus::suspended) return;
        explain(answer);
        reporter_.patiently([&] { ledger_.compare(cells[k], answer); });
      },
      [this] { reporter_.tell(); });
  planner_.pool().run(batch);
}

void Comparison::explain(const Json& answer) {
  const std::string reason =
      answer.value("reference_reason", status_of(answer) == WorkerStatus::failed
                                           ? answer.value("reason", std::string())
                                           : std::string());
  if (!reason.empty() && explained_.insert(reason).second)
    reporter_.remark("no errors against the reference: " + reason);
}

}  // namespace mixwell::study
