// The ledger keeps the contents of a study's records in RAM, and writes each change to disk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/records.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace mixwell::study {

/// The state of a cell, as one process has last read or written it.
struct CellState {
  CellStatus status = CellStatus::pending;
  std::int64_t attempts = 0;
  std::string reference;  ///< id of the reference it was compared with; "" = none
  std::string started_at;
  bool has_record = false;
  bool is_damaged = false;  ///< whether the record of the cell exists but is damaged
};

/// The ledger of one process. Each change is written to the records before it changes this object.
/// The `take_` functions read changes that other processes made. All functions throw InputError for
/// a record that Mixwell did not write. Functions that write also throw WriteError. After a
/// WriteError, the function may be called again.
class Ledger {
 public:
  explicit Ledger(std::string folder)
      : folder_(std::move(folder)), outline_(read_outline(folder_)) {}

  /// Reads the records of all cells, and corrects the index of ended cells. Returns the files of
  /// all damaged records.
  std::vector<std::string> take_cells();
  void take_cell(const std::string& cell);
  void take_tuning(const std::string& tuning);

  const Outline& outline() const noexcept { return outline_; }
  CellState known(const std::string& cell) const;

  /// Sets the places of the study. Keeps the records of cells that no longer have a place.
  void lay_out(std::vector<StudyPlace> places);
  /// Writes descriptions of cells that have no record. Calls `describe` only for cells that have no
  /// description yet.
  void keep_pending(const std::vector<std::string>& cells,
                    const std::function<CellRow(std::size_t)>& describe);
  /// Sets failed cells of the study to pending.
  void reopen();

  /// Marks a cell as running. `begun`: how often the cell was started, including starts by
  /// processes that were killed.
  void start(const std::string& cell, std::int64_t begun);
  /// Marks a cell as pending, without a record.
  void put_off(const std::string& cell);
  /// Writes the record of a cell that has ended, or that this process suspends. Adds the start time
  /// and the number of attempts from the ledger.
  void keep(CellRow row, std::vector<CellMetric> metrics = {}, const ReferenceErrors& errors = {});
  /// Replaces the errors and the curve of a cell.
  void compare(const std::string& cell, const ReferenceErrors& errors);

  void set(const std::map<std::string, std::string>& facts);

  /// The score of one trial. NaN if the trial has no score; nothing if the trial was not made yet.
  std::optional<double> known_score(const std::string& tuning, std::int64_t rung,
                                    std::int64_t candidate) const;
  /// The number of gradients that trials in rungs before `rung` have spent, as far as known.
  double spent(const std::string& tuning, std::int64_t rung) const;
  void know_trial(const std::string& tuning, const StudyTrial& trial);
  void choose(const std::string& tuning, std::int64_t rung, std::int64_t candidate);
  bool has_chosen(const std::string& tuning) const;

 private:
  const Trials& trials_of(const std::string& tuning) const;
  void put_index_in_order() const;
  void forget(const std::string& cell) const;
  void keep_tuning(const std::string& tuning) const;

  std::string folder_;
  Outline outline_;
  std::unordered_map<std::string, CellState> cells_;
};

}  // namespace mixwell::study
