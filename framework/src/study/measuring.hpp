// What a worker does for a cell: what it measures, and where the files are meanwhile.
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

/// Runs the composition in memory until its gradients (first evaluations, a pilot of 5 sweeps of
/// each phase, warm-up and sampling) reach `budget`; warm-up gets the share of the sweeps it has in
/// [run], but never more sweeps than there. `objective`: min_ess_per_gradient,
/// mean_ess_per_gradient or min_ess_per_second of ess_bulk over the variables of the posterior,
/// cost being that of the whole evaluation. Keeps all draws in memory. Ends early, with a result
/// that means nothing, when `stop` is made.
TrialResult evaluate_trial(const Composition& composition, double budget,
                           const std::string& objective, const StopRequest& stop);

/// Of the whole run, from two sweeps of each phase.
CostEstimate estimate_cost(const Composition& composition);

/// All but host, time and errors.
CellFigures cell_figures(const RunResult& result);

/// Mean and covariance of all draws of a reference, and the names of what they are of.
struct ReferenceMoments {
  std::vector<std::string> names;
  diagnostics::Moments moments;
  Eigen::VectorXd mcse;  ///< of the means; all draws count as one chain
};

/// References by the files (draws.nc, CSV, folders of runs) whose draws make them together; each is
/// read once.
class References {
 public:
  /// Throws InputError for files that cannot be read or do not have the same names.
  const ReferenceMoments& of(const std::vector<std::string>& paths);

 private:
  std::map<std::vector<std::string>, ReferenceMoments> known_;
};

/// What ReferenceErrors says of a run, but for its reference and reason; nothing where no variable
/// is on both sides or there are no two draws.
///   curve     relative errors of mean and covariance (REM and REC of summaries) of all draws up to
///             about 20 points of the run, spread evenly over log(draws); cost is that of warm-up
///             and sampling, taken in proportion to the draws. O(n d^2). Of the mean not known
///             where the reference's means are not apart from 0: an error relative to noise says
///             nothing.
///   distance  of all draws, over variables that vary in the reference: mean_error_mcse and
///             mean_error_sd, the largest |mean - reference mean| in Monte Carlo errors of both and
///             in the reference's sd; within_4_mcse, the share of variables whose means are;
///             compared_variables, how many there are; sd_ratio_min and sd_ratio_max, of sd /
///             reference sd. O(n d log n).
ReferenceErrors errors_against(const ReferenceMoments& reference, const DrawsFile& file,
                               const RunRecord& run);

/// The folder that a cell runs in. With a disk of the node that is a folder of this process there,
/// which begins with the checkpoint that the cell has left, and whose files go to the cell's own
/// folder when the run has ended or was suspended. A process that is killed leaves what the folder
/// had before; its files on the node are the node's to tidy.
class CellPlace {
 public:
  /// `scratch` "": the cell's own folder. Throws RunError where the disk takes nothing.
  CellPlace(const std::string& cell_folder, const std::string& scratch);
  ~CellPlace();
  CellPlace(const CellPlace&) = delete;
  CellPlace& operator=(const CellPlace&) = delete;

  const std::string& folder() const noexcept { return folder_; }

  /// All files into the cell's own folder, instead of those that it had, on the disk before
  /// they have their names. Throws RunError.
  void bring_home() const;

 private:
  bool is_away() const noexcept { return folder_ != home_; }
  std::string home_;
  std::string folder_;
};

}  // namespace mixwell::study
