// Compares cells with reference draws, which come from a file or from a variant.
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
  /// Keeps references to its arguments. `folder`: the results folder of the study.
  Comparison(const StudyFile& study, Planner& planner, Ledger& ledger, Reporter& reporter,
             std::string folder)
      : study_(study),
        planner_(planner),
        ledger_(ledger),
        reporter_(reporter),
        folder_(std::move(folder)) {}

  /// `ids`: the ids of the planner's cells.
  void begin(std::vector<std::string> ids);

  /// Whether other cells are compared with this one (an index into the planner's cells).
  bool is_reference(std::size_t cell) const;
  bool has_draws(const std::string& id) const;
  /// Announces that a cell of the reference will run. Call ended() when this cell has ended.
  void expect() { ++open_; }
  void ended(const std::string& id, bool done);
  /// Whether a cell must wait for its references. A cell whose draws are not kept can be compared
  /// only at its end.
  bool must_wait(std::size_t cell) const;

  /// The reference of the cells in this group. Nothing if there is no reference, or if the
  /// reference has no draws yet.
  std::optional<ReferenceFiles> reference_of(const SeedGroup& group);
  /// Reports why a reference cannot be used, once per reason. Does nothing for "".
  void explain(const std::string& reason);

  /// Measures the errors of finished cells against the present reference. Returns whether any
  /// errors changed.
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
  std::set<std::string> done_;  ///< finished reference cells that have draws
  std::int64_t open_ = 0;       ///< reference cells that this call still has to run
  std::set<std::string> explained_;
  bool has_compared_ = false;
};

}  // namespace mixwell::study
