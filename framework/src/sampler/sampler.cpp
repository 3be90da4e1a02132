// Composes, compiles and advances a sampler.
// SPDX-License-Identifier: Apache-2.0
#include "base/present_call.hpp"
#include "certificate/influence.hpp"
#include "component/locations.hpp"
#include "graph/cone.hpp"
#include "sampler/initial_state.hpp"
#include "sampler/joint_run.hpp"
#include "sampler/schedule.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/law/capabilities.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>

namespace mixwell {
namespace {

bool moves(const KernelGraph& graph, Value leaf) {
  const ValueInfo& value = graph[leaf];
  if (value.kind != ValueKind::version) return value.kind != ValueKind::constant;
  return !(graph[value.variable].current == graph[value.variable].carried);
}

/// Throws InputError if a value that is recorded once may change from draw to draw.
void check_recorded_once(const KernelGraph& sampling) {
  const Cones cones(sampling);
  for (const Record& record : sampling.records()) {
    if (!record.once) continue;
    each(cones.leaves(record.value), [&](std::int32_t leaf) {
      if (!moves(sampling, Value{leaf})) return;
      throw InputError(
          fmt::format("kernel graph: `{0}` is recorded only once, but it depends on `{1}`, which "
                      "changes during sampling. Record `{0}` in every draw.",
                      record.name, sampling[Value{leaf}].name));
    });
  }
}

/// Whether a transition keeps whole numbers whole. Only its moves are checked, because a decision
/// only accepts or rejects their proposals.
bool keeps_whole_numbers(const KernelGraph& graph, const GraphTransition& t) {
  const auto declares = [&](std::int32_t operation) {
    return graph.operation(operation).traits.whole_numbers;
  };
  if (t.moves.empty()) return declares(t.operation);
  return std::all_of(t.moves.begin(), t.moves.end(), declares);
}

bool holds_position(VariableKind kind) {
  return kind == VariableKind::slot || kind == VariableKind::trial;
}

/// Throws InputError if a kernel for real numbers moves a coordinate that takes whole numbers.
void check_whole_numbers(const KernelGraph& graph, const Compositor& compositor) {
  const Model& model = compositor.model();
  if (std::ssize(real_coordinates(model.parameters())) == model.dimension()) return;
  const auto whole = whole_numbers(model.parameters());
  for (const GraphTransition& t : transitions(graph)) {
    for (const Variable v : t.writes) {
      const VariableInfo& slot = graph[v];
      if (!holds_position(slot.kind) || keeps_whole_numbers(graph, t)) continue;
      for (const Index held : held_coordinates(slot)) {
        const auto c = static_cast<std::size_t>(held);
        if (c >= whole.size() || !whole[c]) continue;
        const std::string& name = graph.operation(t.operation).name;
        refuse_operation(
            compositor, name,
            fmt::format(
                "operation `{}` is for real numbers, but it moves `{}`, whose values are integers "
                "from {} to {}. Move this parameter in a separate block, with a kernel that draws "
                "integers.",
                name, coordinate_names(model.parameters())[c], whole[c]->least, whole[c]->most));
      }
    }
  }
}

/// Throws InputError if an operation reads U of a law that is known only through an estimate.
/// Two kinds of operations may read such a law: those that make the stored estimate, and those that
/// read the law given its normals.
void check_estimates(const KernelGraph& graph, const Compositor& compositor) {
  for (const OperationInfo& operation : graph.operations()) {
    const bool keeps =
        std::any_of(operation.outputs.begin(), operation.outputs.end(), [&](Value v) {
          return graph[v].kind == ValueKind::version &&
                 graph[graph[v].variable].kind == VariableKind::estimate;
        });
    if (!operation.body || keeps) continue;
    for (const Input& input : operation.inputs) {
      if (graph.offered<EstimatedDensity>(input.value) == nullptr) continue;
      refuse_operation(
          compositor, operation.name,
          fmt::format(
              "operation `{}` needs the exact potential U, but `{}` offers only an unbiased "
              "estimate of its density. Move the whole position in one update, with a kernel that "
              "has the key `estimate_correlation`. Such a kernel needs only an estimate.",
              operation.name, graph[input.value].name));
    }
  }
}

}  // namespace

Program compose(const Compositor& compositor, const std::vector<RecordGroup>& cases) {
  Program program;
  for (const RecordGroup group : {RecordGroup::log_likelihood, RecordGroup::posterior_predictive}) {
    if (std::find(cases.begin(), cases.end(), group) != cases.end()) continue;
    program.warmup.leave_out(group);
    program.sampling.leave_out(group);
  }
  const CallMark mark("the composition of the kernel graph", &compositor);
  composing(compositor, [&] {
    compositor.compose(program.warmup, PhaseKind::warmup);
    compositor.compose(program.sampling, PhaseKind::sampling);
    check_recorded_once(program.sampling);
    check_whole_numbers(program.sampling, compositor);
    check_estimates(program.warmup, compositor);
    check_estimates(program.sampling, compositor);
  });
  program.certificate = certify(program.warmup, program.sampling);
  return program;
}

void refuse_unless_allowed(const Verdict& verdict, const std::vector<std::string>& allow) {
  const std::string label = verdict.label();
  const CertificateClass found = verdict.certificate_class();
  const bool refusable = found == CertificateClass::biased || found == CertificateClass::none;
  if (!refusable || std::find(allow.begin(), allow.end(), label) != allow.end()) return;
  throw Refused(
      fmt::format("this composition is {} ({}): {}. `mixwell check` shows the whole certificate. "
                  "Set allow = [\"{}\"] in [run] to run the composition anyway, for example as an "
                  "ablation.",
                  label, to_string(verdict.evidence()), verdict.reason, label));
}

void probe_wiring(std::shared_ptr<const Compositor> compositor) {
  RunSettings settings;
  settings.replicates = 1;
  settings.warmup = 1;
  settings.draws = 1;
  try {
    Program program = compose(*compositor);
    Sampler sampler(std::move(compositor), settings, std::move(program));
    sampler.initialise();
    for (const PhaseKind phase : {PhaseKind::warmup, PhaseKind::sampling}) {
      DrawBuffers draws;
      sampler.advance(phase, 1, &draws);
    }
  } catch (const WiringError&) {
    throw;
  } catch (const Error&) {
    return;  // other errors depend on the positions and on what is learnt, not on the wiring
  }
}

namespace {

/// The rows that this process draws, if the rows of a position are divided among ranks.
struct Portion {
  Portion(const Model& model, const Program& program, Index replicates)
      : processes(*model.offers<PortionOfModel>()->processes),
        rows(model.offers<PortionOfModel>()->coordinates),
        sums(*model.offers<PortionOfModel>()),
        warmup(model, program.warmup, replicates),
        sampling(model, program.sampling, replicates) {}

  void collect(PhaseKind phase, DrawBuffers& buffers) const {
    (phase == PhaseKind::warmup ? warmup : sampling).collect(buffers);
  }

  Portions& processes;
  RowRuns rows;
  DividedRows sums;
  PortionDraws warmup;
  PortionDraws sampling;
  std::uint64_t most_divergences = 0;  ///< largest number that any rank has seen
};

}  // namespace

struct Sampler::State {
  std::shared_ptr<const Compositor> compositor;
  RunSettings settings;
  Program program;
  Storage storage;
  JointRun* joint = nullptr;           ///< null: this process does everything
  std::optional<Division> division{};  ///< division of the replicates, in a joint run
  std::unique_ptr<Portion> portion{};  ///< rows of this rank, if coordinates are divided
  std::unique_ptr<Schedule> schedules[2];
  /// 0 before the first sweep, then 1 + PhaseKind of the last sweep.
  std::uint64_t active = 0;
  std::uint64_t sweeps = 0;
  std::uint64_t origin = 0;       ///< sweep at which the current phase began
  double gradients_before = 0.0;  ///< gradients evaluated for the starting values
  std::vector<Divergence> kept;

  Schedule& schedule(PhaseKind phase) { return *schedules[static_cast<int>(phase)]; }
  void enter(PhaseKind phase);
  void start();
  void advance(PhaseKind phase, std::int64_t count, DrawBuffers* buffers);
  void share_variables();
  void visit(StateVisitor& visitor);
  void visit_ranks(StateVisitor& visitor, bool is_read);
  void forget_auxiliaries();
  void keep_divergences(Schedule& from);
  std::vector<Divergence> of_all_ranks(std::vector<Divergence> mine) const;
  void to_whole(Divergence& one) const;
  Index most_rows() const;
  Evaluations evaluations() const;
  std::uint64_t divergences() const;
};

namespace {

/// Visits a count that memory or an index depends on. A saved count must not be too large.
void visit_limited(StateVisitor& visitor, std::string_view name, std::uint64_t& value,
                   std::uint64_t most) {
  visitor.count(name, value);
  if (value <= most) return;
  throw InputError(
      fmt::format("the saved state is invalid: `{}` is {}, but it must be at most {}. The "
                  "checkpoint is damaged. Use an intact checkpoint.",
                  name, value, most));
}

}  // namespace

void Sampler::State::enter(PhaseKind phase) {
  const std::uint64_t wanted = 1 + static_cast<std::uint64_t>(phase);
  if (active == wanted) return;
  const Schedule* before = active == 0 ? nullptr : &schedule(static_cast<PhaseKind>(active - 1));
  schedule(phase).start(before);
  active = wanted;
  origin = sweeps;
}

/// Marks the momenta and estimates of earlier positions as never drawn.
void Sampler::State::forget_auxiliaries() {
  for (const KernelGraph* graph : {&program.warmup, &program.sampling}) {
    for (const VariableInfo& v : graph->variables()) {
      const bool of_position =
          v.kind == VariableKind::auxiliary || v.kind == VariableKind::estimate;
      if (of_position && storage.has(v.name)) {
        storage.at(v.name).numbers.setZero();
      }
    }
  }
}

void Sampler::State::keep_divergences(Schedule& from) {
  std::vector<Divergence> found = from.take_kept();
  if (portion) {
    for (Divergence& one : found) to_whole(one);
  }
  if (joint != nullptr && (portion || division)) found = of_all_ranks(std::move(found));
  for (Divergence& d : found) {
    if (kept.size() < most_divergences_kept(std::ssize(d.position))) kept.push_back(std::move(d));
  }
}

/// Rows of other ranks are not known at a divergence, so they become NaN.
void Sampler::State::to_whole(Divergence& one) const {
  const Model& model = compositor->model();
  const std::vector<Index>& places = model.offers<PortionOfModel>()->coordinates;
  if (one.coordinate >= 0) one.coordinate = places[static_cast<std::size_t>(one.coordinate)];
  if (std::ssize(one.position) != model.dimension()) return;
  std::vector<double> whole(static_cast<std::size_t>(whole_of(model).dimension()), std::nan(""));
  for (std::size_t i = 0; i < places.size(); ++i)
    whole[static_cast<std::size_t>(places[i])] = one.position[i];
  one.position = std::move(whole);
}

Index Sampler::State::most_rows() const {
  Index most = portion ? whole_of(compositor->model()).dimension() : 0;
  for (const auto& [name, buffer] : storage.all()) most = std::max(most, buffer.numbers.rows());
  return most;
}

namespace {

/// Visits at most `most` divergences, each with at most `most_rows` coordinates.
void visit_divergences(StateVisitor& visitor, std::vector<Divergence>& divergences,
                       std::uint64_t most, Index most_rows) {
  std::uint64_t count = divergences.size();
  visit_limited(visitor, "kept divergences", count, most);
  divergences.resize(count);
  for (Divergence& d : divergences) {
    visitor.text("phase", d.phase);
    visitor.text("operation", d.operation);
    visitor.text("quantity", d.quantity);
    auto chain = static_cast<std::uint64_t>(d.chain);
    auto row = static_cast<std::uint64_t>(d.coordinate + 1);
    std::uint64_t length = d.position.size();
    visitor.count("chain", chain);
    visitor.count("sweep", d.sweep);
    visitor.count("row", row);
    visit_limited(visitor, "length", length, static_cast<std::uint64_t>(most_rows));
    d.chain = static_cast<std::int64_t>(chain);
    d.coordinate = static_cast<Index>(row) - 1;
    d.position.resize(length);
    visitor.numbers("value", Eigen::Map<Eigen::MatrixXd>(&d.value, 1, 1));
    visitor.numbers("position",
                    Eigen::Map<Eigen::MatrixXd>(d.position.data(), 1, static_cast<Index>(length)));
  }
}

/// Merges the rows that the ranks stored into one divergence for each transition.
std::vector<Divergence> merged(std::vector<Divergence> sorted) {
  std::vector<Divergence> all;
  for (Divergence& one : sorted) {
    const auto same = std::find_if(all.rbegin(), all.rend(), [&](const Divergence& d) {
      return std::tie(d.sweep, d.chain, d.phase, d.operation) ==
             std::tie(one.sweep, one.chain, one.phase, one.operation);
    });
    if (same == all.rend()) {
      all.push_back(std::move(one));
      continue;
    }
    for (std::size_t i = 0; i < std::min(same->position.size(), one.position.size()); ++i)
      if (std::isnan(same->position[i])) same->position[i] = one.position[i];
    if (same->coordinate >= 0 || one.coordinate < 0) continue;
    same->quantity = one.quantity;
    same->coordinate = one.coordinate;
    same->value = one.value;
  }
  return all;
}

}  // namespace

/// The divergences of all ranks in the order of one process, on rank 0; empty on other ranks.
std::vector<Divergence> Sampler::State::of_all_ranks(std::vector<Divergence> mine) const {
  constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  StateWriter writer;
  visit_divergences(writer, mine, no_limit, most_rows());
  agree(joint->ranks());
  std::vector<Divergence> all;
  for (const std::vector<char>& of_rank : joint->ranks().collect(writer.bytes())) {
    std::vector<Divergence> found;
    StateReader reader(of_rank);
    visit_divergences(reader, found, no_limit, most_rows());
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  sort_by_sweep(all);
  return portion ? merged(std::move(all)) : all;
}

/// Shares the variables that a checkpoint holds.
void Sampler::State::share_variables() {
  for (auto& [name, buffer] : storage.all()) {
    if (buffer.saved && buffer.numbers.cols() == settings.replicates)
      division->share_columns(buffer.numbers.data(), buffer.numbers.rows());
  }
}

Evaluations Sampler::State::evaluations() const {
  const Evaluations warmup = schedules[0]->evaluations();
  const Evaluations sampling = schedules[1]->evaluations();
  return {gradients_before + warmup.all + sampling.all, warmup.potentials + sampling.potentials};
}

std::uint64_t Sampler::State::divergences() const {
  const auto own =
      static_cast<std::uint64_t>(schedules[0]->divergences() + schedules[1]->divergences());
  return portion ? std::max(own, portion->most_divergences) : own;
}

Sampler::Sampler(std::shared_ptr<const Compositor> compositor, const RunSettings& settings,
                 Program program, NoiseGrid noise, JointRun* joint)
    : state_(std::make_unique<State>()) {
  state_->compositor = std::move(compositor);
  state_->settings = settings;
  check_memory(program, settings);
  state_->joint = joint;
  const Model& model = state_->compositor->model();
  if (model.offers<PortionOfModel>() != nullptr)
    state_->portion = std::make_unique<Portion>(model, program, settings.replicates);
  else if (joint != nullptr && settings.ranks == "replicates")
    state_->division.emplace(state_->joint->ranks(), settings.replicates, settings.block_width);
  state_->program = std::move(program);
  const ScheduleSettings schedule{settings.stream_seed(),
                                  settings.replicates,
                                  settings.block_width,
                                  settings.thin,
                                  settings.warmup,
                                  noise,
                                  state_->division ? &*state_->division : nullptr,
                                  state_->portion ? &state_->portion->sums : nullptr,
                                  state_->portion ? &state_->portion->rows : nullptr,
                                  joint != nullptr && !state_->division};
  state_->schedules[0] =
      std::make_unique<Schedule>(state_->program.warmup, "warmup", schedule, state_->storage);
  state_->schedules[1] =
      std::make_unique<Schedule>(state_->program.sampling, "sampling", schedule, state_->storage);
}

Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;

/// Every rank starts all replicates.
void Sampler::State::start() {
  active = 0;  // cached evaluations belong to other positions
  forget_auxiliaries();
  gradients_before +=
      set_initial_state(program.warmup, compositor->model(), settings, sweeps, storage);
}

void Sampler::initialise() {
  if (state_->joint == nullptr) return state_->start();
  state_->joint->order_start();
  state_->joint->carry_out([this] { state_->start(); });
}

void Sampler::State::advance(PhaseKind phase, std::int64_t count, DrawBuffers* buffers) {
  enter(phase);
  Schedule& running = schedule(phase);
  running.run(sweeps, count, origin, buffers);
  if (division) running.share_counts();
  if (division && buffers != nullptr) running.share_draws(*buffers);
  if (portion && buffers != nullptr) portion->collect(phase, *buffers);
  sweeps += static_cast<std::uint64_t>(count);
  keep_divergences(running);
  if (!portion || joint == nullptr) return;
  agree(joint->ranks());
  portion->most_divergences =
      static_cast<std::uint64_t>(joint->ranks().largest(static_cast<std::int64_t>(divergences())));
}

void Sampler::stop_when(std::function<bool()> is_late) {
  for (auto& schedule : state_->schedules) schedule->stop_when(is_late);
}

void Sampler::advance(PhaseKind phase, std::int64_t sweeps, DrawBuffers* buffers) {
  if (state_->joint == nullptr) return state_->advance(phase, sweeps, buffers);
  state_->joint->order_advance(phase, sweeps, buffers != nullptr);
  state_->joint->carry_out([&] { state_->advance(phase, sweeps, buffers); });
}

/// Every rank receives the restored state. The saved state comes from all ranks.
void Sampler::visit_state(StateVisitor& visitor) {
  const bool is_read = dynamic_cast<StateReader*>(&visitor) != nullptr;
  State& s = *state_;
  if (s.portion) return s.visit_ranks(visitor, is_read);
  if (s.division && !is_read) {
    s.joint->order_gather();
    s.joint->carry_out([&] { s.share_variables(); });
  }
  s.visit(visitor);
  if (s.joint == nullptr || !is_read || !s.joint->ranks().leads()) return;
  StateWriter all;
  s.visit(all);
  s.joint->order_restore(all.bytes());
}

namespace {

/// Visits bytes as numbers, eight bytes each.
void visit_bytes(StateVisitor& visitor, std::string_view name, std::vector<char>& bytes) {
  std::uint64_t size = bytes.size();
  visit_limited(visitor, name, size, std::uint64_t{1} << 40);
  Eigen::MatrixXd numbers = Eigen::MatrixXd::Zero(static_cast<Index>(size / sizeof(double) + 1), 1);
  auto* const held = reinterpret_cast<char*>(numbers.data());
  std::copy(bytes.begin(), bytes.end(), held);
  visitor.numbers(name, numbers);
  bytes.assign(held, held + size);
}

}  // namespace

/// Visits the states of all ranks, each with its own rows.
void Sampler::State::visit_ranks(StateVisitor& visitor, bool is_read) {
  std::vector<std::vector<char>> states(static_cast<std::size_t>(portion->processes.ranks()));
  const auto save = [&] {
    StateWriter own;
    visit(own);
    auto all = portion->processes.collect(own.bytes());
    if (!all.empty()) states = std::move(all);
  };
  const auto visit_all = [&](StateVisitor& by) {
    std::uint64_t ranks = states.size();
    by.count("ranks", ranks);
    if (ranks != states.size())
      throw InputError(fmt::format(
          "the run was started with {2}, but it now has {0} ranks. With run.ranks = "
          "\"coordinates\", each rank stores its own coordinates, so the number of ranks must stay "
          "the same. Continue the run with {2}.",
          states.size(), ranks, ranks == 1 ? "one process" : fmt::format("{} ranks", ranks)));
    for (std::vector<char>& one : states) visit_bytes(by, "state of a rank", one);
  };
  if (!is_read && joint == nullptr) save();
  if (!is_read && joint != nullptr) {
    joint->order_gather();
    joint->carry_out(save);
  }
  visit_all(visitor);
  if (!is_read) return;
  StateReader reader(states[static_cast<std::size_t>(portion->processes.rank())]);
  visit(reader);
  if (joint == nullptr || !joint->ranks().leads()) return;
  StateWriter all;
  visit_all(all);
  joint->order_restore(all.bytes());
}

void Sampler::State::visit(StateVisitor& visitor) {
  visitor.count("sweeps", sweeps);
  visit_limited(visitor, "phase", active, std::size(schedules));
  visitor.count("origin", origin);
  Eigen::MatrixXd before = Eigen::MatrixXd::Constant(1, 1, gradients_before);
  visitor.numbers("gradients before", before);
  gradients_before = before(0, 0);
  for (const auto& schedule : schedules) schedule->visit_state(visitor);
  visit_divergences(visitor, kept, most_kept, most_rows());
  for (auto& [name, buffer] : storage.all()) {
    if (buffer.saved) visitor.numbers(name, buffer.numbers);
  }
}

bool Sampler::has(const std::string& name) const { return state_->storage.has(name); }

MatrixMap Sampler::variable(const std::string& name) {
  if (!has(name)) {
    throw InputError(
        fmt::format("the sampler has no variable `{}`. Use a name for which has() is true.", name));
  }
  Eigen::MatrixXd& numbers = state_->storage.at(name).numbers;
  return {numbers.data(), numbers.rows(), numbers.cols()};
}

bool Sampler::has_position(const std::string& name) const {
  return is_read(state_->program.sampling, name, state_->storage);
}

Eigen::MatrixXd Sampler::position(const std::string& name) {
  Eigen::MatrixXd theta =
      Eigen::MatrixXd::Zero(state_->compositor->model().dimension(), state_->settings.replicates);
  visit_slots(state_->program.sampling, name, state_->storage,
              [&](const RowRuns& rows, MatrixMap slot) { rows.put(slot, theta); });
  return theta;
}

void Sampler::move(const std::string& position, ConstBatch theta) {
  const Index d = state_->compositor->model().dimension();
  const std::int64_t replicates = state_->settings.replicates;
  if (!has_position(position)) {
    throw InputError(fmt::format(
        "the sampler has no position `{}`. Use a name for which has_position() is true.",
        position));
  }
  if (theta.rows() != d || theta.cols() != replicates) {
    throw InputError(
        fmt::format("position `{}` is {} x {}, but the new values are {} x {}. Give a row for each "
                    "coordinate and a column for each replicate.",
                    position, d, replicates, theta.rows(), theta.cols()));
  }
  visit_slots(state_->program.sampling, position, state_->storage,
              [&](const RowRuns& rows, MatrixMap slot) { rows.take(theta, slot); });
  state_->active = 0;
}

void Sampler::evaluate(Value law, Index replicate, ConstBatch theta, Row u) {
  const KernelGraph& graph = state_->program.sampling;
  each(Cones(graph).leaves(law), [&](std::int32_t leaf) {
    const ValueInfo& from = graph[Value{leaf}];
    const bool numbers =
        from.kind == ValueKind::version && graph[from.variable].kind == VariableKind::history;
    if (numbers || from.kind == ValueKind::constant) return;
    throw InputError(
        fmt::format("the density `{}` depends on `{}`, which changes during sampling. Evaluate a "
                    "density that depends only on constants and histories.",
                    graph[law].name, from.name));
  });
  state_->enter(PhaseKind::sampling);
  Workspace scratch;
  Eigen::MatrixXd g(theta.rows(), theta.cols());
  state_->schedule(PhaseKind::sampling).law(law, replicate).evaluate(theta, {u.data(), g, scratch});
}

const KernelGraph& Sampler::graph(PhaseKind phase) const {
  return phase == PhaseKind::warmup ? state_->program.warmup : state_->program.sampling;
}

std::uint64_t Sampler::sweeps() const noexcept { return state_->sweeps; }
Evaluations Sampler::evaluations() const { return state_->evaluations(); }
double Sampler::gradients() const { return state_->evaluations().all; }
const std::vector<Divergence>& Sampler::divergences() const { return state_->kept; }
std::int64_t Sampler::divergence_count() const {
  return static_cast<std::int64_t>(state_->divergences());
}

std::vector<OperationTime> Sampler::operation_times() const {
  std::vector<OperationTime> times = state_->schedules[0]->times();
  for (OperationTime& t : state_->schedules[1]->times()) times.push_back(std::move(t));
  return times;
}

std::size_t Sampler::memory() const { return state_->schedules[0]->memory(); }

int most_threads() { return 8 * tbb::info::default_concurrency(); }

void with_threads(int threads, const std::function<void()>& body) {
  if (threads < 0 || threads > most_threads()) {
    throw InputError(fmt::format(
        "{} threads are not allowed. Use 1 to {} threads. The limit is eight threads "
        "for each core of this machine. Without --threads, one thread runs on each core.",
        threads, most_threads()));
  }
  const int count = threads > 0 ? threads : tbb::info::default_concurrency();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(count));
  tbb::task_arena arena(count);
  arena.execute(body);
}

}  // namespace mixwell
