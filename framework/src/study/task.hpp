// What a study asks of its workers, and what they say.
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

/// Of figures.
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// The manifest of a cell: the text of a base, where that stands, and what is changed in it.
struct CellManifest {
  std::string text;
  std::string path;
  std::vector<Override> changes;
};

/// What draws are compared with: draws.nc, CSV, folders of runs.
struct ReferenceFiles {
  std::string id;  ///< a hash of what is in them
  std::vector<std::string> paths;
};

struct PlanRequest {
  CellManifest manifest;
  int threads = 1;
  bool estimate = false;  ///< the cost as well
};

struct RunRequest {
  CellManifest manifest;
  int threads = 1;
  std::string folder;
  std::string scratch;  ///< a disk of the node, where it runs; "" = in its folder
  bool keeps_draws = true;
  std::optional<ReferenceFiles> reference;
};

struct TrialRequest {
  CellManifest manifest;
  int threads = 1;
  double budget = 0.0;  ///< in gradients
  std::string objective;
};

/// About a run that has ended; makes no component.
struct CompareRequest {
  std::string folder;
  ReferenceFiles reference;
};

using WorkerRequest = std::variant<PlanRequest, RunRequest, TrialRequest, CompareRequest>;

/// A data file of a manifest.
struct DataFile {
  std::string named;  ///< as in the effective manifest
  std::string path;
  std::string sha256;  ///< when the plan was made; filled in by the planner
};

/// What a whole run would cost.
struct CostEstimate {
  double gradients = unknown;
  double seconds = unknown;
  std::string reason;  ///< why it is not known
};

struct CellPlan {
  std::string manifest;  ///< effective
  std::vector<std::string> libraries;
  std::vector<DataFile> files;
  CertificateClass certificate = CertificateClass::none;
  std::string refused;               ///< why it must not run; "" if it may
  std::optional<CostEstimate> cost;  ///< where it was asked for
};

struct CellMetric {
  std::string name;
  double value = unknown;
  double mcse = unknown;
};

/// How far a run is from a reference.
struct ReferenceErrors {
  std::string reference;  ///< ReferenceFiles::id; "" = not compared
  std::string reason;     ///< why it cannot be compared
  std::vector<ErrorPoint> curve;
  std::vector<CellMetric> distance;  ///< see errors_against()
};

/// The metrics that come of a summary, in the table of a study; see cell_figures().
inline constexpr std::array summary_metrics = {
    "mean_ess",    "min_ess_per_gradient", "mean_ess_per_second", "min_ess_per_second",
    "max_rhat",    "not_judged",           "acceptance",          "ebfmi",
    "divergences", "test_error",           "error_rate"};

/// The metrics that ReferenceErrors are, in the table of a study.
inline constexpr std::array error_metrics = {
    "error_mean",    "error_covariance",   "mean_error_mcse", "mean_error_sd",
    "within_4_mcse", "compared_variables", "sd_ratio_min",    "sd_ratio_max"};

/// What a record says of a cell, but for metrics and what it was compared with.
struct CellRow : StudyRow {
  std::string sha256;       ///< of all its ingredients; `cell` is its first 16 digits
  std::string versions;     ///< JSON, as in run.json
  std::string ingredients;  ///< JSON, see Identity
  std::string manifest;     ///< effective
  std::string summary;      ///< summary.json
  std::string run;          ///< run.json
};

/// What came of a cell.
struct CellFigures {
  CellRow row;  ///< without what the cell is
  std::vector<CellMetric> metrics;
  ReferenceErrors errors;
};

/// One evaluation of a tuning.
struct TrialResult {
  double score = unknown;
  double gradients = unknown;
  double seconds = unknown;
  std::string reason;  ///< why there is no score
};

/// How a task ended. `suspended`: it was asked to stop; `disk`: no room on the disk, to be tried
/// again; `bad_input`: the manifest is wrong.
enum class WorkerStatus { done, failed, suspended, disk, bad_input };

struct WorkerAnswer {
  WorkerStatus status = WorkerStatus::failed;
  std::string reason;  ///< why it is not done
  /// Of a plan, a run, a trial or a comparison that is done.
  std::variant<std::monostate, CellPlan, CellFigures, TrialResult, ReferenceErrors> result;
};

/// The descriptor that a worker answers on. Its first line, of no request, says that its plugins
/// are loaded.
inline constexpr int answer_descriptor = 3;

MIXWELL_EXPORT std::string line_of(const WorkerRequest& request);
/// What is no UTF-8 becomes U+FFFD.
MIXWELL_EXPORT std::string line_of(const WorkerAnswer& answer);
/// Throw RunError for any other line.
MIXWELL_EXPORT WorkerRequest request_from(const std::string& line);
MIXWELL_EXPORT WorkerAnswer answer_from(const std::string& line);

/// False where nobody reads any more.
bool write_line(int descriptor, std::string line);

/// A plan as a study remembers it. Throws nlohmann's exceptions.
std::string plan_text(const CellPlan& plan);
CellPlan plan_from(const std::string& text);

}  // namespace mixwell::study
