// The ledger of a study: what its records say, in memory, and how they are written.
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

/// What a process knows of a cell.
struct CellState {
  CellStatus status = CellStatus::pending;
  std::int64_t attempts = 0;
  std::string reference;  ///< what its errors were measured against: the id of one; "" = nothing
  std::string started_at;
  bool has_record = false;
  bool is_damaged = false;  ///< its record is there, and not whole
};

/// Of one process. What it writes it writes into the records first; who else writes them is heard
/// of by the `take_` functions. All throw InputError for a record that no study has written, and
/// those that write WriteError, which leaves the ledger such that it may be called again.
class Ledger {
 public:
  explicit Ledger(std::string folder)
      : folder_(std::move(folder)), outline_(read_outline(folder_)) {}

  /// What all records say of cells; puts the index of ended cells in order. Returns the files of
  /// all records that are damaged.
  std::vector<std::string> take_cells();
  void take_cell(const std::string& cell);
  void take_tuning(const std::string& tuning);

  const Outline& outline() const noexcept { return outline_; }
  CellState known(const std::string& cell) const;

  /// Makes these the study's places; what came of cells that are in none any more is kept.
  void lay_out(std::vector<StudyPlace> places);
  /// Keeps what cells are that have no record; `describe` is asked for those not known yet.
  void keep_pending(const std::vector<std::string>& cells,
                    const std::function<CellRow(std::size_t)>& describe);
  /// Failed cells of the study are pending again.
  void reopen();

  /// A cell begins, as often as that was with processes that were killed.
  void start(const std::string& cell, std::int64_t begun);
  /// It has not ended, is nobody's, and has no record.
  void put_off(const std::string& cell);
  /// What came of a cell that has ended, or is put off for good: a record. Times and attempts are
  /// those that are known here.
  void keep(CellRow row, std::vector<CellMetric> metrics = {}, const ReferenceErrors& errors = {});
  /// Errors and curve of a cell, instead of those that it had.
  void compare(const std::string& cell, const ReferenceErrors& errors);

  void set(const std::map<std::string, std::string>& facts);

  /// Of one evaluation of a tuning, NaN where it has none; nothing if it was not made yet.
  std::optional<double> known_score(const std::string& tuning, std::int64_t rung,
                                    std::int64_t candidate) const;
  /// Gradients of the trials before that rung, as far as they are known.
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
