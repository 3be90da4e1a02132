// Studies: many runs from one file, in worker processes, and the records of what came of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/run.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mixwell {

/// What has become of a cell.
enum class CellStatus { pending, running, done, failed };

/// "pending", ... as in tables of studies.
MIXWELL_EXPORT std::string_view to_string(CellStatus status) noexcept;

/// Where a cell stands in its study.
struct StudyCell {
  std::string label;  ///< MODEL/VARIANT/KEY=VALUE,.../SEED, unique in the study
  std::string model;
  std::string variant;
  std::int64_t seed = 0;
  /// The manifest that stands instead of the study's base; empty = the base.
  std::string manifest;
  std::string axes;  ///< JSON object: dotted key -> value
  /// What makes its manifest out of the base, in this order; run.seed comes last.
  std::vector<Override> changes;
  /// run.seed of its manifest: `seed` with pair_random_numbers, else a number of its label.
  std::int64_t run_seed = 0;
};

/// All cells of a study file in order; makes no component. Throws InputError naming
/// file:line:column, key, value, rule and cure.
MIXWELL_EXPORT std::vector<StudyCell> study_cells(const std::string& path, bool quick = false);

/// Counts of the cells that this call looks after; in the stage "tuning" of its trials, where
/// those without a score have failed.
struct StudyProgress {
  std::int64_t total = 0;
  std::int64_t done = 0;    ///< with those that were finished before
  std::int64_t failed = 0;  ///< likewise
  std::int64_t running = 0;
  std::int64_t elsewhere = 0;  ///< at work in other processes
  std::int64_t ended = 0;      ///< in this call
  double seconds = 0.0;        ///< since this call began to run cells
  std::string stage;           ///< "planning", "tuning", "running", "waiting for the disk"
};

struct StudyOptions {
  std::string path;     ///< STUDY.toml
  std::string folder;   ///< of the results
  std::string program;  ///< whose `worker` command serves as worker process
  int jobs = 0;         ///< worker processes; 0 = as many as cores
  /// Only cells whose id begins with it or whose label matches it as a shell pattern; one without
  /// *, ? or [ may stand anywhere in the label.
  std::string only;
  bool retry = false;  ///< failed cells run again
  /// One of several processes at work on the study, on any machine that sees the folder: it runs
  /// what no other is at, writes no study.sqlite, and ends when nothing is left for it.
  bool worker = false;
  /// A disk of the machine that each cell runs on, from which its files are moved to `folder` when
  /// it has ended or was suspended; "" = it runs in `folder`.
  std::string scratch;
  bool prepare = false;  ///< writes down for workers what the cells are, and runs none
  bool quick = false;    ///< as [study.quick] says: one seed, and the changes of that table
  std::function<void(const StudyProgress&)> progress;
  std::function<void(const std::string&)> remark;  ///< a sentence for the user
  const StopRequest* stop = nullptr;               ///< made by Ctrl-C
};

struct StudyResult {
  std::string folder;
  StudyProgress progress;
  bool interrupted = false;
  std::vector<std::string> findings{};  ///< as StudyTable::findings()
};

/// Runs what is not finished, with whoever else is at it: no cell is run by two processes that
/// live. Throws InputError for a study file or cell that is wrong, where another process leads the
/// same study, and for a worker whose files differ from those of the study; RunError
/// when the disk stays full.
MIXWELL_EXPORT StudyResult run_study(const StudyOptions& options);

/// What workers of a study need to be told, and in which stages they work.
struct StudyOutline {
  std::string name;
  std::int64_t threads = 1;       ///< of each cell
  bool tunes = false;             ///< cells wait for the tuning of their variant
  bool references_first = false;  ///< other cells wait for those of the reference variant
};

/// Throws InputError for a study file that is wrong.
MIXWELL_EXPORT StudyOutline study_outline(const std::string& path, bool quick = false);

/// How far a study is at which others work, by its records: calls `progress` about once a second
/// until all of its cells have ended, `stop` is made, or `goes_on` says no. Reads only. Throws
/// InputError where no study is.
MIXWELL_EXPORT StudyResult follow_study(const StudyOptions& options,
                                        const std::function<bool()>& goes_on);

/// A list or a table, as JSON.
struct JsonText {
  std::string text;
};

/// What stands in a column; std::monostate where it is not known.
using StudyValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, JsonText>;

/// A cell of a study before it runs. Of figures NaN, of texts "" means "not known".
struct PlannedCell {
  std::string cell;  ///< its id; of one that waits for tuning not known
  std::string label;
  std::string model;
  std::string variant;
  std::int64_t seed = 0;
  std::vector<std::pair<std::string, StudyValue>> axes;  ///< dotted key, value
  CellStatus status = CellStatus::pending;
  std::optional<std::string> certificate;  ///< the class as a word
  std::string refused;                     ///< why it must not run
  double gradients = std::numeric_limits<double>::quiet_NaN();
  double seconds = std::numeric_limits<double>::quiet_NaN();
  std::string reason;  ///< why its cost is not known
  bool tuned = false;  ///< it waits for tuning
};

struct StudyPlan {
  std::string study;
  std::vector<PlannedCell> cells;
  std::optional<double> tune_gradients;  ///< what tuning may spend
};

/// What would be run, without running it; cost from two sweeps of each phase, once for cells that
/// differ only in the seed. Writes nothing. Throws InputError for a study file or cell that is
/// wrong, RunError where it is stopped.
MIXWELL_EXPORT StudyPlan plan_study(const StudyOptions& options);
/// `{"study", "cells": [{"cell", "label", "model", "variant", "seed", AXES..., "status", "class",
/// "refused", "gradients", "seconds", "tuned", "reason"}...], "tune_gradients"}`; the last two
/// where there are any.
MIXWELL_EXPORT std::string study_plan_json(const StudyPlan& plan);

/// How far the first draws of a run are from a reference.
struct ErrorPoint {
  std::int64_t draws = 0;
  double gradients = 0.0;   ///< of warm-up and sampling so far
  double seconds = 0.0;     ///< likewise
  double error_mean = 0.0;  ///< relative, as in a ReferenceSummary; NaN where not known
  double error_covariance = 0.0;
};

/// A row of the table of a study. Of figures NaN, of texts "" means "not known".
struct StudyRow {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::string cell;
  std::string variant;
  std::string model;
  std::int64_t seed = 0;
  CellStatus status = CellStatus::pending;
  std::string reason;  ///< why it failed
  /// The class of its certificate as a word; "" where its manifest could not be made.
  std::optional<std::string> certificate;
  double min_ess = unknown;
  double min_ess_mcse = unknown;
  double gradients = unknown;  ///< of the sampling phase
  double seconds = unknown;    ///< likewise
  std::optional<EndedBy> outcome;
  std::optional<std::int64_t> draws;
  double warmup_gradients = unknown;
  double warmup_seconds = unknown;
  double cell_seconds = unknown;  ///< of all that its worker did
  std::string draws_sha256;
  /// Whether each choice of its tuning rests on scores; nothing where nothing was tuned.
  std::optional<bool> tuned;
  std::int64_t attempts = 0;
  std::string started_at;
  std::string ended_at;
  std::string host;
  std::vector<ErrorPoint> curve;
  std::vector<StudyValue> axes;  ///< as StudyTable::axes
  std::vector<double> metrics;   ///< as StudyTable::metrics
};

/// One evaluation of a tuning.
struct StudyTrial {
  std::string model;
  std::string variant;
  std::string axes;  ///< JSON object: dotted key -> value
  std::int64_t rung = 0;
  std::int64_t candidate = 0;
  std::string values;  ///< what it tried, likewise
  std::string objective;
  double score = 0.0;  ///< NaN where there is none
  double gradients = 0.0;
  double seconds = 0.0;
  std::string reason;  ///< why there is no score
  bool winner = false;
};

/// What one tuning spent, and on what grounds it chose.
struct StudyTuning {
  std::string model;
  std::string variant;
  std::string axes;  ///< JSON object: dotted key -> value
  std::int64_t trials = 0;
  std::int64_t scored = 0;    ///< trials that have a score
  double gradients = 0.0;     ///< of all trials; NaN where no trial told
  std::optional<bool> tuned;  ///< as in a StudyRow; nothing before it has chosen
  std::string reason;         ///< why a trial has no score
};

/// `[[study.paper]]`: a published figure.
struct PaperFigure {
  std::string where;   ///< JSON object: variant, model, seed or axis -> value or list of values
  std::string metric;  ///< a column of the table
  double value = 0.0;
  std::string source;
};

/// `[study.alias]`: one name for axes that stand for the same thing in different variants or
/// models.
struct AxisAlias {
  std::string name;
  std::vector<std::string> axes;  ///< dotted keys, of which a cell has one at most

  bool stands_for(std::string_view axis) const {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  }
};

/// What is known of every cell of a study.
struct StudyTable {
  std::string study;
  std::string file;
  std::vector<std::string> axes;   ///< dotted keys
  std::vector<AxisAlias> aliases;  ///< each a column, which has the value of the cell's own axis
  /// Figures of the summaries, and the errors of those that have one as NAME_mcse.
  std::vector<std::string> metrics;
  std::vector<StudyRow> rows;
  std::vector<StudyTrial> tune;
  std::vector<StudyTuning> tunings;
  double tune_gradients = StudyRow::unknown;  ///< the budget of each tuning
  std::vector<PaperFigure> paper;

  /// What a reader must know before the figures, a sentence each: tunings that chose without a
  /// score, and tunings that spent different budgets.
  MIXWELL_EXPORT std::vector<std::string> findings() const;
  /// The names of all columns, those of axes, aliases and metrics among them.
  MIXWELL_EXPORT std::vector<std::string> columns() const;
  /// Of one of its rows, as the columns.
  MIXWELL_EXPORT std::vector<StudyValue> values(const StudyRow& row) const;
};

/// By the records in the folder of a study, also while it runs. `remark` is told of records that
/// are damaged: what they said is not known. Throws InputError for a folder that has no records.
MIXWELL_EXPORT StudyTable read_study_table(
    const std::string& study_folder,
    const std::function<void(const std::string&)>& remark = [](const std::string&) {});

/// The table as `mixwell study STUDY --table --json` prints it: `{"study", "file", "axes":
/// [KEY...], "aliases": [{"name", "axes": [KEY...]}...], "columns": [NAME...], "rows": [{COLUMN:
/// VALUE...}...], "tune", "tunings", "findings", "paper"}`; unknown values are null.
MIXWELL_EXPORT std::string study_table_json(const StudyTable& table);
/// Of read_study_table().
MIXWELL_EXPORT std::string study_table_json(
    const std::string& study_folder,
    const std::function<void(const std::string&)>& remark = [](const std::string&) {});

/// Why a cell has (or has not) been run anew: its ingredients beside those of the cell that stood
/// in its place before, as text. `cell`: the beginning of an id, or a label; `remark` as for the
/// table. Throws InputError.
MIXWELL_EXPORT std::string study_why(
    const std::string& study_folder, const std::string& cell,
    const std::function<void(const std::string&)>& remark = [](const std::string&) {});

/// The other side of a study: reads requests from descriptor 0 and answers on descriptor 3, JSON
/// lines both, until its input ends. Ends with the process that started it.
MIXWELL_EXPORT void serve_study(const Registry& registry);

/// JSON schema (draft 2020-12) of study files.
MIXWELL_EXPORT std::string study_schema(const Registry& registry);

}  // namespace mixwell
