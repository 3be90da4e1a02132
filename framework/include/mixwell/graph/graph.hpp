// The kernel graph: one sweep as a straight-line program over named variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/component/component.hpp>
#include <mixwell/law/function.hpp>
#include <mixwell/model.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mixwell {

class Block;
class RowRuns;

/// Persistent state: what is carried over a sweep boundary, and what a checkpoint holds.
enum class VariableKind {
  slot,       ///< position; its law is given by the factors that have it among their slots
  auxiliary,  ///< declared conditional law, drawn by a refresh (momentum)
  history,    ///< a learner's numbers; no law
  joined,     ///< several slots seen as one while an update moves them; no state of its own
  trial,      ///< a copy of a slot that the stages of a proposal move; no state of its own
  estimate,   ///< what an unbiased estimate of a density was where its slot is, kept with it
};

enum class ValueKind { constant, noise, version, derived };

enum class OperationKind {
  pure,     ///< derived value, a function of only its inputs
  refresh,  ///< draws a variable from its law
  move,     ///< a map or SDE step
  accept,   ///< chooses between state and proposed by the ratio of laws
  observe,  ///< next version of a history
  regroup,  ///< copies numbers between slots and what joins them; moves nothing
};

/// What an operation reads a value as.
enum class Role {
  state,              ///< the version the operation replaces
  proposed,           ///< accept: the candidate for the state before it
  parameter,          ///< step size, number of steps, curvature of a fit, ...
  law,                ///< what the update must leave invariant
  law_at_proposal,    ///< the same law evaluated with parameters taken at the proposal
  stage_law,          ///< accept: what the stages of the proposal keep; its ratio is divided out
  evaluation,         ///< cached (U, grad U) of a law at a version; keyed by both
  noise,              ///< fresh random numbers; one consumer each
  position_coupling,  ///< A of theta' = A M^-1 p
  momentum_coupling,  ///< A' of p' = -A' grad U
  drift,
  diffusion,
  friction,
  drift_correction,  ///< Gamma_i = sum_j dH_ij / dtheta_j of the H in the drift
  weights,           ///< which branch of a mixture a guarded operation belongs to
};

/// "state", "law", "A", ...: as on the edges of graph.dot.
MIXWELL_EXPORT std::string_view to_string(Role role) noexcept;

/// How a history forgets; the weakest first.
enum class Forgets { unknown, persistent, window, diminishing };

/// Whether each replicate has its own copy of a variable, or all share one.
enum class Scope { replicate, run };

struct Variable {
  std::int32_t id = -1;
  friend bool operator==(Variable, Variable) = default;
};
struct Value {
  std::int32_t id = -1;
  friend bool operator==(Value, Value) = default;
  explicit operator bool() const noexcept { return id >= 0; }
};

/// Where an auxiliary variable lives: what the density exp(-U) of its law is a density of, and so
/// by which identity `verify` tests what is drawn from it.
enum class Space {
  real,           ///< all of R^rows, or an open part of it; U has a gradient there
  sphere,         ///< the unit sphere of R^rows, by its surface
  whole_numbers,  ///< vectors of whole numbers, by counting
  line,           ///< a curve or surface within R^rows that depends on the state
  improper        ///< R^rows, and exp(-U) has no finite integral: what is drawn has another law
};

/// "real", "sphere", "whole numbers", ...
MIXWELL_EXPORT std::string_view to_string(Space space) noexcept;

/// What an auxiliary variable is besides its law.
struct AuxiliaryTraits {
  Space space = Space::real;
  /// Its sign changes when time runs backwards, as a momentum's: it is one of those that
  /// Flips::momentum negates. Its law must then be the same at -v as at v.
  bool turns = true;
};

/// What an operation does, called once per column block and sweep. Immutable; all it may read
/// or write comes from the edges of its vertex, so what is certified is what is computed.
class MIXWELL_EXPORT Body {
 public:
  virtual ~Body();
  virtual void run(Block& block) const = 0;
};

struct VariableInfo {
  std::string name;
  VariableKind kind = VariableKind::slot;
  Index rows = 0;
  Scope scope = Scope::replicate;
  Forgets forgets = Forgets::unknown;
  /// history, diminishing: what is read of it changes by about n^-rate in the n-th sweep; 0 = not
  /// declared.
  double rate = 0.0;
  /// history: what it learns, in a certificate's words ("step size"); its name where it is empty.
  std::string learns{};
  /// rows x 1, given to every column before the first sweep; slots start where `init` says.
  Eigen::VectorXd initial;
  /// slot: the whole position that it is, or is a part of; its own name where it is the whole.
  std::string position{};
  /// slot, joined: the coordinates of the position that its rows hold, ascending; empty where they
  /// are all.
  std::vector<Index> coordinates{};
  /// slot: no update moves it, and the others are sampled given it.
  bool fixed = false;
  /// auxiliary: where it lives, and whether Flips::momentum negates it.
  AuxiliaryTraits traits{};
  /// joined, trial, estimate: the slots whose numbers it holds, that it is a copy of, that it is
  /// of.
  std::vector<Variable> parts{};
  Value carried;  ///< version 0
  Value current;  ///< newest version
};

struct ValueInfo {
  std::string name;
  ValueKind kind = ValueKind::derived;
  /// Numbers per column; 0 for noise and for functions without numbers.
  Index rows = 0;
  Scope scope = Scope::replicate;
  std::shared_ptr<const Function> function;
  Variable variable;           ///< version: of what
  std::int32_t version = 0;    ///< version: k
  Value replaces;              ///< version: k - 1
  Value replaced_by;           ///< version: k + 1, if this sweep writes it
  std::int32_t producer = -1;  ///< operation that writes it, or -1
  Value storage;               ///< derived: shares the numbers of this value (views)
  bool carried = false;        ///< Output::carried
  Value evaluated_law;         ///< evaluation: of which law ...
  Value evaluated_at;          ///< ... at which version
};

struct Input {
  Value value;
  Role role = Role::parameter;
  /// A cached gradient that the body copies to what it writes and reads for nothing else: where
  /// nobody else reads it, it is not evaluated and has no memory.
  bool carried = false;
};

/// An operation with a guard runs in the columns where `choice` (1 x w) holds `branch`; elsewhere
/// what it would write keeps its numbers.
struct Guard {
  Value choice;
  Index branch = 0;
  explicit operator bool() const noexcept { return static_cast<bool>(choice); }
};

/// What an operation writes: a derived value, or the next version of a variable.
struct Output {
  static Output derived(std::string name, Index rows,
                        std::shared_ptr<const Function> function = nullptr) {
    return {std::move(name), rows, std::move(function), {}, {}, {}};
  }
  static Output next(Variable variable) { return {{}, 0, nullptr, variable, {}, {}}; }
  /// The cached potential (rows = 1) and then gradient (rows = d) of `law` at version `at` of a
  /// slot, or at the version that this operation writes to `variable` if `at` is empty; always as a
  /// pair.
  static Output evaluation(std::string name, Index rows, Value law, Variable variable,
                           Value at = {}) {
    return {std::move(name), rows, nullptr, variable, law, at};
  }
  /// The same of a gradient that the body writes where it has memory: see Input::carried.
  static Output carried_gradient(std::string name, Index rows, Value law, Variable variable,
                                 Value at = {}) {
    Output output = evaluation(std::move(name), rows, law, variable, at);
    output.carried = true;
    return output;
  }

  std::string name;
  Index rows = 0;
  std::shared_ptr<const Function> function;
  Variable variable;
  Value law;
  Value at;
  bool carried = false;

  bool is_version() const noexcept { return variable.id >= 0 && !law; }
  bool is_evaluation() const noexcept { return static_cast<bool>(law); }
};

struct OperationInfo {
  std::string name;
  OperationKind kind = OperationKind::pure;
  Traits traits;
  std::vector<Input> inputs;
  std::vector<Value> outputs;
  std::shared_ptr<const Body> body;  ///< null: a view, nothing to run
  Guard guard{};                     ///< its choice is the last input too, as `weights`
};

/// The potential and gradient of one law at one version of a slot.
struct Cached {
  Value u;
  Value g;
};
/// That version with them.
struct EvaluatedPoint {
  Value theta;
  Cached at;
};

enum class RecordType { real, integer, boolean };

/// A value written to the results after each recorded sweep, or once a run.
struct Record {
  RecordGroup group = RecordGroup::posterior;
  std::string name;
  std::vector<Index> shape{};
  RecordType type = RecordType::real;
  std::string unit{};
  std::string help{};
  Index slot = 0;  ///< chain = replicate * slots + slot
  Value value;
  Index first_row = 0;  ///< of the value's rows
  /// Read only after the first recorded sweep of the sampling phase; no operation of that phase
  /// moves it (what warm-up learnt: an inverse metric). A real of sample_stats.
  bool once = false;
  std::vector<std::string> dims{};  ///< as those of a parameter
};

/// A factor of the joint target: exp(-U) over its slots.
struct Factor {
  Value law;
  std::vector<Variable> slots;
};

/// What one kernel added in one call, as ids from `first` up to `end`: of a kernel that describes a
/// transition twice, the second is as the first but for its names, noises and histories.
struct KernelDescription {
  const Component* kernel = nullptr;
  std::int32_t first_operation = 0;
  std::int32_t end_operation = 0;
  std::int32_t first_value = 0;
  std::int32_t end_value = 0;
};

class KernelGraph;

/// Coordinates of the position that a slot holds, one for each of its rows, ascending.
MIXWELL_EXPORT std::vector<Index> held_coordinates(const VariableInfo& slot);
/// The slots that hold a position together, in the order in which they were added.
MIXWELL_EXPORT std::vector<Variable> slots_of(const KernelGraph& graph,
                                              const std::string& position);
/// The positions that the slots of a graph hold, in the order of their first slots.
MIXWELL_EXPORT std::vector<std::string> positions(const KernelGraph& graph);

/// Built by a compositor and its kernels in the order of the sweep, one graph per phase. Names are
/// paths (`hmc/refresh`), stable under additions: random streams are keyed by them. It is built
/// once a phase: the attributes tell the compiler that whatever leads to these calls is to be
/// small, and code that describes a kernel compiles in half the time.
class MIXWELL_EXPORT KernelGraph {
 public:
  /// A whole position.
  [[gnu::cold]] Variable slot(std::string name, Index rows);
  /// A slot for some coordinates (ascending, not empty) of `position`, which all of its slots hold
  /// together. `fixed`: it stays where it starts.
  [[gnu::cold]] Variable part(std::string name, std::string position,
                              std::vector<Index> coordinates, bool fixed = false);
  /// Several parts of one position as one variable, for a kernel that moves them together: gather()
  /// before its transition gives it their numbers, scatter() after it hands them back.
  [[gnu::cold]] Variable joined(std::string name, std::vector<Variable> parts);
  /// A copy of a slot (or of what joins several) for the stages of a proposal; begin_trial() gives
  /// it the slot's numbers.
  [[gnu::cold]] Variable trial(std::string name, Variable slot);
  [[gnu::cold]] Variable auxiliary(std::string name, Index rows,
                                   const AuxiliaryTraits& traits = {});
  /// What is kept of an unbiased estimate of the density where the slot is: all zero before the
  /// first, and after the slot was placed anew.
  [[gnu::cold]] Variable estimate(std::string name, Variable slot, Index rows);
  [[gnu::cold]] Variable history(std::string name, Eigen::VectorXd initial, Forgets forgets,
                                 Scope scope = Scope::replicate, double rate = 0.0,
                                 std::string learns = {});

  [[gnu::cold]] Value constant(std::string name, std::shared_ptr<const Function> function);
  /// Declares that exp(-U) of `law` is a factor of the joint target.
  [[gnu::cold]] void factor(Value law, std::vector<Variable> slots);
  /// Fresh randomness; exactly one operation may consume it.
  [[gnu::cold]] Value noise(std::string name);
  /// The newest version of a variable.
  [[gnu::cold]] Value current(Variable variable) const;
  /// Made only from constants: the same in every sweep.
  bool is_constant(Value value) const;

  /// Adds an operation; returns its outputs in order. Throws InputError when a rule of the graph
  /// is broken (a noise consumed twice, a version replaced that is not the newest, ...).
  [[gnu::cold]] std::vector<Value> add(std::string name, OperationKind kind, const Traits& traits,
                                       std::vector<Input> inputs, std::vector<Output> outputs,
                                       std::shared_ptr<const Body> body);
  /// The same numbers seen as another function; nothing is computed. `in_place_of`: the law that
  /// the function stands in for.
  [[gnu::cold]] Value view(std::string name, std::shared_ptr<const Function> function, Value of,
                           const Traits& traits = {}, Value in_place_of = {});
  /// Proposes that two versions change places: a move that computes nothing, is its own inverse and
  /// keeps volume. Returns what is proposed for `a` (the numbers of b), then for `b`.
  [[gnu::cold]] std::pair<Value, Value> exchange(const std::string& name, Value a, Value b);
  /// The next version of a joined variable, from the newest versions of its parts.
  [[gnu::cold]] void gather(Variable joined);
  /// The next versions of the parts, from the newest version of what joins them.
  [[gnu::cold]] void scatter(Variable joined);
  /// The next version of a trial, from the newest version of its slot.
  [[gnu::cold]] void begin_trial(Variable trial);
  /// What is added until end_description() is one description of `kernel`. Of descriptions within
  /// another the outermost is kept.
  void begin_description(const Component& kernel);
  void end_description();
  /// (U, grad U) of `law` at the newest version of `slot`: the cached one where there is one, else
  /// a new pure operation. Carried over sweeps where the law is constant.
  [[gnu::cold]] Cached evaluation(Value law, Variable slot);
  /// The cached one, or two empty values.
  [[gnu::cold]] Cached cached(Value law, Variable slot) const;
  /// (U, grad U) of `law` at what is proposed for `slot`.
  [[gnu::cold]] Cached evaluation_at(Value law, Variable slot, Value proposed);

  /// Operations added until the next call belong to that branch of a mixture; without an argument,
  /// to none. Returns the guard before.
  Guard set_guard(Guard guard = {}) { return std::exchange(guard_, guard); }

  /// Throws InputError when this slot already records that name, or what is recorded once is not a
  /// real of sample_stats.
  [[gnu::cold]] void record(Record record);
  /// Drops records of that group from now on; what serves only them need not be added.
  void leave_out(RecordGroup group) { left_out_.insert(group); }
  bool leaves_out(RecordGroup group) const { return left_out_.contains(group); }

  /// Puts `body` instead of an operation's own, for instruments that look on: edges, traits
  /// and so the certificate stay what they are.
  void instrument(std::size_t operation, std::shared_ptr<const Body> body) {
    operations_.at(operation).body = std::move(body);
  }

  const std::vector<VariableInfo>& variables() const noexcept { return variables_; }
  const std::vector<ValueInfo>& values() const noexcept { return values_; }
  const std::vector<OperationInfo>& operations() const noexcept { return operations_; }
  const std::vector<Record>& records() const noexcept { return records_; }
  const std::vector<Factor>& factors() const noexcept { return factors_; }
  const std::vector<KernelDescription>& descriptions() const noexcept { return descriptions_; }
  const VariableInfo& operator[](Variable v) const { return variables_.at(v.id); }
  const ValueInfo& operator[](Value v) const { return values_.at(v.id); }
  const OperationInfo& operation(std::int32_t id) const { return operations_.at(id); }
  /// The law of a value, or null where its function is none.
  [[gnu::cold]] std::shared_ptr<const Potential> potential(Value law) const;
  /// What that law offers, or null.
  template <class Offered>
  const Offered* offered(Value law) const {
    const std::shared_ptr<const Potential> of = potential(law);
    return of == nullptr ? nullptr : of->offers<Offered>();
  }

 private:
  Cached evaluate(Value law, Variable slot, Value at);
  bool is_made_in_branch(Value law) const;
  Variable add_variable(VariableInfo info);
  Value add_value(ValueInfo info);
  Value add_output(std::int32_t operation, const Output& output);
  Value next_version(std::int32_t operation, Variable variable);
  void consume_noises(std::int32_t operation, const OperationInfo& info);
  /// `name` = kind and name: buffers, random streams and reports are keyed by them.
  void claim_name(const std::string& name);

  std::vector<VariableInfo> variables_;
  std::vector<ValueInfo> values_;
  std::vector<OperationInfo> operations_;
  std::vector<Record> records_;
  std::set<RecordGroup> left_out_;
  std::vector<Factor> factors_;
  std::vector<KernelDescription> descriptions_;
  std::int32_t open_descriptions_ = 0;
  std::set<std::string> names_;
  std::map<std::int32_t, std::int32_t> consumers_;  ///< of noises: operations
  Guard guard_;
};

/// Something worth telling about one column in one sweep.
struct Event {
  Index column = 0;           ///< within the block
  const char* quantity = "";  ///< first that went wrong: "potential", "position", ..."
  Index row = -1;             ///< its coordinate, or -1
  double value = 0.0;
};

/// Common random numbers of samplers with different step sizes: a normal is the sum, over its
/// square root, of as many normals as a sampler with steps that much finer draws in the same time.
struct NoiseGrid {
  std::uint32_t sweeps = 1;  ///< of the finer sampler to one of this
  std::uint32_t steps = 1;   ///< the same for steps of an integrator within a sweep
};

/// The columns of one block, in one sweep.
class MIXWELL_EXPORT Columns {
 public:
  Index columns() const noexcept { return columns_; }
  Index first_column() const noexcept { return first_column_; }
  std::uint64_t sweep() const noexcept { return sweep_; }
  /// Sweeps that the whole warm-up takes.
  std::int64_t warmup() const noexcept { return warmup_; }
  Workspace& scratch() const noexcept { return *scratch_; }
  /// Keeps an event with the position that the slot had before the operation.
  void report(const Event& event, ConstBatch theta) const;

  struct Sinks;

 protected:
  Index columns_ = 0;
  Index first_column_ = 0;
  std::uint64_t sweep_ = 0;
  std::int64_t warmup_ = 0;
  Workspace* scratch_ = nullptr;
  Sinks* sinks_ = nullptr;
};

/// What a raw body sees: its columns, and all edges by position. Bodies of add_operation see them
/// by their types.
class MIXWELL_EXPORT Block : public Columns {
 public:
  /// Numbers of the k-th input: rows x columns(); rows x 1 if its scope is the run and the block
  /// is not. This and what follows throws WiringError, which names operation, input and role, where
  /// the operation has no such input or output, or it is of another kind.
  ConstMatrixMap in(std::size_t k) const {
    const Port& p = numbers(k);
    return {pointer(p), p.rows, width(p)};
  }
  MatrixMap out(std::size_t k) const {
    const Port& p = output(k);
    return {pointer(p), p.rows, width(p)};
  }
  RowMap out_row(std::size_t k) const {
    const Port& p = output(k);
    if (p.rows != 1) [[unlikely]]
      refuse_output(k, "one row");
    return {pointer(p), width(p)};
  }
  ConstRowMap in_row(std::size_t k) const {
    const Port& p = numbers(k);
    if (p.rows != 1) [[unlikely]]
      refuse_input(k, "one row");
    return {pointer(p), width(p)};
  }
  Law law(std::size_t k) const {
    const Port& p = input(k);
    if (p.potential == nullptr) [[unlikely]]
      refuse_input(k, "a law");
    return {*p.potential, ConstMatrixMap(pointer(p), p.rows, width(p)), spent_};
  }
  Curvature curvature(std::size_t k) const {
    const Port& p = input(k);
    if (p.representation == nullptr) [[unlikely]]
      refuse_input(k, "a curvature");
    return {*p.representation,
            Numbers(ConstMatrixMap(pointer(p), p.rows, width(p)), nullptr, p.divided_rows)};
  }
  /// What brings the rows of the position together where this process has only some; else null.
  const DividedRows* divided_rows(std::size_t k) const { return input(k).divided_rows; }
  /// The function at input k as the class that the body was written for.
  template <class T>
  const T& function(std::size_t k) const {
    const auto* const found = dynamic_cast<const T*>(input(k).function);
    if (found == nullptr) [[unlikely]]
      refuse_input(k, "a function of another class");
    return *found;
  }

  /// Fresh numbers of the noise at input k; `draw` tells repeated use within a sweep apart.
  void normals(std::size_t k, Batch out, std::uint32_t draw = 0) const;
  /// The same, where `draw` numbers the steps of an integrator.
  void step_normals(std::size_t k, Batch out, std::uint32_t draw) const;
  void uniforms(std::size_t k, Batch out, std::uint32_t draw = 0) const;
  /// The noise at input k itself.
  const Stream& stream(std::size_t k) const {
    const Port& p = input(k);
    if (p.stream == nullptr) [[unlikely]]
      refuse_input(k, "a noise");
    return *p.stream;
  }

  struct Port {
    double* data = nullptr;
    Index rows = 0;
    Index stride = 0;  ///< doubles from one column to the next; 0 if shared by all
    const Function* function = nullptr;
    const Potential* potential = nullptr;            ///< `function`, if it is one
    const Representation* representation = nullptr;  ///< likewise
    const Stream* stream = nullptr;                  ///< of a noise
    const DividedRows* divided_rows = nullptr;       ///< where other processes have some rows
  };
  /// Where an operation stands, for messages.
  struct Wiring {
    const KernelGraph* graph = nullptr;
    const OperationInfo* operation = nullptr;
  };

 private:
  friend class Schedule;
  friend class Replay;
  const Port& input(std::size_t k) const {
    if (k >= inputs_.size()) [[unlikely]]
      refuse_input(k, "an input");
    return inputs_[k];
  }
  const Port& output(std::size_t k) const {
    if (k >= outputs_.size()) [[unlikely]]
      refuse_output(k, "an output");
    return outputs_[k];
  }
  const Port& numbers(std::size_t k) const {
    const Port& p = input(k);
    if (p.stream != nullptr) [[unlikely]]
      refuse_input(k, "numbers");
    return p;
  }
  [[noreturn]] void refuse_input(std::size_t k, const char* wanted) const;
  [[noreturn]] void refuse_output(std::size_t k, const char* wanted) const;

  double* pointer(const Port& s) const noexcept {
    return s.data == nullptr ? nullptr : s.data + s.stride * first_column_;
  }
  Index width(const Port& s) const noexcept { return s.stride == 0 && s.rows != 0 ? 1 : columns_; }

  NoiseGrid noise_;
  const RowRuns* rows_ = nullptr;  ///< of the whole that the position's rows are; null: all of them
  bool negates_normals_ = false;   ///< Replay: a way back, with the noise of the way there negated
  std::span<const Port> inputs_;
  std::span<const Port> outputs_;
  Evaluations* spent_ = nullptr;
  Wiring wiring_;
};

}  // namespace mixwell
