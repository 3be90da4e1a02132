// The ledger keeps the contents of a study's records in RAM, and writes each change to disk.
// SPDX-License-Identifier: Apache-2.0
#include "study/ledger.hpp"

#include "base/clock.hpp"
#include "files/whole_file.hpp"
#include "study/claims.hpp"

#include <mixwell/base/machine.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell::study {
namespace {

/// Writes a record only if its contents change.
void write_changed(const std::string& file, const Json& rows) {
  if (read_record(file).rows != json_text(rows)) write_record(file, rows);
}

/// Replaces the entry of a cell in the index.
void index_again(const std::string& folder, const std::string& cell, CellStatus status) {
  forget_end(folder, cell);
  index_end(folder, cell, status);
}

/// The errors of all draws. Omits values that are not finite, because such errors are unknown.
std::vector<CellMetric> last_errors(const ReferenceErrors& against) {
  std::vector<CellMetric> errors = against.distance;
  if (!against.curve.empty()) {
    errors.push_back({"error_mean", against.curve.back().error_mean});
    errors.push_back({"error_covariance", against.curve.back().error_covariance});
  }
  std::erase_if(errors, [](const CellMetric& error) { return !std::isfinite(error.value); });
  return errors;
}

void put_errors(const ReferenceErrors& errors, CellRecord& record) {
  record.row.curve = errors.curve;
  record.reference = errors.reference;
  for (CellMetric& error : last_errors(errors)) record.metrics.push_back(std::move(error));
}

/// Reads the records of these cells.
std::vector<CellState> read_states(const std::string& folder,
                                   const std::vector<std::string>& cells) {
  std::vector<CellState> found(cells.size());
  parallel_for(static_cast<Index>(cells.size()), [&](Index at) {
    const auto k = static_cast<std::size_t>(at);
    const auto record = read_cell(folder, cells[k], LongTexts::skipped, &found[k].is_damaged);
    if (!record) return;
    found[k].status = record->row.status;
    found[k].attempts = record->row.attempts;
    found[k].reference = record->reference;
    found[k].has_record = true;
  });
  return found;
}

}  // namespace

std::vector<std::string> Ledger::take_cells() {
  const std::vector<std::string> cells = recorded_keys(folder_, RecordKind::cell);
  std::vector<CellState> found = read_states(folder_, cells);
  std::vector<std::string> damaged = outline_.damaged;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (found[k].is_damaged) damaged.push_back(record_file(folder_, RecordKind::cell, cells[k]));
    cells_[cells[k]] = std::move(found[k]);
  }
  put_index_in_order();
  return damaged;
}

void Ledger::take_cell(const std::string& cell) {
  cells_[cell] = read_states(folder_, {cell}).front();
}

void Ledger::take_tuning(const std::string& tuning) { read_tuning(folder_, tuning, outline_); }

CellState Ledger::known(const std::string& cell) const {
  const auto found = cells_.find(cell);
  return found == cells_.end() ? CellState() : found->second;
}

/// Makes the index agree with the records of ended cells.
void Ledger::put_index_in_order() const {
  EndStatuses indexed = indexed_ends(folder_);
  for (const auto& [cell, state] : cells_) {
    if (!has_ended(state.status)) continue;
    const auto one = indexed.find(cell);
    if (one == indexed.end() || one->second != state.status)
      index_again(folder_, cell, state.status);
    if (one != indexed.end()) indexed.erase(one);
  }
  for (const auto& [cell, status] : indexed) forget_end(folder_, cell);
}

void Ledger::lay_out(std::vector<StudyPlace> places) {
  const std::string now = timestamp();
  outline_.places = std::move(places);
  for (const StudyPlace& place : outline_.places) {
    std::vector<PastCell>& past = outline_.history[place.label];
    if (past.empty() || past.back().cell != place.cell)
      past.push_back({place.label, std::ssize(past) + 1, place.cell, now});
  }
  write_changed(record_file(folder_, RecordKind::places), json_of_places(outline_));
}

void Ledger::keep_pending(const std::vector<std::string>& cells,
                          const std::function<CellRow(std::size_t)>& describe) {
  std::map<std::string, CellRow> rows = read_pending(folder_, LongTexts::kept);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const bool is_new = !known(cells[k]).has_record && !rows.contains(cells[k]);
    if (is_new) rows[cells[k]] = describe(k);
  }
  std::vector<CellRow> kept;
  for (auto& [cell, row] : rows) {
    if (!known(cell).has_record) kept.push_back(std::move(row));
  }
  write_changed(record_file(folder_, RecordKind::pending), {{"cells", json_of_rows(kept)}});
}

void Ledger::reopen() {
  for (const StudyPlace& place : outline_.places) {
    const auto found = cells_.find(place.cell);
    if (found == cells_.end() || found->second.status != CellStatus::failed) continue;
    auto record = read_cell(folder_, place.cell, LongTexts::kept);
    found->second.status = CellStatus::pending;
    forget_end(folder_, place.cell);
    if (!record) continue;
    record->row.status = CellStatus::pending;
    record->row.reason = record->row.ended_at = "";
    write_record(record_file(folder_, RecordKind::cell, place.cell), json_of(*record));
  }
}

/// Removes the record of a cell and its entry in the index. Neither may exist while the cell runs.
void Ledger::forget(const std::string& cell) const {
  forget_end(folder_, cell);
  ::unlink(record_file(folder_, RecordKind::cell, cell).c_str());
}

void Ledger::start(const std::string& cell, std::int64_t begun) {
  CellState& state = cells_[cell];
  state.status = CellStatus::running;
  state.has_record = false;
  state.attempts += begun;
  state.started_at = timestamp();
  forget(cell);
}

void Ledger::put_off(const std::string& cell) {
  cells_[cell].status = CellStatus::pending;
  forget(cell);
}

void Ledger::keep(CellRow row, std::vector<CellMetric> metrics, const ReferenceErrors& errors) {
  CellState& state = cells_[row.cell];
  row.attempts = state.attempts;
  row.started_at = state.started_at;
  if (has_ended(row.status)) row.ended_at = timestamp();
  CellRecord record{std::move(row), std::move(metrics), {}};
  put_errors(errors, record);
  const CellRow& kept = record.row;
  write_record(record_file(folder_, RecordKind::cell, kept.cell), json_of(record));
  if (has_ended(kept.status)) index_end(folder_, kept.cell, kept.status);
  state.has_record = true;
  state.status = kept.status;
  state.reference = record.reference;
}

void Ledger::compare(const std::string& cell, const ReferenceErrors& errors) {
  auto record = read_cell(folder_, cell, LongTexts::kept);
  if (!record) return;
  std::erase_if(record->metrics, [](const CellMetric& metric) {
    return std::find(error_metrics.begin(), error_metrics.end(), metric.name) !=
           error_metrics.end();
  });
  put_errors(errors, *record);
  write_record(record_file(folder_, RecordKind::cell, cell), json_of(*record));
  index_again(folder_, cell, record->row.status);
  cells_[cell].reference = record->reference;
}

void Ledger::set(const std::map<std::string, std::string>& facts) {
  for (const auto& [key, value] : facts) outline_.facts[key] = value;
  Json rows = Json::array();
  for (const auto& [key, value] : outline_.facts) rows.push_back({{"key", key}, {"value", value}});
  write_changed(record_file(folder_, RecordKind::study), {{"study", rows}});
}

const Trials& Ledger::trials_of(const std::string& tuning) const {
  static const Trials none;
  const auto found = outline_.tunings.find(tuning);
  return found == outline_.tunings.end() ? none : found->second;
}

std::optional<double> Ledger::known_score(const std::string& tuning, std::int64_t rung,
                                          std::int64_t candidate) const {
  const Trials& trials = trials_of(tuning);
  const auto found = trials.find({rung, candidate});
  if (found == trials.end()) return std::nullopt;
  return found->second.score;
}

double Ledger::spent(const std::string& tuning, std::int64_t rung) const {
  double sum = 0.0;
  for (const auto& [place, trial] : trials_of(tuning))
    sum += place.first < rung && !std::isnan(trial.gradients) ? trial.gradients : 0.0;
  return sum;
}

void Ledger::know_trial(const std::string& tuning, const StudyTrial& trial) {
  outline_.tunings[tuning][{trial.rung, trial.candidate}] = {trial, tuning};
  keep_tuning(tuning);
}

void Ledger::choose(const std::string& tuning, std::int64_t rung, std::int64_t candidate) {
  for (auto& [place, trial] : outline_.tunings[tuning])
    trial.winner = place == std::pair(rung, candidate);
  keep_tuning(tuning);
}

bool Ledger::has_chosen(const std::string& tuning) const {
  const Trials& trials = trials_of(tuning);
  return std::any_of(trials.begin(), trials.end(),
                     [](const auto& one) { return one.second.winner; });
}

void Ledger::keep_tuning(const std::string& tuning) const {
  write_record(record_file(folder_, RecordKind::tuning, tuning), json_of(trials_of(tuning)));
}

}  // namespace mixwell::study
