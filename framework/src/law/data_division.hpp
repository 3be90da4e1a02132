// The data of a run's models in shards, divided among the ranks, or all in one process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ranks.hpp"

#include <mixwell/export.hpp>
#include <mixwell/lab/stop_request.hpp>
#include <mixwell/shards.hpp>

#include <oneapi/tbb/task_arena.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mixwell {

class HeldShards;

enum class Sought : std::int64_t { evaluate, evaluate_terms, gradients_of_terms, end };
/// What rank 0 asks of the others.
struct Question {
  Sought what = Sought::end;
  std::int64_t model = 0;  ///< which of those held
  std::int64_t rows = 0;   ///< of theta
  std::int64_t columns = 0;
  std::int64_t indices = 0;  ///< of a column
  std::int64_t wants_potential = 0;
  std::int64_t wants_gradient = 0;
};

/// Rank 0 runs a manifest as a process alone does; for each evaluation it asks the others, who only
/// serve(), for the sums over their shards. Owned by what it holds for a model, too.
class MIXWELL_INTERNAL DataDivision final : public DataShards,
                                            public std::enable_shared_from_this<DataDivision> {
 public:
  /// `ranks` null: all shards are this process's. Throws InputError where there are more ranks than
  /// shards.
  explicit DataDivision(Ranks* ranks);
  ~DataDivision() override;
  DataDivision(const DataDivision&) = delete;
  DataDivision& operator=(const DataDivision&) = delete;

  Index first() const noexcept override { return first_of(rank()); }
  Index end() const noexcept override { return first_of(rank() + 1); }
  std::vector<std::string> gather(const std::vector<std::string>& own) override;
  std::shared_ptr<const SumOfCases> hold(
      std::vector<std::unique_ptr<const SumOfCases>> own) override;

  /// Whether a model has taken its shards.
  bool is_held() const noexcept { return !held_.empty(); }
  int size() const noexcept { return ranks_ == nullptr ? 1 : ranks_->size(); }
  int rank() const noexcept { return ranks_ == nullptr ? 0 : ranks_->rank(); }
  /// Shards [first_of(k), first_of(k + 1)) are those of rank k.
  Index first_of(int rank) const noexcept { return rank * count / size(); }

  /// On rank 0: does `work`, which evaluates models, with the others' help, and sends them home.
  void lead(const std::function<void()>& work);
  /// On the others, until rank 0 has ended; `stop`: when made, the run ends.
  void serve(const StopRequest* stop);
  /// Whether another rank was asked to stop, as far as was known after the last evaluation.
  bool is_asked_to_stop() const noexcept { return asked_to_stop_; }

 private:
  friend class HeldShards;

  /// Rank 0: tells the others, with theta and indices behind it.
  void send(Question question, ConstBatch theta, ConstBatch indices, Workspace& scratch);
  /// Among ranks one evaluation after another; in one process as many at once as there are threads.
  std::unique_lock<std::mutex> turn();
  void obey(const Question& question, const StopRequest* stop, Workspace& scratch);
  /// Work of each rank for one question; throws on all where one does.
  void carry_out(const std::function<void()>& work, const StopRequest* stop);

  Ranks* ranks_;
  std::vector<std::unique_ptr<const HeldShards>> held_;
  std::mutex one_at_a_time_;
  tbb::task_arena threads_;  ///< what one evaluation is done by, whatever thread asks for it
  bool leads_ = false;
  bool asked_to_stop_ = false;
};

/// Among the ranks that are there.
MIXWELL_INTERNAL std::shared_ptr<DataDivision> divide_data();

/// While it lives, models that this thread makes find `division` (which may be null) as
/// data_shards().
class MIXWELL_INTERNAL DividingModels {
 public:
  explicit DividingModels(DataDivision* division);
  ~DividingModels();
  DividingModels(const DividingModels&) = delete;
  DividingModels& operator=(const DividingModels&) = delete;

 private:
  DataShards* before_;
};

}  // namespace mixwell
