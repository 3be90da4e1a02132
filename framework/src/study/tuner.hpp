// Fair tuning as it runs: trials in worker processes, remembered in the ledger.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/planner.hpp"
#include "study/reporter.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::study {

/// Sets what the groups of a study that have keys to tune have chosen.
class Tuner {
 public:
  /// Keeps references.
  Tuner(const StudyFile& study, Planner& planner, Ledger& ledger, Reporter& reporter)
      : study_(study), planner_(planner), ledger_(ledger), reporter_(reporter) {}

  /// First what the manifests of such groups are with candidate 0, which gives each tuning its id,
  /// then rung after rung of all of them together. A group without all of its trials (--only leaves
  /// it out, or the study is stopped) is not ready.
  void run();

 private:
  /// By group: candidates and their scores.
  using Scores = std::map<std::size_t, std::vector<std::pair<std::int64_t, double>>>;

  std::string tuning_id(SeedGroup& group);
  std::vector<AxisValue> values_of(const SeedGroup& group, std::int64_t k) const;
  std::vector<Override> changes_of(const SeedGroup& group, std::int64_t k) const;
  /// Of the groups that have all of them.
  Scores run_rung(int number, const Rung& rung,
                  const std::map<std::size_t, std::vector<std::int64_t>>& field);
  TrialRequest trial_request(const SeedGroup& group, int number, const Rung& rung,
                             std::int64_t k) const;
  void keep_trial(const SeedGroup& group, int number, std::int64_t k, const TrialResult& result);

  const StudyFile& study_;
  Planner& planner_;
  Ledger& ledger_;
  Reporter& reporter_;
};

}  // namespace mixwell::study
