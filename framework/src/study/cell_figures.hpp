// What a study keeps of a run beside its summary.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "summary_reference.hpp"

#include <mixwell/distances.hpp>
#include <mixwell/draws.hpp>

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace mixwell::study {

using Json = nlohmann::ordered_json;

/// Monte Carlo standard error of the effective sample size `ess_bulk` of one quantity, draws x
/// (replicates * slots), chain = replicate * slots + slot.
///
/// From 4 replicates on, the jackknife over g = min(replicates, 20) groups of whole replicates:
/// with e_k the ess_bulk without group k, scaled to all chains, sqrt((g - 1) / g sum (e_k - mean
/// e)^2). With fewer, every chain is cut into 8 pieces in time, and the error is sqrt(8) sd of the
/// 8 pieces' ess_bulk, which must have at least 50 draws a chain. NaN where neither can be had. O(g
/// n log n).
double ess_mcse(const diagnostics::Draws& draws, Eigen::Index replicates);

/// Reference moments, read once for each file.
class References {
 public:
  const ComparedDraws& of(const std::string& path);

 private:
  std::map<std::string, ComparedDraws> known_;
};

/// Relative errors of mean and covariance (REM and REC of summaries) of all draws up to about 20
/// points of a run: [{"draws", "gradients", "seconds", "error_mean", "error_covariance"}...],
/// spread evenly over log(draws); cost is that of warm-up and sampling, taken in proportion to the
/// draws. Null where nothing is common or there are no draws. O(n d^2).
struct RunCost {
  double warmup_gradients = 0.0;
  double gradients = 0.0;
  double warmup_seconds = 0.0;
  double seconds = 0.0;
};
Json error_curve(const DrawsFile& file, const ComparedDraws& reference, const RunCost& cost);

/// Adds min_ess_mcse, metrics with their errors, and with a reference the curve, to the answer of a
/// worker about the finished run in `folder`.
void add_figures(const std::string& folder, const std::string& summary, const std::string& run,
                 const ComparedDraws* reference, Json& answer);

}  // namespace mixwell::study
