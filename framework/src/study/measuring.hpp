// Runs trials, computes the results of a cell, and manages the folder in which the cell runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/task.hpp"

#include <mixwell/lab/distances.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/stop_request.hpp>

#include <map>
#include <string>
#include <vector>

namespace mixwell::study {

/// Runs the composition in memory until its gradients reach `budget`. First evaluations, a pilot of
/// at most 5 sweeps per phase, warmup and sampling all count. The share of warmup in the sweeps is
/// as in [run], but warmup has at most as many sweeps as in [run]. `objective`:
/// min_ess_per_gradient, mean_ess_per_gradient or min_ess_per_second, from ess_bulk of the
/// posterior variables and the cost of the whole evaluation. Keeps all draws in memory. Ends early
/// when `stop` is made. The result is then meaningless.
TrialResult evaluate_trial(const Composition& composition, double budget,
                           const std::string& objective, const StopRequest& stop);

/// Estimates the cost of the whole run from two sweeps of each phase.
CostEstimate estimate_cost(const Composition& composition);

/// All figures of a cell except host, time and errors.
CellFigures cell_figures(const RunResult& result);

/// Mean and covariance of all draws of a reference, with the names of the variables.
struct ReferenceMoments {
  std::vector<std::string> names;
  diagnostics::Moments moments;
  Eigen::VectorXd mcse;  ///< Monte Carlo errors of the means; all draws count as one chain
};

/// References, each made from one or more files (draws.nc, CSV, folders of runs). Reads each
/// reference once.
class References {
 public:
  /// Throws InputError if a file cannot be read or if the files have different names.
  const ReferenceMoments& of(const std::vector<std::string>& paths);

 private:
  std::map<std::vector<std::string>, ReferenceMoments> known_;
};

/// The errors of a run, without ReferenceErrors::reference and reason. Empty if the run and the
/// reference have no variable in common, or if there are fewer than two draws.
///   curve     relative errors of mean and covariance (REM and REC of summaries) at about 20 points
///             of the run, evenly spaced in log(draws). The errors at a point use all draws up to
///             this point. The cost of a point is the cost of warmup plus a share of the cost of
///             sampling, in proportion to its draws. O(n d^2). The error of the mean is unknown if
///             the reference means are not distinct from 0, because an error relative to noise has
///             no meaning.
///   distance  over all draws, for variables that vary in the reference. mean_error_mcse: the
///             largest |mean - reference mean| in units of the Monte Carlo errors of both sides.
///             mean_error_sd: the largest |mean - reference mean| in units of the reference's sd.
///             within_4_mcse: the share of variables whose means agree within 4 Monte Carlo errors.
///             compared_variables: the number of variables. sd_ratio_min and sd_ratio_max: the
///             extremes of sd / reference sd. O(n d log n).
ReferenceErrors errors_against(const ReferenceMoments& reference, const DrawsFile& file,
                               const RunRecord& run);

/// The folder in which a cell runs: the folder of the cell, or a folder of this process on a local
/// disk of the node. A folder on a local disk starts with the checkpoint from the folder of the
/// cell. When the run has ended or was suspended, all files are moved to the folder of the cell. If
/// the process is killed, the folder of the cell keeps its earlier contents, and Mixwell does not
/// remove the files on the local disk.
class CellPlace {
 public:
  /// `scratch`: a folder on a local disk of the node; "" = use the folder of the cell. Throws
  /// RunError if the disk cannot be written.
  CellPlace(const std::string& cell_folder, const std::string& scratch);
  ~CellPlace();
  CellPlace(const CellPlace&) = delete;
  CellPlace& operator=(const CellPlace&) = delete;

  const std::string& folder() const noexcept { return folder_; }

  /// Moves all files to the folder of the cell, and replaces the earlier contents of that folder.
  /// Flushes the files to disk before they get their final names. Throws RunError.
  void bring_home() const;

 private:
  bool is_away() const noexcept { return folder_ != home_; }
  std::string home_;
  std::string folder_;
};

}  // namespace mixwell::study
