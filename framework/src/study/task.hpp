// The requests of a study to its workers, and their answers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/study.hpp>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mixwell::study {

/// An unknown figure.
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// The manifest of a cell: the text and path of a base, and the changes to it.
struct CellManifest {
  std::string text;
  std::string path;
  std::vector<Override> changes;
};

/// Files whose draws are a reference: draws.nc, CSV, folders of runs.
struct ReferenceFiles {
  std::string id;  ///< hash of the contents of the files
  std::vector<std::string> paths;
};

struct PlanRequest {
  CellManifest manifest;
  int threads = 1;
  bool estimate = false;  ///< whether to estimate the cost of the run too
};

struct RunRequest {
  CellManifest manifest;
  int threads = 1;
  std::string folder;
  std::string scratch;  ///< folder on a local disk of the node to run in; "" = run in `folder`
  bool keeps_draws = true;
  std::optional<ReferenceFiles> reference;
};

struct TrialRequest {
  CellManifest manifest;
  int threads = 1;
  double budget = 0.0;  ///< in gradients
  std::string objective;
};

/// A request to compare a finished run with a reference. The worker makes no components for it.
struct CompareRequest {
  std::string folder;
  ReferenceFiles reference;
};

using WorkerRequest = std::variant<PlanRequest, RunRequest, TrialRequest, CompareRequest>;

/// A data file of a manifest.
struct DataFile {
  std::string named;  ///< name of the file in the effective manifest
  std::string path;
  std::string sha256;  ///< hash of the contents at the time of the plan; the planner fills it in
};

/// The estimated cost of a whole run.
struct CostEstimate {
  double gradients = unknown;
  double seconds = unknown;
  std::string reason;  ///< why the cost is unknown
};

struct CellPlan {
  std::string manifest;  ///< effective
  std::vector<std::string> libraries;
  std::vector<DataFile> files;
  CertificateClass certificate = CertificateClass::none;
  std::string refused;               ///< why the cell must not run; "" if it may run
  std::optional<CostEstimate> cost;  ///< only if requested
};

struct CellMetric {
  std::string name;
  double value = unknown;
  double mcse = unknown;
};

/// The errors of a run against a reference.
struct ReferenceErrors {
  std::string reference;  ///< ReferenceFiles::id; "" = not compared
  std::string reason;     ///< why the run cannot be compared
  std::vector<ErrorPoint> curve;
  std::vector<CellMetric> distance;  ///< see errors_against()
};

/// Metrics from a summary in the table of a study; see cell_figures().
inline constexpr std::array summary_metrics = {
    "mean_ess",    "min_ess_per_gradient", "mean_ess_per_second", "min_ess_per_second",
    "max_rhat",    "not_judged",           "acceptance",          "ebfmi",
    "divergences", "test_error",           "error_rate"};

/// Metrics from ReferenceErrors in the table of a study.
inline constexpr std::array error_metrics = {
    "error_mean",    "error_covariance",   "mean_error_mcse", "mean_error_sd",
    "within_4_mcse", "compared_variables", "sd_ratio_min",    "sd_ratio_max"};

/// The record of a cell, without metrics and reference.
struct CellRow : StudyRow {
  std::string sha256;       ///< hash of all ingredients; the first 16 digits are `cell`
  std::string versions;     ///< JSON, as in run.json
  std::string ingredients;  ///< JSON, see Identity
  std::string manifest;     ///< effective
  std::string summary;      ///< summary.json
  std::string run;          ///< run.json
};

/// The results of a cell.
struct CellFigures {
  CellRow row;  ///< without the description of the cell
  std::vector<CellMetric> metrics;
  ReferenceErrors errors;
};

/// The result of one trial of a tuning.
struct TrialResult {
  double score = unknown;
  double gradients = unknown;
  double seconds = unknown;
  std::string reason;  ///< why there is no score
};

/// How a task ended. `suspended`: the worker was asked to stop. `disk`: the disk is full, so the
/// task must be tried again. `bad_input`: the manifest is wrong.
enum class WorkerStatus { done, failed, suspended, disk, bad_input };

struct WorkerAnswer {
  WorkerStatus status = WorkerStatus::failed;
  std::string reason;  ///< why the task is not done
  /// The result of a plan, a run, a trial or a comparison that is done.
  std::variant<std::monostate, CellPlan, CellFigures, TrialResult, ReferenceErrors> result;
};

/// The file descriptor for the answers of a worker. The first line answers no request. It reports
/// that the plugins are loaded.
inline constexpr int answer_descriptor = 3;

MIXWELL_EXPORT std::string line_of(const WorkerRequest& request);
/// Invalid UTF-8 becomes U+FFFD.
MIXWELL_EXPORT std::string line_of(const WorkerAnswer& answer);
/// These functions throw RunError for an invalid line.
MIXWELL_EXPORT WorkerRequest request_from(const std::string& line);
MIXWELL_EXPORT WorkerAnswer answer_from(const std::string& line);

/// Returns false if no process reads the lines any more.
bool write_line(int descriptor, std::string line);

/// The text of a plan in the records of a study. plan_from() throws nlohmann's exceptions.
std::string plan_text(const CellPlan& plan);
CellPlan plan_from(const std::string& text);

}  // namespace mixwell::study
