// Running a compiled phase: column blocks as tasks, each through many sweeps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/row_runs.hpp"
#include "sampler/block.hpp"
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
/// How many divergences are kept, with positions of so many rows: about 8 MB of them.
std::size_t most_divergences_kept(Index rows);

struct ScheduleSettings {
  std::uint64_t seed = 1;
  Index replicates = 1;
  Index block_width = 8;
  std::int64_t thin = 1;
  std::int64_t warmup = 0;
  NoiseGrid noise{};
  const Division* division = nullptr;  ///< null: all blocks are drawn here
  /// Where the rows of a position are divided: what brings them together, and which they are.
  const DividedRows* rows = nullptr;
  const RowRuns* rows_of_whole = nullptr;
  /// Whether bodies speak to other processes, for which all of them go through blocks in one order.
  bool in_order = false;
};

/// One phase, compiled. Cost beyond the operations' own: a few ns per operation, block and sweep.
class MIXWELL_EXPORT Schedule {
 public:
  Schedule(const KernelGraph& graph, std::string phase, const ScheduleSettings& settings,
           Storage& storage);

  /// Runs the steps whose results are carried over sweeps, before the first sweep of the phase;
  /// those that the phase before carried as well are current already.
  void start(const Schedule* before);
  /// Sweeps `first` .. `first + sweeps - 1`. If `buffers` is not null, those whose number since
  /// `origin`, plus one, is a multiple of thin are recorded.
  void run(std::uint64_t first, std::int64_t sweeps, std::uint64_t origin, DrawBuffers* buffers);

  /// As Sampler::stop_when.
  void stop_when(std::function<bool()> is_late) { is_late_ = std::move(is_late); }

  const KernelGraph& graph() const noexcept { return graph_; }
  /// A law with the numbers that one replicate has now.
  Law law(Value value, Index replicate);
  const Plan& plan() const noexcept { return plan_; }
  Evaluations evaluations() const;
  std::int64_t divergences() const;
  /// Moves out what was kept since the last call, in order of sweep, then chain.
  std::vector<Divergence> take_kept();
  std::vector<OperationTime> times() const;
  std::size_t memory() const;
  /// All ranks get what was counted and timed in all blocks, and rank 0 the draws.
  void share_counts();
  void share_draws(DrawBuffers& buffers) const;
  /// What was counted and timed; the numbers of variables are the storage's.
  void visit_state(StateVisitor& visitor);

 private:
  /// Columns j with choice[j] == branch; all of them if there is no choice.
  struct Guarded {
    const double* choice = nullptr;
    double branch = 0.0;
    bool holds(Index j) const noexcept { return choice == nullptr || choice[j] == branch; }
  };
  struct Compiled {
    const Body* body = nullptr;
    const OperationInfo* operation = nullptr;  ///< null: a copy
    const char* task = nullptr;                ///< in words, for whoever looks on
    std::vector<Block::Port> inputs;
    std::vector<Block::Port> outputs;
    When when = When::every_sweep;
    bool barrier = false;
    Guarded guard{};
  };
  struct Sink {
    const double* data = nullptr;  ///< first recorded row of column 0
    Index rows = 0;
    Index stride = 0;
    bool once = false;  ///< only in draw 0 of the phase
    Guarded guard{};
    double fill = 0.0;  ///< recorded where the guard does not hold
  };
  struct Stretch {
    std::uint64_t first;
    std::int64_t sweeps;
    std::uint64_t origin;
    DrawBuffers* buffers;
  };

  bool carries(const std::string& buffer) const;
  Index blocks() const noexcept;
  /// Those that are drawn here.
  Index first_block() const noexcept;
  Index own_blocks() const noexcept;
  std::pair<Index, Index> columns_of(Index block) const noexcept;
  void gather(const Compiled& step) const;
  Block::Port slot(Value value, const std::string& buffer);
  Block::Port slot(Value value) { return slot(value, plan_.at(value).buffer); }
  Compiled compile(const Step& step);
  Compiled compile_copy(Value version);
  /// The rarest steps that are due in a sweep; it is recorded unless that is `every_sweep`.
  When due(const Stretch& stretch, std::uint64_t sweep) const noexcept;
  Guarded guarded(const OperationInfo& operation);
  Guarded guard_of(Value value);
  static Sink make_sink(const Record& record, const Block::Port& from);
  void execute(std::size_t step, std::uint64_t sweep, Index first, Index width,
               Block::Sinks& sinks) const;
  void execute_columns(std::size_t step, std::uint64_t sweep, Index first, Index width,
                       Block::Sinks& sinks) const;
  static void run_guarded(const Body& body, Block& block);
  void execute_timed(std::size_t step, std::uint64_t sweep, Index first, Index width,
                     Block::Sinks& sinks) const;
  void run_task(const Task& task, std::uint64_t sweep, When rarest, Index block,
                Block::Sinks& sinks) const;
  void run_block(const Stretch& stretch, Index block);
  template <class Work>
  void for_each(Index count, const Work& work) const;
  void run_levels(const Stretch& stretch);
  void run_level(const std::vector<Task>& level, const Stretch& stretch, std::uint64_t sweep);
  void record(const Stretch& stretch, std::uint64_t sweep, Index block) const;
  Block::Sinks& sinks(std::size_t lane, Index block);

  const KernelGraph& graph_;
  std::string phase_;
  ScheduleSettings settings_;
  std::function<bool()> is_late_;
  Storage& storage_;
  Plan plan_;
  std::map<std::string, std::unique_ptr<Stream>> streams_;
  std::vector<Compiled> compiled_;
  std::vector<Sink> recorded_;
  bool records_once_;  ///< in this phase: sampling
  std::vector<std::unique_ptr<Body>> copies_;
  std::size_t lanes_ = 1;
  bool has_barrier_ = false;
  std::vector<Block::Sinks> lanes_by_block_;
  Block::Sinks whole_;  ///< of barrier steps
  std::uint64_t timed_ = 0;
  std::uint64_t ran_ = 0;
};

}  // namespace mixwell
