// Studies: many runs from one file, in worker processes, and the records of their results.
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

/// The state of a cell.
enum class CellStatus { pending, running, done, failed };

/// Returns the status as tables of studies show it, such as "pending".
MIXWELL_EXPORT std::string_view to_string(CellStatus status) noexcept;

/// One cell of a study: its place in the study, and its manifest.
struct StudyCell {
  std::string label;  ///< MODEL/VARIANT/KEY=VALUE,.../SEED, unique in the study
  std::string model;
  std::string variant;
  std::int64_t seed = 0;
  /// A manifest that replaces the study's base, or "" for the base.
  std::string manifest;
  std::string axes;  ///< JSON object: dotted key -> value
  /// The changes that turn the base into the cell's manifest when applied in this order. The last
  /// one sets run.seed.
  std::vector<Override> changes;
  /// run.seed of the cell's manifest. It equals `seed` if pair_random_numbers is true. Otherwise it
  /// is computed from the cell's label.
  std::int64_t run_seed = 0;
};

/// Returns all cells of a study file in order, without creating components. Throws InputError if
/// the file is invalid. The error states file:line:column, key, value, rule and fix.
MIXWELL_EXPORT std::vector<StudyCell> study_cells(const std::string& path, bool quick = false);

/// Counts of the cells in one call to run_study or follow_study. In the stage "tuning", these are
/// counts of trials instead. A trial without a score is a failed trial.
struct StudyProgress {
  std::int64_t total = 0;
  std::int64_t done = 0;    ///< including cells that finished earlier
  std::int64_t failed = 0;  ///< including cells that failed earlier
  std::int64_t running = 0;
  std::int64_t elsewhere = 0;  ///< running in other processes
  std::int64_t ended = 0;      ///< ended in this call
  double seconds = 0.0;        ///< time since this call began to run cells
  std::string stage;           ///< "planning", "tuning", "running", "waiting for the disk"
};

/// Options of run_study(), follow_study() and plan_study().
struct StudyOptions {
  std::string path;     ///< STUDY.toml
  std::string folder;   ///< folder of the results
  std::string program;  ///< program to start as a worker process, with the command `worker`
  int jobs = 0;         ///< worker processes; 0 = one for each core
  /// Run only cells whose id begins with this text or whose label matches it as a shell pattern. A
  /// text without *, ? or [ matches every label that contains it.
  std::string only;
  bool retry = false;  ///< run failed cells again
  /// Run as one of several processes that share the study, on any machine that can access the
  /// folder. The process runs cells that no other process is running, does not write study.sqlite,
  /// and ends when no cells remain for it.
  bool worker = false;
  /// A folder on a local disk in which each cell runs. The cell's files are moved to `folder` when
  /// the cell ends or is suspended. "" means that cells run in `folder`.
  std::string scratch;
  bool prepare = false;  ///< write the list of cells for workers, and run no cells
  bool quick = false;    ///< use [study.quick]: one seed, and the changes in that table
  std::function<void(const StudyProgress&)> progress;
  std::function<void(const std::string&)> remark;  ///< receives remarks for the user
  const StopRequest* stop = nullptr;               ///< request to stop, made by Ctrl-C
};

/// The result of a call to run_study or follow_study.
struct StudyResult {
  std::string folder;
  StudyProgress progress;
  bool interrupted = false;
  std::vector<std::string> findings{};  ///< result of StudyTable::findings()
};

/// Runs all unfinished cells. Other processes may run cells of the same study at the same time. Two
/// live processes never run the same cell. Throws InputError if the study file or a cell is
/// invalid, or if another process that is not a worker is already running this study. A worker also
/// throws InputError if its study file, data, plugins or program differ from the recorded ones.
/// Throws RunError if the disk stays full.
MIXWELL_EXPORT StudyResult run_study(const StudyOptions& options);

/// The settings of a study that its workers need, and the stages of their work.
struct StudyOutline {
  std::string name;
  std::int64_t threads = 1;       ///< threads of each cell
  bool tunes = false;             ///< cells wait for the tuning of their variant
  bool references_first = false;  ///< other cells wait for the cells of the reference variant
};

/// Reads the outline of a study file. Throws InputError if the file is invalid.
MIXWELL_EXPORT StudyOutline study_outline(const std::string& path, bool quick = false);

/// Follows a study that other processes run. Reads its records and calls `progress` about once a
/// second until all cells of the study have ended, a request to stop is made, or `goes_on` returns
/// false. Writes no files. Throws InputError if there is no study.
MIXWELL_EXPORT StudyResult follow_study(const StudyOptions& options,
                                        const std::function<bool()>& goes_on);

/// A list or a table, as JSON.
struct JsonText {
  std::string text;
};

/// The value of a cell in a column, or std::monostate if the value is unknown.
using StudyValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, JsonText>;

/// A cell of a study before it runs. NaN and "" mean "unknown".
struct PlannedCell {
  std::string cell;  ///< id of the cell, unknown while the cell waits for tuning
  std::string label;
  std::string model;
  std::string variant;
  std::int64_t seed = 0;
  std::vector<std::pair<std::string, StudyValue>> axes;  ///< dotted key, value
  CellStatus status = CellStatus::pending;
  std::optional<std::string> certificate;  ///< class of the certificate, as a word
  std::string refused;                     ///< why the cell must not run
  double gradients = std::numeric_limits<double>::quiet_NaN();
  double seconds = std::numeric_limits<double>::quiet_NaN();
  std::string reason;  ///< why the cost is unknown
  bool tuned = false;  ///< the cell waits for tuning
};

/// The cells of a study with their certificates and costs, before they run.
struct StudyPlan {
  std::string study;
  std::vector<PlannedCell> cells;
  std::optional<double> tune_gradients;  ///< the budget of tuning
};

/// Returns the cells of a study without running them. Estimates costs from two sweeps of each
/// phase. Cells that differ only in the seed share one estimate. Writes no files. Throws InputError
/// if the study file or a cell is invalid, and RunError if the planning is stopped.
MIXWELL_EXPORT StudyPlan plan_study(const StudyOptions& options);
/// Returns `{"study", "cells": [{"cell", "label", "model", "variant", "seed", AXES..., "status",
/// "class", "refused", "gradients", "seconds", "tuned", "reason"}...], "tune_gradients"}`. Omits
/// "reason" and "tune_gradients" if they are empty.
MIXWELL_EXPORT std::string study_plan_json(const StudyPlan& plan);

/// The distance between the first `draws` draws of a run and a reference.
struct ErrorPoint {
  std::int64_t draws = 0;
  double gradients = 0.0;   ///< gradients of warmup and sampling so far
  double seconds = 0.0;     ///< seconds of warmup and sampling so far
  double error_mean = 0.0;  ///< relative error as in ReferenceSummary, or NaN if unknown
  double error_covariance = 0.0;
};

/// A row of the table of a study. NaN and "" mean "unknown".
struct StudyRow {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  std::string cell;
  std::string variant;
  std::string model;
  std::int64_t seed = 0;
  CellStatus status = CellStatus::pending;
  std::string reason;  ///< why the cell failed
  /// The class of the cell's certificate as a word, or "" if the cell's manifest could not be made.
  std::optional<std::string> certificate;
  double min_ess = unknown;
  double min_ess_mcse = unknown;
  double gradients = unknown;  ///< gradients of the sampling phase
  double seconds = unknown;    ///< seconds of the sampling phase
  std::optional<EndedBy> outcome;
  std::optional<std::int64_t> draws;
  double warmup_gradients = unknown;
  double warmup_seconds = unknown;
  double cell_seconds = unknown;  ///< seconds that the worker spent on the cell
  std::string draws_sha256;
  /// True if each choice of the cell's tuning is based on scores. Empty if nothing was tuned.
  std::optional<bool> tuned;
  std::int64_t attempts = 0;
  std::string started_at;
  std::string ended_at;
  std::string host;
  std::vector<ErrorPoint> curve;
  std::vector<StudyValue> axes;  ///< in the order of StudyTable::axes
  std::vector<double> metrics;   ///< in the order of StudyTable::metrics
};

/// The evaluation of one candidate in a tuning.
struct StudyTrial {
  std::string model;
  std::string variant;
  std::string axes;  ///< JSON object: dotted key -> value
  std::int64_t rung = 0;
  std::int64_t candidate = 0;
  std::string values;  ///< the values that were tried, as a JSON object
  std::string objective;
  double score = 0.0;  ///< NaN if there is no score
  double gradients = 0.0;
  double seconds = 0.0;
  std::string reason;  ///< why there is no score
  bool winner = false;
};

/// The cost of one tuning, and the basis of its choice.
struct StudyTuning {
  std::string model;
  std::string variant;
  std::string axes;  ///< JSON object: dotted key -> value
  std::int64_t trials = 0;
  std::int64_t scored = 0;    ///< trials with a score
  double gradients = 0.0;     ///< gradients of all trials; NaN if no trial reported any
  std::optional<bool> tuned;  ///< StudyRow::tuned; empty until the tuning has chosen a candidate
  std::string reason;         ///< why a trial has no score
};

/// A published number, from `[[study.paper]]`.
struct PaperFigure {
  std::string where;   ///< JSON object: variant, model, seed or axis -> value or list of values
  std::string metric;  ///< a column of the table
  double value = 0.0;
  std::string source;
};

/// One name for axes that mean the same in different variants or models, from `[study.alias]`.
struct AxisAlias {
  std::string name;
  std::vector<std::string> axes;  ///< dotted keys; a cell has at most one of them

  bool stands_for(std::string_view axis) const {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  }
};

/// Everything that is known about the cells of a study.
struct StudyTable {
  std::string study;
  std::string file;
  std::vector<std::string> axes;  ///< dotted keys
  /// Each alias adds a column. It contains the cell's value for whichever axis of AxisAlias::axes
  /// the cell has.
  std::vector<AxisAlias> aliases;
  /// Names of columns from the summaries. If NAME has a Monte Carlo standard error, it is in the
  /// column NAME_mcse.
  std::vector<std::string> metrics;
  std::vector<StudyRow> rows;
  std::vector<StudyTrial> tune;
  std::vector<StudyTuning> tunings;
  double tune_gradients = StudyRow::unknown;  ///< the budget of each tuning
  std::vector<PaperFigure> paper;

  /// Warnings to read before using the table. They name tunings that chose a candidate without a
  /// score, and tunings that spent unequal numbers of gradients.
  MIXWELL_EXPORT std::vector<std::string> findings() const;
  /// The names of all columns, including axes, aliases and metrics.
  MIXWELL_EXPORT std::vector<std::string> columns() const;
  /// The values of a row of this table, in the order of columns().
  MIXWELL_EXPORT std::vector<StudyValue> values(const StudyRow& row) const;
};

/// Reads the table from the records in the folder of a study, which may be running. `remark`
/// receives a remark about each damaged record. The content of such a record counts as unknown.
/// Throws InputError if the folder has no records.
MIXWELL_EXPORT StudyTable read_study_table(
    const std::string& study_folder,
    const std::function<void(const std::string&)>& remark = [](const std::string&) {});

/// Returns the table as `mixwell study STUDY --table --json` prints it: `{"study", "file", "axes":
/// [KEY...], "aliases": [{"name", "axes": [KEY...]}...], "columns": [NAME...], "rows": [{COLUMN:
/// VALUE...}...], "tune", "tunings", "findings", "paper"}`. Unknown values are null.
MIXWELL_EXPORT std::string study_table_json(const StudyTable& table);
/// Returns study_table_json(read_study_table(study_folder, remark)).
MIXWELL_EXPORT std::string study_table_json(
    const std::string& study_folder,
    const std::function<void(const std::string&)>& remark = [](const std::string&) {});

/// Returns a text that explains why a cell was or was not run again. The text compares the
/// manifest, plugins, data and libmixwell of the cell with those of the previous cell that had the
/// same label. `cell` is the beginning of an id, or a label. `remark` receives a remark about each
/// damaged record. Throws InputError if no cell matches `cell`.
MIXWELL_EXPORT std::string study_why(
    const std::string& study_folder, const std::string& cell,
    const std::function<void(const std::string&)>& remark = [](const std::string&) {});

/// Serves as a worker process of a study. Reads requests from file descriptor 0 and writes answers
/// to file descriptor 3, both as JSON lines, until the requests end. The worker process ends when
/// the process that started it ends.
MIXWELL_EXPORT void serve_study(const Registry& registry);

/// Returns the JSON schema (draft 2020-12) of study files.
MIXWELL_EXPORT std::string study_schema(const Registry& registry);

}  // namespace mixwell
