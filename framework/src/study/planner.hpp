// Plans the cells of a study in worker processes before the cells run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/content_hash.hpp"
#include "study/file.hpp"
#include "study/worker_pool.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::study {

/// Whether --only PATTERN selects this cell (StudyOptions::only).
bool matches(const std::string& pattern, const std::string& label, const std::string& cell);

/// Cells that differ only in the seed. The cells share tuned values, and their plans differ only in
/// the seed.
struct SeedGroup {
  std::vector<std::size_t> cells;
  std::string place;  ///< result of location_of
  std::vector<TuneKey> keys;
  std::string tuning;            ///< id of the tuning; empty without tuning
  bool wanted = false;           ///< selected by --only
  bool ready = true;             ///< values are tuned, or there is nothing to tune
  std::vector<Override> chosen;  ///< values from tuning
  std::optional<CellPlan> plan;
  std::string no_plan;                     ///< why there is no plan
  bool is_bad_input = false;               ///< no plan, because the manifest is wrong
  std::optional<Ingredients> ingredients;  ///< ingredients of `plan`, computed on first use
  /// Groups of the reference variant with the same model and with equal values of all common axes.
  std::vector<std::size_t> references;
};

/// The common part of dry runs and runs: the cells, their groups and plans, and the workers.
class Planner {
 public:
  /// Keeps references to its arguments. `remembers`: the folder of a study in which plans are kept,
  /// or "". `lock`: see PoolSettings.
  Planner(const StudyOptions& options, const StudyFile& study, const std::string& remembers,
          int lock);

  const std::vector<StudyCell>& cells() const noexcept { return cells_; }
  std::vector<SeedGroup>& groups() noexcept { return groups_; }
  const std::vector<SeedGroup>& groups() const noexcept { return groups_; }
  const StudyCell& first_of(const SeedGroup& group) const { return cells_[group.cells.front()]; }
  FileHashes& hashes() noexcept { return hashes_; }
  Remembered& remembered() noexcept { return remembered_; }
  WorkerPool& pool() noexcept { return pool_; }
  bool stopped() const { return is_made(options_.stop); }
  int jobs() const;

  /// Threads of one worker.
  int threads() const { return static_cast<int>(study_.threads); }

  CellManifest manifest_of(const StudyCell& cell, const std::vector<Override>& changes) const;
  std::vector<Override> changes_of(const SeedGroup& group, const StudyCell& cell) const;

  /// Plans all groups that are ready. Uses remembered plans, unless `estimate` asks for costs.
  /// Throws InputError if the manifest of a cell is wrong.
  void plan(bool estimate, const std::function<void()>& tick);

  Identity identity(SeedGroup& group, const StudyCell& cell);

 private:
  struct Base {
    std::string path;
    std::string text;
  };

  std::optional<double> planning_seconds() const;
  std::string registry_fingerprint();
  void find_references();
  const Base& base_of(const StudyCell& cell) const;
  std::string plan_key(const StudyCell& cell, const std::vector<Override>& changes) const;
  void take(SeedGroup& group, WorkerAnswer answer);
  bool recall(SeedGroup& group, const std::string& key);
  void refuse_bad_input() const;

  const StudyOptions& options_;
  const StudyFile& study_;
  std::vector<StudyCell> cells_;
  std::vector<SeedGroup> groups_;
  Remembered remembered_;
  FileHashes hashes_;
  WorkerPool pool_;
  std::string fingerprint_;
  mutable std::map<std::string, Base> bases_;  ///< by StudyCell::manifest
};

}  // namespace mixwell::study
