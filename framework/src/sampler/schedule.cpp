// Runs a compiled phase.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/schedule.hpp"

#include "base/clock.hpp"
#include "base/present_call.hpp"
#include "component/locations.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/machine.hpp>
#include <mixwell/lab/stop_request.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>

namespace mixwell {
namespace {

/// One sweep in this many is timed, operation by operation, because reading the clock costs as much
/// as a small operation.
constexpr std::uint64_t timed_every = 64;

class CopyBody final : public Body {
 public:
  void run(ColumnBlock& block) const override { block.out(0) = block.in(0); }
};

}  // namespace

std::size_t most_divergences_kept(Index rows) {
  const auto fits = static_cast<std::size_t>(1'000'000 / std::max<Index>(rows, 1));
  return std::clamp<std::size_t>(fits, 1, most_kept);
}

Schedule::Schedule(const KernelGraph& graph, std::string phase, const ScheduleSettings& settings,
                   Storage& storage)
    : graph_(graph),
      phase_(std::move(phase)),
      settings_(settings),
      storage_(storage),
      plan_(make_plan(graph)),
      records_once_(phase_ == "sampling") {
  for (const Step& step : plan_.steps) compiled_.push_back(compile(step));
  for (const Record& record : graph_.records()) {
    recorded_.push_back(make_sink(record, slot(record.value)));
    recorded_.back().guard = guard_of(record.value);
  }
  for (const auto& level : plan_.levels) lanes_ = std::max(lanes_, level.size());
  has_barrier_ =
      std::any_of(compiled_.begin(), compiled_.end(), [](const Compiled& c) { return c.barrier; });
  Index longest = 1;
  for (const VariableInfo& v : graph_.variables()) longest = std::max(longest, v.rows);
  lanes_by_block_.resize(lanes_ * static_cast<std::size_t>(blocks()));
  for (ColumnBlock::Sinks& s : lanes_by_block_) s.capacity = most_divergences_kept(longest);
  for (ColumnBlock::Sinks& s : lanes_by_block_) s.seconds.assign(compiled_.size(), 0.0);
  whole_.seconds.assign(compiled_.size(), 0.0);
}

Schedule::Sink Schedule::make_sink(const Record& record, const ColumnBlock::Port& from) {
  Index rows = 1;
  for (const Index length : record.shape) rows *= length;
  const double absent = record.type == RecordType::real ? std::nan("") : 0.0;
  return {from.data + record.first_row, rows, from.stride, record.once, {}, absent};
}

Schedule::Guarded Schedule::guarded(const OperationInfo& operation) {
  if (!operation.guard) return {};
  return {slot(operation.guard.choice).data, static_cast<double>(operation.guard.branch)};
}

/// The guard of a value that belongs to one branch only. Versions and evaluations have no guard,
/// because they keep their numbers in the columns of other branches.
Schedule::Guarded Schedule::guard_of(Value value) {
  const ValueInfo& info = graph_[value];
  if (info.kind != ValueKind::derived || info.evaluated_law || info.producer < 0) return {};
  return guarded(graph_.operation(info.producer));
}

Index Schedule::blocks() const noexcept {
  return (settings_.replicates + settings_.block_width - 1) / settings_.block_width;
}

ColumnBlock::Port Schedule::slot(Value value, const std::string& buffer) {
  const ValueInfo& info = graph_[value];
  ColumnBlock::Port slot{.rows = info.rows, .function = info.function.get()};
  slot.divided_rows = settings_.rows;
  slot.potential = dynamic_cast<const Potential*>(slot.function);
  slot.representation = dynamic_cast<const Representation*>(slot.function);
  if (info.kind == ValueKind::noise) {
    auto& stream = streams_[info.name];
    if (!stream) stream = std::make_unique<Stream>(settings_.seed, info.name);
    slot.stream = stream.get();
  }
  if (buffer.empty()) return slot;
  const bool shared = info.scope == Scope::run;
  Value held = value;  // a view may be the first to need the memory of a version
  while (graph_[held].storage) held = graph_[held].storage;
  const Eigen::VectorXd* initial =
      graph_[held].kind == ValueKind::version ? &graph_[graph_[held].variable].initial : nullptr;
  Storage::Buffer& memory =
      storage_.get(buffer, info.rows, shared ? 1 : settings_.replicates, initial);
  memory.saved = memory.saved || plan_.at(value).saved;
  slot.data = memory.numbers.data();
  slot.stride = shared ? 0 : info.rows;
  return slot;
}

Law Schedule::law(Value value, Index replicate) {
  const ColumnBlock::Port from = slot(value);
  return {static_cast<const Potential&>(*from.function),
          ConstMatrixMap(from.data + from.stride * replicate, from.rows, 1)};
}

Schedule::Compiled Schedule::compile_copy(Value version) {
  Compiled compiled;
  copies_.push_back(std::make_unique<CopyBody>());
  compiled.body = copies_.back().get();
  compiled.task = "a copy of a variable";
  compiled.inputs = {slot(version)};
  compiled.outputs = {slot(version, copy_buffer(graph_, version))};
  return compiled;
}

Schedule::Compiled Schedule::compile(const Step& step) {
  if (step.operation < 0) return compile_copy(step.copied);
  const OperationInfo& operation = graph_.operation(step.operation);
  const auto& reads = plan_.reads[static_cast<std::size_t>(step.operation)];
  Compiled compiled;
  compiled.body = operation.body.get();
  compiled.operation = &operation;
  compiled.task = words_for_operation(operation.name, operation.body.get());
  compiled.when = step.when;
  compiled.barrier = step.barrier;
  compiled.guard = guarded(operation);
  for (std::size_t k = 0; k < operation.inputs.size(); ++k) {
    compiled.inputs.push_back(slot(operation.inputs[k].value, reads[k]));
  }
  for (const Value v : operation.outputs) {
    compiled.outputs.push_back(slot(v));
  }
  return compiled;
}

/// The first replicate of a block, and the number of its replicates.
std::pair<Index, Index> Schedule::columns_of(Index block) const noexcept {
  const Index first = block * settings_.block_width;
  return {first, std::min(settings_.block_width, settings_.replicates - first)};
}

ColumnBlock::Sinks& Schedule::sinks(std::size_t lane, Index block) {
  return lanes_by_block_[lane * static_cast<std::size_t>(blocks()) +
                         static_cast<std::size_t>(block)];
}

Index Schedule::first_block() const noexcept {
  return settings_.division == nullptr ? 0 : settings_.division->first_block();
}

Index Schedule::own_blocks() const noexcept {
  return settings_.division == nullptr ? blocks() : settings_.division->end_block() - first_block();
}

/// For a step that reads all replicates: collects its inputs from the ranks that drew them.
void Schedule::gather(const Compiled& step) const {
  if (settings_.division == nullptr) return;
  for (const ColumnBlock::Port& input : step.inputs) {
    if (input.data != nullptr && input.stride != 0)
      settings_.division->share_columns(input.data, input.stride);
  }
}

/// With a guard, runs each stretch of adjacent columns that chose its branch as a separate block.
void Schedule::execute(std::size_t step, std::uint64_t sweep, Index first, Index width,
                       ColumnBlock::Sinks& sinks) const {
  const Guarded& guard = compiled_[step].guard;
  if (guard.choice == nullptr) return execute_columns(step, sweep, first, width, sinks);
  const Index end = first + width;
  for (Index j = first; j < end;) {
    Index stop = j;
    while (stop < end && guard.holds(stop)) ++stop;
    if (stop > j) execute_columns(step, sweep, j, stop - j, sinks);
    j = stop + 1;
  }
}

void Schedule::execute_columns(std::size_t step, std::uint64_t sweep, Index first, Index width,
                               ColumnBlock::Sinks& sinks) const {
  if (is_late_ && is_late_()) throw Stopped("the run");
  const Compiled& c = compiled_[step];
  const Workspace::Frame frame(sinks.scratch);
  ColumnBlock block;
  block.columns_ = width;
  block.first_column_ = first;
  block.sweep_ = sweep;
  block.warmup_ = settings_.warmup;
  block.noise_ = settings_.noise;
  block.rows_ = settings_.rows_of_whole;
  block.scratch_ = &sinks.scratch;
  block.inputs_ = c.inputs;
  block.outputs_ = c.outputs;
  block.wiring_ = {&graph_, c.operation};
  block.sinks_ = &sinks;
  block.spent_ = &sinks.evaluations;
  sinks.operation = plan_.steps[step].operation;
  PresentCall& call = present_call();
  call.set_task(c.task);
  try {
    if (checked_every() == 0) {
      c.body->run(block);
    } else {
      run_guarded(*c.body, block);
    }
  } catch (...) {
    call.set_task(nullptr);
    rethrow_from(c.task);
  }
  call.set_task(nullptr);
}

void Schedule::run_guarded(const Body& body, ColumnBlock& block) {
  const GuardedPorts guarded(block.inputs_, block.outputs_, block.first_column_, block.columns_);
  block.inputs_ = guarded.inputs();
  block.outputs_ = guarded.outputs();
  body.run(block);
  guarded.settle();
}

void Schedule::execute_timed(std::size_t step, std::uint64_t sweep, Index first, Index width,
                             ColumnBlock::Sinks& sinks) const {
  const bool timed = sweep % timed_every == 0 || compiled_[step].when == When::first_draw;
  if (!timed) return execute(step, sweep, first, width, sinks);
  const auto start = Clock::now();
  execute(step, sweep, first, width, sinks);
  sinks.seconds[step] += seconds_since(start);
}

void Schedule::run_task(const Task& task, std::uint64_t sweep, When rarest, Index block,
                        ColumnBlock::Sinks& sinks) const {
  const auto [first, width] = columns_of(block);
  for (const std::int32_t step : task) {
    const auto s = static_cast<std::size_t>(step);
    if (compiled_[s].when > rarest) continue;
    execute_timed(s, sweep, first, width, sinks);
  }
}

When Schedule::due(const Stretch& stretch, std::uint64_t sweep) const noexcept {
  const std::uint64_t done = sweep - stretch.origin + 1;
  const auto thin = static_cast<std::uint64_t>(settings_.thin);
  if (stretch.buffers == nullptr || done % thin != 0) return When::every_sweep;
  return records_once_ && done == thin ? When::first_draw : When::recorded_sweep;
}

void Schedule::record(const Stretch& stretch, std::uint64_t sweep, Index block) const {
  const auto thin = static_cast<std::uint64_t>(settings_.thin);
  const std::uint64_t before = (stretch.first - stretch.origin) / thin;  // draws recorded earlier
  const std::uint64_t draw = (sweep - stretch.origin + 1) / thin - before - 1;
  const auto [first, width] = columns_of(block);
  for (std::size_t r = 0; r < recorded_.size(); ++r) {
    const Sink& sink = recorded_[r];
    if (sink.once && due(stretch, sweep) != When::first_draw) continue;
    double* to = stretch.buffers->data[r].data() +
                 (static_cast<Index>(draw) * settings_.replicates + first) * sink.rows;
    if (sink.guard.choice == nullptr && sink.stride == sink.rows) {
      std::copy_n(sink.data + first * sink.stride, width * sink.rows, to);
      continue;
    }
    for (Index j = 0; j < width; ++j) {
      if (sink.guard.holds(first + j)) {
        std::copy_n(sink.data + (first + j) * sink.stride, sink.rows, to + j * sink.rows);
      } else {
        std::fill_n(to + j * sink.rows, sink.rows, sink.fill);
      }
    }
  }
}

void Schedule::run_block(const Stretch& stretch, Index block) {
  for (std::int64_t k = 0; k < stretch.sweeps; ++k) {
    const std::uint64_t sweep = stretch.first + static_cast<std::uint64_t>(k);
    const When rarest = due(stretch, sweep);
    for (const auto& level : plan_.levels) {
      for (std::size_t lane = 0; lane < level.size(); ++lane) {
        run_task(level[lane], sweep, rarest, block, sinks(lane, block));
      }
    }
    if (rarest != When::every_sweep) record(stretch, sweep, block);
  }
}

template <class Work>
void Schedule::for_each(Index count, const Work& work) const {
  if (!settings_.in_order) return parallel_for(count, work);
  for (Index k = 0; k < count; ++k) work(k);
}

void Schedule::run_level(const std::vector<Task>& level, const Stretch& stretch,
                         std::uint64_t sweep) {
  const When rarest = due(stretch, sweep);
  const auto is_barrier = [&](const Task& t) {
    return compiled_[static_cast<std::size_t>(t.front())].barrier;
  };
  const Index tasks = static_cast<Index>(level.size());
  for_each(tasks * own_blocks(), [&](Index k) {
    const auto lane = static_cast<std::size_t>(k % tasks);
    if (is_barrier(level[lane])) return;
    const Index block = first_block() + k / tasks;
    run_task(level[lane], sweep, rarest, block, sinks(lane, block));
  });
  for (const Task& task : level) {
    if (!is_barrier(task)) continue;
    const auto step = static_cast<std::size_t>(task.front());
    if (compiled_[step].when > rarest) continue;
    gather(compiled_[step]);
    execute_timed(step, sweep, 0, settings_.replicates, whole_);
  }
}

void Schedule::run_levels(const Stretch& stretch) {
  for (std::int64_t k = 0; k < stretch.sweeps; ++k) {
    const std::uint64_t sweep = stretch.first + static_cast<std::uint64_t>(k);
    for (const auto& level : plan_.levels) run_level(level, stretch, sweep);
    if (due(stretch, sweep) == When::every_sweep) continue;
    for (Index b = 0; b < own_blocks(); ++b) record(stretch, sweep, first_block() + b);
  }
}

void Schedule::run(std::uint64_t first, std::int64_t sweeps, std::uint64_t origin,
                   DrawBuffers* buffers) {
  const Stretch stretch{first, sweeps, origin, buffers};
  if (buffers != nullptr) {
    const auto thin = static_cast<std::uint64_t>(settings_.thin);
    const std::uint64_t done = first - origin;
    buffers->draws =
        static_cast<std::int64_t>((done + static_cast<std::uint64_t>(sweeps)) / thin - done / thin);
    buffers->data.resize(recorded_.size());
    const std::int64_t once =
        records_once_ && done < thin ? std::min<std::int64_t>(buffers->draws, 1) : 0;
    for (std::size_t r = 0; r < recorded_.size(); ++r) {
      const std::int64_t draws = recorded_[r].once ? once : buffers->draws;
      buffers->data[r].resize(
          static_cast<std::size_t>(draws * settings_.replicates * recorded_[r].rows));
    }
  }
  const bool spare_threads =
      !settings_.in_order && own_blocks() < tbb::this_task_arena::max_concurrency() && lanes_ > 1;
  if (has_barrier_ || spare_threads) {
    run_levels(stretch);
  } else {
    for_each(own_blocks(), [&](Index b) { run_block(stretch, first_block() + b); });
  }
  for (std::uint64_t s = first; s < first + static_cast<std::uint64_t>(sweeps); ++s) {
    timed_ += s % timed_every == 0 ? 1 : 0;
  }
  ran_ += static_cast<std::uint64_t>(sweeps);
}

bool Schedule::carries(const std::string& buffer) const {
  for (const Step& step : plan_.steps) {
    if (!step.prologue) continue;
    for (const Value v : graph_.operation(step.operation).outputs) {
      if (plan_.at(v).buffer == buffer) return true;
    }
  }
  return false;
}

void Schedule::start(const Schedule* before) {
  for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
    if (!plan_.steps[s].prologue) continue;
    const auto& operation = graph_.operation(plan_.steps[s].operation);
    const bool there =
        before != nullptr &&
        std::all_of(operation.outputs.begin(), operation.outputs.end(), [&](Value v) {
          const std::string& buffer = plan_.at(v).buffer;
          return buffer.empty() || before->carries(buffer);
        });
    if (there) continue;
    for_each(own_blocks(), [&](Index k) {
      const Index b = first_block() + k;
      const auto [first, width] = columns_of(b);
      execute(s, 0, first, width, sinks(0, b));
    });
  }
}

Evaluations Schedule::evaluations() const {
  Evaluations sum = whole_.evaluations;
  for (const ColumnBlock::Sinks& s : lanes_by_block_) {
    sum.all += s.evaluations.all;
    sum.potentials += s.evaluations.potentials;
  }
  return sum;
}

std::int64_t Schedule::divergences() const {
  std::int64_t sum = whole_.divergences;
  for (const ColumnBlock::Sinks& s : lanes_by_block_) sum += s.divergences;
  return sum;
}

namespace {

/// The model's coordinate of row `row` of the slot that an operation moves. A negative row is
/// returned unchanged.
Index coordinate_of(const KernelGraph& graph, const OperationInfo& by, Index row) {
  if (row < 0) return row;
  for (const Input& input : by.inputs) {
    if (input.role != Role::state || graph[input.value].kind != ValueKind::version) continue;
    const std::vector<Index>& held = graph[graph[input.value].variable].coordinates;
    if (row < std::ssize(held)) return held[static_cast<std::size_t>(row)];
  }
  return row;
}

}  // namespace

std::vector<Divergence> Schedule::take_kept() {
  std::vector<Divergence> all;
  for (ColumnBlock::Sinks& s : lanes_by_block_) {
    for (ColumnBlock::Sinks::Kept& kept : s.kept) {
      const OperationInfo& by = graph_.operation(kept.operation);
      kept.what.phase = phase_;
      kept.what.operation = by.name;
      kept.what.coordinate = coordinate_of(graph_, by, kept.what.coordinate);
      all.push_back(std::move(kept.what));
    }
    s.kept.clear();
  }
  sort_by_sweep(all);
  return all;
}

std::vector<OperationTime> Schedule::times() const {
  std::vector<OperationTime> times;
  const double scale = timed_ == 0 ? 0.0 : static_cast<double>(ran_) / static_cast<double>(timed_);
  for (std::size_t s = 0; s < compiled_.size(); ++s) {
    const Step& step = plan_.steps[s];
    if (step.operation < 0 || step.prologue) continue;
    double seconds = whole_.seconds[s];
    for (const ColumnBlock::Sinks& lane : lanes_by_block_) seconds += lane.seconds[s];
    times.push_back({phase_, graph_.operation(step.operation).name,
                     compiled_[s].when == When::first_draw ? seconds : seconds * scale});
  }
  return times;
}

/// Shares the evaluations, divergences and seconds of each lane among ranks, as numbers x blocks.
void Schedule::share_counts() {
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    Eigen::MatrixXd all(static_cast<Index>(3 + compiled_.size()), blocks());
    for (Index b = 0; b < blocks(); ++b) {
      const ColumnBlock::Sinks& s = sinks(lane, b);
      all.col(b).head<3>() << s.evaluations.all, s.evaluations.potentials,
          static_cast<double>(s.divergences);
      all.col(b).tail(all.rows() - 3) = Eigen::VectorXd::Map(s.seconds.data(), all.rows() - 3);
    }
    settings_.division->share_blocks(all);
    for (Index b = 0; b < blocks(); ++b) {
      ColumnBlock::Sinks& s = sinks(lane, b);
      s.evaluations = {all(0, b), all(1, b)};
      s.divergences = static_cast<std::int64_t>(all(2, b));
      Eigen::VectorXd::Map(s.seconds.data(), all.rows() - 3) = all.col(b).tail(all.rows() - 3);
    }
  }
}

void Schedule::share_draws(DrawBuffers& buffers) const {
  std::vector<Index> rows;
  for (const Sink& sink : recorded_) rows.push_back(sink.rows);
  settings_.division->collect(buffers, rows);
}

void Schedule::visit_state(StateVisitor& visitor) {
  std::vector<ColumnBlock::Sinks*> all = {&whole_};
  for (ColumnBlock::Sinks& s : lanes_by_block_) all.push_back(&s);
  Eigen::MatrixXd evaluations(2, static_cast<Index>(all.size()));
  Eigen::MatrixXd seconds(static_cast<Index>(compiled_.size()), evaluations.cols());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Evaluations& spent = all[k]->evaluations;
    evaluations.col(static_cast<Index>(k)) << spent.all, spent.potentials;
    seconds.col(static_cast<Index>(k)) =
        Eigen::VectorXd::Map(all[k]->seconds.data(), seconds.rows());
  }
  visitor.numbers(phase_ + " evaluations", evaluations);
  visitor.numbers(phase_ + " seconds", seconds);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto spent = evaluations.col(static_cast<Index>(k));
    all[k]->evaluations = {spent(0), spent(1)};
    Eigen::VectorXd::Map(all[k]->seconds.data(), seconds.rows()) =
        seconds.col(static_cast<Index>(k));
    auto divergences = static_cast<std::uint64_t>(all[k]->divergences);
    visitor.count(phase_ + " divergences", divergences);
    all[k]->divergences = static_cast<std::int64_t>(divergences);
  }
  visitor.count(phase_ + " timed sweeps", timed_);
  visitor.count(phase_ + " sweeps", ran_);
}

std::size_t Schedule::memory() const {
  std::size_t bytes = 0;
  for (const auto& [name, buffer] : storage_.all()) {
    bytes += sizeof(double) * static_cast<std::size_t>(buffer.numbers.size());
  }
  return bytes;
}

}  // namespace mixwell
