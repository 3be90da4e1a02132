// What a study keeps: records, files of rows under a seal. They are the truth of a study.
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

/// What one record holds, and its file.
enum class RecordKind {
  study,    ///< what the study is called, its file, axes, aliases and published figures: study.json
  places,   ///< the places of the study and the cells that stood there: places.json
  tuning,   ///< the trials of a tuning: tune/KEY.json
  cell,     ///< what came of a cell that has ended: cells/KEY/cell.json
  pending,  ///< what cells are that have no record of their own yet: pending.json
  plans,    ///< what does not have to be computed again: plans.json
};

/// Of the table `seals` and in messages.
const char* kind_name(RecordKind kind);

/// The file of a record in a study's folder: {"format": 1, "sha256": of the rows, "rows": {TABLE:
/// [ROW...]...}}.
MIXWELL_EXPORT std::string record_file(const std::string& folder, RecordKind kind,
                                       const std::string& key = {});
/// The keys that have a file; only "" for a kind that has one file.
std::vector<std::string> recorded_keys(const std::string& folder, RecordKind kind);
/// Whether there is a record of a study, its places or a cell.
bool has_records(const std::string& folder);
/// Throws InputError where there is none.
void check_is_study(const std::string& folder);

using Remark = std::function<void(const std::string&)>;
/// Tells of records that are not whole.
void tell_damaged(const std::vector<std::string>& files, const Remark& remark);

/// A file as it was found.
struct RecordFile {
  bool is_damaged = false;  ///< it is there, and not as it was written
  std::string sha256;
  std::string rows;  ///< JSON; "" where there is no record, or it is damaged
};

RecordFile read_record(const std::string& file);
/// The hash in its first line, unchecked; "" where there is no record.
std::string recorded_hash(const std::string& file);
/// Throws WriteError.
MIXWELL_EXPORT void write_record(const std::string& file, const Json& rows);

/// The seal is right and the rows are not: somebody has made it so.
[[noreturn]] void refuse_record(const std::string& file, const std::string& why);

/// `skipped` leaves out what no table shows, and most of the time that parsing takes: manifest,
/// ingredients, versions, summary and run of a cell; the history of places.
enum class LongTexts { kept, skipped };

/// Throws nlohmann's exceptions.
Json parse_rows(const std::string& rows, LongTexts texts);

/// What `use` makes of the rows of a record; nothing where it is not there or damaged. Throws
/// InputError for one that no study has written.
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

/// What came of a cell.
struct CellRecord {
  CellRow row;
  std::vector<CellMetric> metrics;
  std::string reference;  ///< what it was compared with; "" = with nothing
};

MIXWELL_EXPORT Json json_of(const CellRecord& record);

/// Nothing where there is no whole record; `is_damaged` then says whether there is one. Throws
/// InputError.
MIXWELL_EXPORT std::optional<CellRecord> read_cell(const std::string& folder,
                                                   const std::string& cell, LongTexts texts,
                                                   bool* is_damaged = nullptr);
/// What cells are that have no record of their own, by cell. Throws InputError.
std::map<std::string, CellRow> read_pending(const std::string& folder, LongTexts texts);

/// How the cell of a record has ended, `done` or `failed`; nothing where there is no whole one.
std::optional<CellStatus> recorded_end(const std::string& folder, const std::string& cell);

/// What `use` returns. Throws InputError where there is no study in `folder`, and where a text in a
/// record is not of the form in which a study writes it: somebody else has, under a right seal.
template <class Use>
auto read_study(const std::string& folder, Use use) {
  check_is_study(folder);
  try {
    return use();
  } catch (const Json::exception& fault) {
    throw InputError(
        fmt::format("{}: a record in it is not as a study writes it: {}", folder, fault.what()));
  }
}

/// By label, what stood there, the last of them now.
using PlaceHistory = std::map<std::string, std::vector<PastCell>>;
/// Of a tuning, by rung and candidate.
using Trials = std::map<std::pair<std::int64_t, std::int64_t>, TrialRow>;

struct Outline {
  std::map<std::string, std::string> facts;
  std::vector<StudyPlace> places;
  PlaceHistory history;
  std::map<std::string, Trials> tunings;  ///< all that there ever were, by id
  std::vector<std::string> damaged;       ///< files of records that are not whole

  /// "" for one that is not known.
  std::string fact(const std::string& key) const;
  /// The trials of the study as it is now, in the order of models, variants and axes as texts.
  std::vector<TrialRow> trials() const;
  /// Its tunings, likewise. A choice is tuned if each of its rungs kept only trials with a score,
  /// or left nothing out; the winner of the last rung must have one.
  std::vector<TuningSum> sums() const;
};

/// Of what is whole. Throws InputError for a record that no study has written.
Outline read_outline(const std::string& folder, LongTexts texts = LongTexts::kept);
/// Of two of the kinds, likewise.
void read_places(const std::string& folder, LongTexts texts, Outline& outline);
void read_tuning(const std::string& folder, const std::string& tuning, Outline& outline);

Json json_of_places(const Outline& outline);
Json json_of(const Trials& trials);

}  // namespace mixwell::study
