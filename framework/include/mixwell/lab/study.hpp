// Studies: many runs from one file, in worker processes, and the ledger of what came of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
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
  /// The manifest that stands in the place of the study's base; empty = the base.
  std::string manifest;
  std::string axes;  ///< JSON object: dotted key -> value
  /// What makes its manifest out of the base, in this order.
  std::vector<Override> changes;
};

/// All cells of a study file in order; makes no component. Throws InputError naming
/// file:line:column, key, value, rule and cure.
MIXWELL_EXPORT std::vector<StudyCell> study_cells(const std::string& path, bool quick = false);

/// Counts of the cells that this call looks after.
struct StudyProgress {
  std::int64_t total = 0;
  std::int64_t done = 0;    ///< with those that were finished before
  std::int64_t failed = 0;  ///< likewise
  std::int64_t running = 0;
  std::int64_t ended = 0;  ///< in this call
  double seconds = 0.0;    ///< since this call began to run cells
  std::string stage;       ///< "planning", "tuning", "running", "waiting for the disk"
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
  bool quick = false;  ///< as [study.quick] says: one seed, and the changes of that table
  std::function<void(const StudyProgress&)> progress;
  std::function<void(const std::string&)> remark;  ///< a sentence for the user
  const std::atomic<bool>* stop = nullptr;         ///< set by Ctrl-C
};

struct StudyResult {
  std::string folder;
  StudyProgress progress;
  bool interrupted = false;
};

/// Runs what is not finished. Throws InputError for a study file or cell that is wrong, and where
/// another process is at work on the same study; RunError when the disk stays full.
MIXWELL_EXPORT StudyResult run_study(const StudyOptions& options);

/// What would be run, without running it: `{"study", "cells": [{"cell", "label", "model",
/// "variant", "seed", AXES..., "status", "class", "refused", "gradients", "seconds"}]}`; cost from
/// two sweeps of each phase, once for cells that differ in the seed alone. Writes nothing.
MIXWELL_EXPORT std::string study_plan_json(const StudyOptions& options);

/// `{"study", "file", "axes": [KEY...], "columns": [NAME...], "rows": [{COLUMN: VALUE...}...],
/// "tune", "paper"}` of the folder of a study, also while it runs. Unknown values are null. Where
/// the ledger is damaged or gone, from the folders of the cells, and `remark` is told. Throws
/// InputError for a folder that has neither.
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
