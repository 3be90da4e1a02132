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

/// Draws to compare with, read once for each file.
class References {
 public:
  const ComparedDraws& of(const std::string& path);

 private:
  std::map<std::string, ComparedDraws> known_;
};

struct RunCost {
  double warmup_gradients = 0.0;
  double gradients = 0.0;
  double warmup_seconds = 0.0;
  double seconds = 0.0;
};

/// Relative errors of mean and covariance (REM and REC of summaries) of all draws up to about 20
/// points of a run: [{"draws", "gradients", "seconds", "error_mean", "error_covariance"}...],
/// spread evenly over log(draws); cost is that of warm-up and sampling, taken in proportion to the
/// draws. Null where nothing is common or there are no draws. O(n d^2).
Json error_curve(const DrawsFile& file, const ComparedDraws& reference, const RunCost& cost);

/// Adds min_ess_mcse, metrics with their errors, and with a reference the curve, to the answer of a
/// worker about the finished run in `folder`.
void add_figures(const std::string& folder, const std::string& summary, const std::string& run,
                 const ComparedDraws* reference, Json& answer);

}  // namespace mixwell::study
