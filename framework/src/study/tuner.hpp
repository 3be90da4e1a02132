// Runs fair tuning: runs trials in worker processes and keeps the results in records.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/claims.hpp"
#include "study/ledger.hpp"
#include "study/planner.hpp"
#include "study/reporter.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::study {

/// Chooses values for the groups of a study that have keys to tune.
class Tuner {
 public:
  /// How to treat tunings that have no choice yet.
  enum class OpenTunings {
    leaves,  ///< skip these tunings; their groups are not ready
    takes,   ///< run the tunings that no other process works on
    waits,   ///< like `takes`, and wait for the tunings of other processes
  };

  /// Keeps references to its arguments. `claims`: the claims of the study. A whole tuning is run by
  /// one process.
  Tuner(const StudyFile& study, Planner& planner, Ledger& ledger, Reporter& reporter,
        Claims& claims, OpenTunings mode)
      : study_(study),
        planner_(planner),
        ledger_(ledger),
        reporter_(reporter),
        claims_(claims),
        mode_(mode) {}

  /// First plans the manifests of these groups with candidate 0. The plan determines the id of the
  /// tuning. Then runs one rung after another, each for all groups at once. A group is not ready if
  /// trials are missing because --only excludes the group or the study was stopped.
  void run();

 private:
  /// A group and a candidate.
  using TrialPlace = std::pair<std::size_t, std::int64_t>;
  /// By group: candidates.
  using Candidates = std::map<std::size_t, std::vector<std::int64_t>>;
  /// By group: candidates and their scores.
  using Scores = std::map<std::size_t, std::vector<std::pair<std::int64_t, double>>>;

  std::vector<std::size_t> begin();
  void name_tunings(const std::vector<std::size_t>& tuned);
  void expect_trials(const std::vector<std::size_t>& tuned);
  void count_trial(bool has_score);
  std::string claim_of(std::size_t g) const;
  Candidates take_turns(std::vector<std::size_t>& left);
  void tune(Candidates field);
  std::string tuning_id(SeedGroup& group);
  std::vector<AxisValue> values_of(const SeedGroup& group, std::int64_t k) const;
  std::vector<Override> changes_of(const SeedGroup& group, std::int64_t k) const;
  Scores run_rung(int number, const Candidates& field);
  void run_trials(int number, std::vector<WorkItem> tasks, const std::vector<TrialPlace>& places);
  /// The scores of groups whose candidates have all ended.
  Scores complete(int number, const Candidates& field) const;
  TrialRequest trial_request(const SeedGroup& group, int number, double budget,
                             std::int64_t k) const;
  void keep_trial(const SeedGroup& group, int number, std::int64_t k, const TrialResult& result);

  const StudyFile& study_;
  Planner& planner_;
  Ledger& ledger_;
  Reporter& reporter_;
  Claims& claims_;
  OpenTunings mode_;
};

}  // namespace mixwell::study
