// Compares cells with reference draws, which come from a file or from a variant.
// SPDX-License-Identifier: Apache-2.0
#include "study/comparison.hpp"

#include "base/present_call.hpp"
#include "files/sha256.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace mixwell::study {

void Comparison::begin(std::vector<std::string> ids) {
  ids_ = std::move(ids);
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    if (!is_reference(k)) continue;
    const bool is_done = ledger_.known(ids_[k]).status == CellStatus::done;
    if (is_done && has_draws(ids_[k])) done_.insert(ids_[k]);
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

std::optional<ReferenceFiles> Comparison::reference_of(const SeedGroup& group) {
  for (const std::string& name : {planner_.first_of(group).model, std::string()}) {
    const auto file = study_.references.find(name);
    if (file != study_.references.end())
      return ReferenceFiles{planner_.hashes().of(file->second), {file->second}};
  }
  std::set<std::string> cells;
  for (const std::size_t r : group.references) {
    for (const std::size_t k : planner_.groups()[r].cells) cells.insert(ids_[k]);
  }
  if (cells.empty()) return std::nullopt;
  ReferenceFiles reference;
  for (const std::string& cell : cells) {
    if (!done_.contains(cell)) return std::nullopt;
    reference.id += cell;
    reference.paths.push_back(folder_of(cell));
  }
  reference.id = sha256(reference.id);
  return reference;
}

/// Returns tasks for the finished cells that must be compared with the present reference. If such a
/// cell has no draws or no reference, removes its errors instead.
std::vector<WorkItem> Comparison::outdated() {
  std::set<std::string> seen;
  std::vector<WorkItem> tasks;
  std::int64_t lost = 0;
  for (const SeedGroup& group : planner_.groups()) {
    const std::optional<ReferenceFiles> reference = reference_of(group);
    const std::string id = reference ? reference->id : "";
    for (const std::size_t k : group.cells) {
      const CellState known = ledger_.known(ids_[k]);
      if (known.status != CellStatus::done || known.reference == id || !seen.insert(ids_[k]).second)
        continue;
      if (!id.empty() && has_draws(ids_[k])) {
        tasks.push_back({k, CompareRequest{folder_of(ids_[k]), *reference}});
        continue;
      }
      lost += id.empty() ? 0 : 1;
      if (!known.reference.empty()) compare(ids_[k], {});
    }
  }
  if (lost > 0) {
    reporter_.remark(fmt::format(
        "{} finished cells kept no draws, so Mixwell cannot compare these cells with the "
        "reference. Set keep = \"draws\" and run the study again with a different --out.",
        lost));
  }
  return tasks;
}

void Comparison::compare(const std::string& cell, const ReferenceErrors& errors) {
  explain(errors.reason);
  reporter_.patiently([&] { ledger_.compare(cell, errors); });
  has_compared_ = true;
}

bool Comparison::run() {
  const CallMark mark("the comparison with the reference");
  std::vector<WorkItem> tasks = outdated();
  if (tasks.empty()) return has_compared_;
  reporter_.progress().stage = "comparing";
  planner_.pool().run(
      std::move(tasks),
      [&](std::size_t k, const WorkerAnswer& answer) {
        if (answer.status == WorkerStatus::suspended) return;
        ReferenceErrors errors;
        errors.reason = answer.reason;
        if (answer.status == WorkerStatus::done) errors = std::get<ReferenceErrors>(answer.result);
        compare(ids_[k], errors);
      },
      [this](std::size_t) { reporter_.tell(); });
  return has_compared_;
}

void Comparison::explain(const std::string& reason) {
  if (!reason.empty() && explained_.insert(reason).second)
    reporter_.remark("Mixwell cannot compare cells with the reference: " + reason);
}

}  // namespace mixwell::study
