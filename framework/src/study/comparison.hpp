// What cells are compared with: the draws of a file or of a variant, and the errors against them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/ledger.hpp"
#include "study/planner.hpp"
#include "study/reporter.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mixwell::study {

class Comparison {
 public:
  /// Keeps references. `folder`: of the study's results.
  Comparison(const StudyFile& study, Planner& planner, Ledger& ledger, Reporter& reporter,
             std::string folder)
      : study_(study),
        planner_(planner),
        ledger_(ledger),
        reporter_(reporter),
        folder_(std::move(folder)) {}

  /// `ids`: of the planner's cells.
  void begin(std::vector<std::string> ids);

  /// Whether others are compared with this cell (its place among the planner's).
  bool is_reference(std::size_t cell) const;
  bool has_draws(const std::string& id) const;
  /// A cell of the reference will run, or has ended.
  void expect() { ++open_; }
  void ended(const std::string& id, bool done);
  /// A cell whose draws are not kept can be compared only when it ends: its references run first.
  bool must_wait(std::size_t cell) const;

  /// What cells of this group are compared with; nothing where it is not there (yet).
  std::optional<ReferenceFiles> reference_of(const SeedGroup& group);
  /// Says why a reference cannot be used, once for each reason; nothing for "".
  void explain(const std::string& reason);

  /// Measures the errors of finished cells against the reference as it is now. Returns whether
  /// there were any that changed.
  bool run();

 private:
  std::vector<WorkItem> outdated();
  void compare(const std::string& cell, const ReferenceErrors& errors);
  std::string folder_of(const std::string& id) const { return folder_ + "/cells/" + id; }

  const StudyFile& study_;
  Planner& planner_;
  Ledger& ledger_;
  Reporter& reporter_;
  std::string folder_;
  std::vector<std::string> ids_;
  std::set<std::string> done_;  ///< of the reference, with their draws
  std::int64_t open_ = 0;       ///< of the reference, to be run in this call
  std::set<std::string> explained_;
  bool has_compared_ = false;
};

}  // namespace mixwell::study
