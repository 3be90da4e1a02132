// A study's records: files with rows and a hash. Only the records define the study's state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/rows.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>
#include <mixwell/lab/study.hpp>

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::study {

/// The contents of a record.
enum class RecordKind {
  study,    ///< name, file, axes, aliases and published values of the study: study.json
  places,   ///< the places of the study and their present and past cells: places.json
  tuning,   ///< the trials of a tuning: tune/KEY.json
  cell,     ///< the results of a cell that has ended: cells/KEY/cell.json
  pending,  ///< descriptions of cells that have no record yet: pending.json
  plans,    ///< plans and hashes that need not be computed again: plans.json
};

/// The name of a kind in the table `seals`.
const char* kind_name(RecordKind kind);

/// The file of a record in a study's folder: {"format": 1, "sha256": hash of the rows, "rows":
/// {TABLE: [ROW...]...}}.
MIXWELL_EXPORT std::string record_file(const std::string& folder, RecordKind kind,
                                       const std::string& key = {});
/// The keys of all records of a kind that have a file. The only key is "" for a kind with a single
/// file.
std::vector<std::string> recorded_keys(const std::string& folder, RecordKind kind);
/// Whether the folder has a record of a study, of its places or of a cell.
bool has_records(const std::string& folder);
/// Throws InputError if has_records() is false.
void check_is_study(const std::string& folder);

using Remark = std::function<void(const std::string&)>;
/// Reports damaged records.
void tell_damaged(const std::vector<std::string>& files, const Remark& remark);

/// The file of a record as found on disk.
struct RecordFile {
  bool is_damaged = false;  ///< the file exists, but its contents do not match the hash
  std::string sha256;
  std::string rows;  ///< JSON; "" if there is no record or if it is damaged
};

RecordFile read_record(const std::string& file);
/// The hash in the first line of a file. Does not check the hash. "" if there is no record.
std::string recorded_hash(const std::string& file);
/// Throws WriteError.
MIXWELL_EXPORT void write_record(const std::string& file, const Json& rows);

/// Throws InputError for a record whose rows are invalid although the seal is correct. Mixwell did
/// not write such a record.
[[noreturn]] void refuse_record(const std::string& file, const std::string& why);

/// `skipped` omits texts that no table shows: manifest, ingredients, versions, summary and run of a
/// cell, and the history of places. Parsing would spend most of its time on these texts.
enum class LongTexts { kept, skipped };

/// Throws nlohmann's exceptions.
Json parse_rows(const std::string& rows, LongTexts texts);

/// Applies `use` to the rows of a record. Returns nothing if the record is missing or damaged.
/// Throws InputError for a record that Mixwell did not write.
template <class Use>
auto use_record(const std::string& file, Use use, LongTexts texts = LongTexts::kept,
                bool* is_damaged = nullptr) -> std::optional<decltype(use(Json()))> {
  const RecordFile record = read_record(file);
  if (is_damaged != nullptr) *is_damaged = record.is_damaged;
  if (record.rows.empty()) return std::nullopt;
  try {
    return use(parse_rows(record.rows, texts));
  } catch (const Json::exception& fault) {
    refuse_record(file, fault.what());
  }
}

/// The results of a cell.
struct CellRecord {
  CellRow row;
  std::vector<CellMetric> metrics;
  std::string reference;  ///< id of the reference it was compared with; "" = none
};

MIXWELL_EXPORT Json json_of(const CellRecord& record);

/// Reads the record of a cell. Nothing if there is no undamaged record. Sets `is_damaged` to
/// whether there is a damaged record. Throws InputError.
MIXWELL_EXPORT std::optional<CellRecord> read_cell(const std::string& folder,
                                                   const std::string& cell, LongTexts texts,
                                                   bool* is_damaged = nullptr);
/// Descriptions of cells that have no record, by cell. Throws InputError.
std::map<std::string, CellRow> read_pending(const std::string& folder, LongTexts texts);

/// How the cell has ended according to its record: `done` or `failed`. Nothing if the cell has not
/// ended or if there is no undamaged record.
std::optional<CellStatus> recorded_end(const std::string& folder, const std::string& cell);

/// Calls `use` and returns its result. Throws InputError if there is no study in `folder`, or if
/// Mixwell did not write a record: the seal is correct, but a text in the record has the wrong
/// form.
template <class Use>
auto read_study(const std::string& folder, Use use) {
  check_is_study(folder);
  try {
    return use();
  } catch (const Json::exception& fault) {
    throw InputError(fmt::format(
        "{}: one of the records in this folder was not written by Mixwell ({}). Replace the "
        "folder with an undamaged copy.",
        folder, fault.what()));
  }
}

/// The present and past cells of each label. The last cell is the present one.
using PlaceHistory = std::map<std::string, std::vector<PastCell>>;
/// The trials of a tuning, by rung and candidate.
using Trials = std::map<std::pair<std::int64_t, std::int64_t>, TrialRow>;

struct Outline {
  std::map<std::string, std::string> facts;
  std::vector<StudyPlace> places;
  PlaceHistory history;
  std::map<std::string, Trials> tunings;  ///< all present and past tunings, by id
  std::vector<std::string> damaged;       ///< files of damaged records

  /// The fact with this key. "" if the fact is unknown.
  std::string fact(const std::string& key) const;
  /// The trials of the present study, sorted by model, variant and axes as texts.
  std::vector<TrialRow> trials() const;
  /// Summaries of the tunings of the present study, in the same order. A tuning is tuned if the
  /// winner of the last rung has a score, and if each earlier rung kept only trials with a score or
  /// dropped no trial.
  std::vector<TuningSum> sums() const;
};

/// Reads all undamaged records. Throws InputError for a record that Mixwell did not write.
Outline read_outline(const std::string& folder, LongTexts texts = LongTexts::kept);
/// These functions read one kind of record each and throw the same errors.
void read_places(const std::string& folder, LongTexts texts, Outline& outline);
void read_tuning(const std::string& folder, const std::string& tuning, Outline& outline);

Json json_of_places(const Outline& outline);
Json json_of(const Trials& trials);

}  // namespace mixwell::study
