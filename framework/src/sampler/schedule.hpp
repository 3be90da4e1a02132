// Runs a compiled phase: each block of columns is a task, which runs many sweeps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/row_runs.hpp"
#include "sampler/column_block.hpp"
#include "sampler/division.hpp"
#include "sampler/plan.hpp"
#include "sampler/storage.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/base/state.hpp>
#include <mixwell/base/workspace.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/law/portions.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {

constexpr std::size_t most_kept = 100;
/// The number of divergences that are kept if each has a position of `rows` rows: about 8 MB in
/// all.
std::size_t most_divergences_kept(Index rows);

struct ScheduleSettings {
  std::uint64_t seed = 1;
  Index replicates = 1;
  Index block_width = 8;
  std::int64_t thin = 1;
  std::int64_t warmup = 0;
  NoiseGrid noise{};
  const Division* division = nullptr;  ///< null: all blocks are drawn here
  /// Only if the rows of a position are divided: the object that sums over all ranks, and the rows
  /// of this rank.
  const DividedRows* rows = nullptr;
  const RowRuns* rows_of_whole = nullptr;
  /// Whether bodies communicate with other processes, so that all of them must process blocks in
  /// the same order.
  bool in_order = false;
};

/// One compiled phase. Costs a few ns for each operation, block and sweep in addition to the
/// operations.
class MIXWELL_EXPORT Schedule {
 public:
  Schedule(const KernelGraph& graph, std::string phase, const ScheduleSettings& settings,
           Storage& storage);

  /// Called before the first sweep of the phase. Runs the steps whose results are carried from
  /// sweep to sweep, except those whose results the phase `before` has carried.
  void start(const Schedule* before);
  /// Runs sweeps `first` .. `first + sweeps - 1`. If `buffers` is not null, records each sweep s
  /// for which s - origin + 1 is a multiple of thin.
  void run(std::uint64_t first, std::int64_t sweeps, std::uint64_t origin, DrawBuffers* buffers);

  /// Like Sampler::stop_when.
  void stop_when(std::function<bool()> is_late) { is_late_ = std::move(is_late); }

  const KernelGraph& graph() const noexcept { return graph_; }
  /// A law with the current numbers of one replicate.
  Law law(Value value, Index replicate);
  const Plan& plan() const noexcept { return plan_; }
  Evaluations evaluations() const;
  std::int64_t divergences() const;
  /// Moves out the divergences kept since the last call, in order of sweep, then chain.
  std::vector<Divergence> take_kept();
  std::vector<OperationTime> times() const;
  std::size_t memory() const;
  /// Gives all ranks the counts and times of all blocks. share_draws() gives rank 0 all draws.
  void share_counts();
  void share_draws(DrawBuffers& buffers) const;
  /// Visits the counts and times. Storage visits the numbers of variables.
  void visit_state(StateVisitor& visitor);

 private:
  /// Columns j with choice[j] == branch, or all columns if there is no choice.
  struct Guarded {
    const double* choice = nullptr;
    double branch = 0.0;
    bool holds(Index j) const noexcept { return choice == nullptr || choice[j] == branch; }
  };
  struct Compiled {
    const Body* body = nullptr;
    const OperationInfo* operation = nullptr;  ///< null: a copy
    const char* task = nullptr;                ///< in words, for reports of what is running
    std::vector<ColumnBlock::Port> inputs;
    std::vector<ColumnBlock::Port> outputs;
    When when = When::every_sweep;
    bool barrier = false;
    Guarded guard{};
  };
  struct Sink {
    const double* data = nullptr;  ///< first recorded row of column 0
    Index rows = 0;
    Index stride = 0;
    bool once = false;  ///< recorded only in draw 0 of the phase
    Guarded guard{};
    double fill = 0.0;  ///< number that is recorded in columns outside of the guard
  };
  struct Stretch {
    std::uint64_t first;
    std::int64_t sweeps;
    std::uint64_t origin;
    DrawBuffers* buffers;
  };

  bool carries(const std::string& buffer) const;
  Index blocks() const noexcept;
  /// The blocks that are drawn here.
  Index first_block() const noexcept;
  Index own_blocks() const noexcept;
  std::pair<Index, Index> columns_of(Index block) const noexcept;
  void gather(const Compiled& step) const;
  ColumnBlock::Port slot(Value value, const std::string& buffer);
  ColumnBlock::Port slot(Value value) { return slot(value, plan_.at(value).buffer); }
  Compiled compile(const Step& step);
  Compiled compile_copy(Value version);
  /// The rarest kind of step that runs in a sweep. If this kind is `every_sweep`, the sweep is not
  /// recorded.
  When due(const Stretch& stretch, std::uint64_t sweep) const noexcept;
  Guarded guarded(const OperationInfo& operation);
  Guarded guard_of(Value value);
  static Sink make_sink(const Record& record, const ColumnBlock::Port& from);
  void execute(std::size_t step, std::uint64_t sweep, Index first, Index width,
               ColumnBlock::Sinks& sinks) const;
  void execute_columns(std::size_t step, std::uint64_t sweep, Index first, Index width,
                       ColumnBlock::Sinks& sinks) const;
  static void run_guarded(const Body& body, ColumnBlock& block);
  void execute_timed(std::size_t step, std::uint64_t sweep, Index first, Index width,
                     ColumnBlock::Sinks& sinks) const;
  void run_task(const Task& task, std::uint64_t sweep, When rarest, Index block,
                ColumnBlock::Sinks& sinks) const;
  void run_block(const Stretch& stretch, Index block);
  template <class Work>
  void for_each(Index count, const Work& work) const;
  void run_levels(const Stretch& stretch);
  void run_level(const std::vector<Task>& level, const Stretch& stretch, std::uint64_t sweep);
  void record(const Stretch& stretch, std::uint64_t sweep, Index block) const;
  ColumnBlock::Sinks& sinks(std::size_t lane, Index block);

  const KernelGraph& graph_;
  std::string phase_;
  ScheduleSettings settings_;
  std::function<bool()> is_late_;
  Storage& storage_;
  Plan plan_;
  std::map<std::string, std::unique_ptr<Stream>> streams_;
  std::vector<Compiled> compiled_;
  std::vector<Sink> recorded_;
  bool records_once_;  ///< whether this phase is sampling
  std::vector<std::unique_ptr<Body>> copies_;
  std::size_t lanes_ = 1;
  bool has_barrier_ = false;
  std::vector<ColumnBlock::Sinks> lanes_by_block_;
  ColumnBlock::Sinks whole_;  ///< for barrier steps
  std::uint64_t timed_ = 0;
  std::uint64_t ran_ = 0;
};

}  // namespace mixwell
