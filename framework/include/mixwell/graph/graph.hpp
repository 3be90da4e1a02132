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

class ColumnBlock;
class RowRuns;

/// Kinds of persistent state, which is carried from sweep to sweep and stored in checkpoints.
enum class VariableKind {
  slot,       ///< a position, whose law is the product of the factors that depend on the slot
  auxiliary,  ///< a variable that a refresh draws from a declared conditional law (momentum)
  history,    ///< numbers that a learner updates; a history has no law
  joined,     ///< copies of several slots, for an update that moves them together (not carried)
  trial,      ///< a copy of a slot that the stages of a proposal move (not carried)
  estimate,   ///< the unbiased estimate of a density at a slot's position, stored with the slot
};

/// Kinds of values. A `derived` value is computed by an operation of the same sweep.
enum class ValueKind { constant, noise, version, derived };

/// Kinds of operations, by what they do to their outputs.
enum class OperationKind {
  pure,     ///< computes derived values from its inputs only
  refresh,  ///< draws a variable from its law
  move,     ///< applies a map or a step of an SDE
  accept,   ///< accepts or rejects a proposal by a ratio of densities
  observe,  ///< writes the next version of a history
  regroup,  ///< copies numbers between slots and the variable that joins them
};

/// The role of a value that an operation reads.
enum class Role {
  state,              ///< the version that the operation replaces
  proposed,           ///< accept: the value that may replace the preceding `state` input
  parameter,          ///< step size, number of steps, preconditioner of a fit, ...
  law,                ///< a law that the update must leave invariant
  law_at_proposal,    ///< an auxiliary's law, evaluated with parameters from the proposal
  stage_law,          ///< accept: the law that the stages leave invariant. The acceptance ratio
                      ///< contains the inverse of this law's density ratio
  evaluation,         ///< cached (U, grad U), identified by its law and its version
  noise,              ///< new random numbers, which exactly one operation reads
  position_coupling,  ///< A in theta' = A M^-1 p
  momentum_coupling,  ///< A' in p' = -A' grad U
  drift,
  diffusion,
  friction,
  drift_correction,  ///< Gamma_i = sum_j dH_ij / dtheta_j, where H is the matrix in the drift
  weights,           ///< the branch of a mixture that a guarded operation belongs to
};

/// The name of the role on the edges of graph.dot: "state", "law", "A", ...
MIXWELL_EXPORT std::string_view to_string(Role role) noexcept;

/// How a history forgets past sweeps, from the weakest declaration to the strongest.
enum class Forgets { unknown, persistent, window, diminishing };

/// The scope of a variable: one copy for each replicate, or one copy for the whole run.
enum class Scope { replicate, run };

/// Handle of a variable in its graph.
struct Variable {
  std::int32_t id = -1;
  friend bool operator==(Variable, Variable) = default;
};
/// Handle of a value in its graph. A default-constructed handle is empty.
struct Value {
  std::int32_t id = -1;
  friend bool operator==(Value, Value) = default;
  explicit operator bool() const noexcept { return id >= 0; }
};

/// The space of an auxiliary variable, on which exp(-U) of its law is a density. The space
/// determines the identity that `verify` uses to test the draws.
enum class Space {
  real,           ///< R^rows or an open subset, in which U has a gradient
  sphere,         ///< the unit sphere of R^rows, with respect to its surface measure
  whole_numbers,  ///< vectors of whole numbers, with respect to the counting measure
  line,           ///< a state-dependent curve or surface in R^rows
  improper        ///< R^rows, where exp(-U) has no finite integral, so draws come from another law
};

/// The space in words: "real", "sphere", "whole numbers", ...
MIXWELL_EXPORT std::string_view to_string(Space space) noexcept;

/// Properties of an auxiliary variable other than its law.
struct AuxiliaryTraits {
  Space space = Space::real;
  /// True if the variable v changes sign when time is reversed, as a momentum does. Flips::momentum
  /// then negates v, and the law of v must have the same density at -v and at v.
  bool turns = true;
};

/// The code of an operation, called once for each column block and sweep. A body is immutable. It
/// reads and writes only through the edges of its operation, so the certificate describes exactly
/// what is computed.
class MIXWELL_EXPORT Body {
 public:
  virtual ~Body();
  /// Computes the outputs for one block of columns in one sweep.
  virtual void run(ColumnBlock& block) const = 0;
};

/// The data that a graph stores about a variable.
struct VariableInfo {
  std::string name;
  VariableKind kind = VariableKind::slot;
  Index rows = 0;
  Scope scope = Scope::replicate;
  Forgets forgets = Forgets::unknown;
  /// Diminishing histories: how fast their changes decrease. In the n-th sweep, the entries that
  /// other operations use change by about n^-rate. 0 means that no rate is declared.
  double rate = 0.0;
  /// Histories: the name that certificates use for the learnt quantity ("step size"). If it is
  /// empty, certificates use the name of the variable.
  std::string learns{};
  /// The value of every column before the first sweep, rows x 1. For slots, the run's `init`
  /// replaces this value.
  Eigen::VectorXd initial;
  /// Slots: the name of the position that the slot holds, wholly or in part. A slot that holds a
  /// whole position has the same name as the position.
  std::string position{};
  /// Slots and joined variables: the coordinates of the position that the rows of the variable
  /// hold, ascending. Empty means all.
  std::vector<Index> coordinates{};
  /// Slots: true if no update moves the slot. The other slots are then sampled given its value.
  bool fixed = false;
  /// Auxiliaries: the space of the variable, and whether Flips::momentum negates it.
  AuxiliaryTraits traits{};
  /// Joined variables: the joined slots. Trials: the copied slot. Estimates: the slot at whose
  /// position the density is estimated.
  std::vector<Variable> parts{};
  Value carried;  ///< version 0
  Value current;  ///< newest version
};

/// The data that a graph stores about a value.
struct ValueInfo {
  std::string name;
  ValueKind kind = ValueKind::derived;
  /// Length of a column. It is 0 for noise, and for values that consist only of a function.
  Index rows = 0;
  Scope scope = Scope::replicate;
  std::shared_ptr<const Function> function;
  Variable variable;           ///< version: its variable
  std::int32_t version = 0;    ///< version: k
  Value replaces;              ///< version: the previous one, k - 1; empty if k = 0
  Value replaced_by;           ///< version: the next one, k + 1; empty if this sweep writes none
  std::int32_t producer = -1;  ///< operation that writes the value, or -1
  Value storage;               ///< derived: the value whose numbers a view shares
  bool carried = false;        ///< Output::carried
  Value evaluated_law;         ///< evaluation: the evaluated law
  Value evaluated_at;          ///< evaluation: the version at which the law is evaluated
};

/// A value that an operation reads.
struct Input {
  Value value;
  Role role = Role::parameter;
  /// True for a cached gradient that the body only copies to one of its outputs. If nothing else
  /// reads the cached gradient, Mixwell does not compute it and gives it no memory.
  bool carried = false;
};

/// Makes an operation run only in the columns where `choice` (1 x w) equals `branch`. In the other
/// columns its outputs keep their numbers.
struct Guard {
  Value choice;
  Index branch = 0;
  explicit operator bool() const noexcept { return static_cast<bool>(choice); }
};

/// An output of an operation: a derived value, or the next version of a variable.
struct Output {
  static Output derived(std::string name, Index rows,
                        std::shared_ptr<const Function> function = nullptr) {
    return {std::move(name), rows, std::move(function), {}, {}, {}};
  }
  static Output next(Variable variable) { return {{}, 0, nullptr, variable, {}, {}}; }
  /// A cached evaluation of `law`: the potential (rows = 1), then the gradient (rows = d). An
  /// operation must write both. The evaluation belongs to version `at` of a slot or, if `at` is
  /// empty, to the version of `variable` that this operation writes.
  static Output evaluation(std::string name, Index rows, Value law, Variable variable,
                           Value at = {}) {
    return {std::move(name), rows, nullptr, variable, law, at};
  }
  /// The gradient of an evaluation. If the gradient has no memory, the body does not write it. See
  /// Input::carried.
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

/// The data that a graph stores about an operation.
struct OperationInfo {
  std::string name;
  OperationKind kind = OperationKind::pure;
  Traits traits;
  std::vector<Input> inputs;
  std::vector<Value> outputs;
  std::shared_ptr<const Body> body;  ///< null for a view or an exchange, which compute nothing
  Guard guard{};  ///< the guard's choice is also the last input, with the role `weights`
};

/// The potential and gradient of one law at one version of a slot.
struct Cached {
  Value u;
  Value g;
};
/// A version of a slot with its evaluation.
struct EvaluatedPoint {
  Value theta;
  Cached at;
};

/// The type of recorded numbers.
enum class RecordType { real, integer, boolean };

/// A value that is written to the results after each recorded sweep, or once in a run.
struct Record {
  RecordGroup group = RecordGroup::posterior;
  std::string name;
  std::vector<Index> shape{};
  RecordType type = RecordType::real;
  std::string unit{};
  std::string help{};
  Index slot = 0;  ///< chain = replicate * slots + slot
  Value value;
  Index first_row = 0;  ///< first recorded row of the value
  /// If true, the value is recorded only once, after the first recorded sweep of the sampling
  /// phase. No operation of that phase may change the value. Use this for values that warmup has
  /// learnt, such as an inverse metric. The record must be a real number in the group sample_stats.
  bool once = false;
  std::vector<std::string> dims{};  ///< see Parameter::dims
};

/// A factor of the joint target: exp(-U) as a function of its slots.
struct Factor {
  Value law;
  std::vector<Variable> slots;
};

/// The operations and values that one kernel added in one call. Their ids are at least `first` and
/// less than `end`. If a kernel describes the same transition twice, the descriptions may differ
/// only in their names, `noise` values and histories.
struct KernelDescription {
  const Component* kernel = nullptr;
  std::int32_t first_operation = 0;
  std::int32_t end_operation = 0;
  std::int32_t first_value = 0;
  std::int32_t end_value = 0;
};

class KernelGraph;

/// Returns the coordinates of the position that a slot holds, one for each of its rows, ascending.
MIXWELL_EXPORT std::vector<Index> held_coordinates(const VariableInfo& slot);
/// Returns the slots that together hold a position, in the order in which they were added.
MIXWELL_EXPORT std::vector<Variable> slots_of(const KernelGraph& graph,
                                              const std::string& position);
/// Returns the positions that the slots of a graph hold, in the order of their first slots.
MIXWELL_EXPORT std::vector<std::string> positions(const KernelGraph& graph);

/// The graph of one phase, which a compositor and its kernels build in the order of the sweep.
/// Names are paths (`hmc/refresh`). Random streams are keyed by names, so additions to the graph do
/// not change the random numbers of other operations. A graph is built only once, so many functions
/// are marked `gnu::cold`. The compiler then optimises calls to them for size, which halves the
/// compile time of code that describes a kernel.
class MIXWELL_EXPORT KernelGraph {
 public:
  /// Adds a slot for a whole position.
  [[gnu::cold]] Variable slot(std::string name, Index rows);
  /// Adds a slot for some coordinates of `position` (ascending, not empty). The slots of a position
  /// together hold all of its coordinates. A `fixed` slot keeps its initial value.
  [[gnu::cold]] Variable part(std::string name, std::string position,
                              std::vector<Index> coordinates, bool fixed = false);
  /// Adds a variable that joins several parts of one position, for a kernel that moves the parts
  /// together. gather() copies the numbers of the parts into the variable before the transition.
  /// scatter() copies the numbers back after the transition.
  [[gnu::cold]] Variable joined(std::string name, std::vector<Variable> parts);
  /// Adds a copy of a slot (or of a joined variable) for the stages of a proposal. begin_trial()
  /// copies the slot's numbers into the trial.
  [[gnu::cold]] Variable trial(std::string name, Variable slot);
  [[gnu::cold]] Variable auxiliary(std::string name, Index rows,
                                   const AuxiliaryTraits& traits = {});
  /// Adds a variable that stores an estimate of a density at the slot's position. Its numbers are
  /// all zero before the first estimate, and after the slot has received a new initial position.
  [[gnu::cold]] Variable estimate(std::string name, Variable slot, Index rows);
  [[gnu::cold]] Variable history(std::string name, Eigen::VectorXd initial, Forgets forgets,
                                 Scope scope = Scope::replicate, double rate = 0.0,
                                 std::string learns = {});

  [[gnu::cold]] Value constant(std::string name, std::shared_ptr<const Function> function);
  /// Declares that exp(-U) of `law` is a factor of the joint target.
  [[gnu::cold]] void factor(Value law, std::vector<Variable> slots);
  /// Adds a `noise` value: random numbers that are new in each sweep. Exactly one operation may
  /// read this value.
  [[gnu::cold]] Value noise(std::string name);
  /// The newest version of a variable.
  [[gnu::cold]] Value current(Variable variable) const;
  /// True if the value is computed only from constants, and is therefore the same in every sweep.
  bool is_constant(Value value) const;

  /// Adds an operation, and returns its outputs in order. Throws InputError if a rule of the graph
  /// is broken: for example, if two operations read the same `noise` value, or if a replaced
  /// version is not the newest.
  [[gnu::cold]] std::vector<Value> add(std::string name, OperationKind kind, const Traits& traits,
                                       std::vector<Input> inputs, std::vector<Output> outputs,
                                       std::shared_ptr<const Body> body);
  /// Adds a view, which shares the numbers of `of` but has a different function. A view computes
  /// nothing. `in_place_of` is the law that the function replaces.
  [[gnu::cold]] Value view(std::string name, std::shared_ptr<const Function> function, Value of,
                           const Traits& traits = {}, Value in_place_of = {});
  /// Proposes to exchange the versions `a` and `b`. This move computes nothing, is its own inverse
  /// and preserves volume. Returns the proposed value of `a` (the numbers of `b`), then the
  /// proposed value of `b`.
  [[gnu::cold]] std::pair<Value, Value> exchange(const std::string& name, Value a, Value b);
  /// Adds the next version of a joined variable, copied from the newest versions of its parts.
  [[gnu::cold]] void gather(Variable joined);
  /// Adds the next versions of the parts, copied from the newest version of the variable that joins
  /// them.
  [[gnu::cold]] void scatter(Variable joined);
  /// Adds the next version of a trial, copied from the newest version of its slot.
  [[gnu::cold]] void begin_trial(Variable trial);
  /// Begins a description of `kernel`. It contains everything that is added before
  /// end_description() is called. If descriptions are nested, only the outermost counts.
  void begin_description(const Component& kernel);
  void end_description();
  /// Returns (U, grad U) of `law` at the newest version of `slot`. This is the cached evaluation if
  /// there is one, otherwise the result of a new pure operation. The evaluation of a constant law
  /// is carried from sweep to sweep.
  [[gnu::cold]] Cached evaluation(Value law, Variable slot);
  /// Returns the cached evaluation of `law` at the newest version of `slot`, or two empty values if
  /// there is none.
  [[gnu::cold]] Cached cached(Value law, Variable slot) const;
  /// Returns (U, grad U) of `law` at the proposed value of `slot`.
  [[gnu::cold]] Cached evaluation_at(Value law, Variable slot, Value proposed);

  /// Sets the branch of a mixture for the operations that are added until the next call. An empty
  /// guard means no branch. Returns the previous guard.
  Guard set_guard(Guard guard = {}) { return std::exchange(guard_, guard); }

  /// Adds a record. Throws InputError if the slot already has a record with the same name and
  /// group. Also throws InputError if `once` is true, unless the type is real and the group is
  /// sample_stats.
  [[gnu::cold]] void record(Record record);
  /// From this call on, record() ignores records of this group. Callers can then omit operations
  /// that serve only such records.
  void leave_out(RecordGroup group) { left_out_.insert(group); }
  bool leaves_out(RecordGroup group) const { return left_out_.contains(group); }

  /// Replaces the body of an operation, for tools that observe a run. The edges and traits stay the
  /// same, so the certificate also stays the same.
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
  /// The law of a value, or null if its function is not a Potential.
  [[gnu::cold]] std::shared_ptr<const Potential> potential(Value law) const;
  /// Returns the capability `Offered` of this law, or null if the law does not offer it.
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
  /// Throws InputError if the graph already uses `name`. Each name begins with a kind, for example
  /// "noise PATH". Buffers, random streams and reports use these names as keys.
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
  std::map<std::int32_t, std::int32_t> consumers_;  ///< noise -> the operation that reads it
  Guard guard_;
};

/// Something that a body reports about one column in one sweep, such as a divergence.
struct Event {
  Index column = 0;           ///< index within the block of columns
  const char* quantity = "";  ///< first quantity whose check failed: "potential", "position", ...
  Index row = -1;             ///< coordinate of the quantity, or -1
  double value = 0.0;
};

/// Uses common random numbers to couple samplers that have different step sizes. Each normal of the
/// coarser sampler is 1/sqrt(n) times the sum of the n normals of the finer sampler for the same
/// interval of simulated time.
struct NoiseGrid {
  std::uint32_t sweeps = 1;  ///< sweeps of the finer sampler for each sweep of this sampler
  std::uint32_t steps = 1;  ///< integrator steps of the finer sampler for each step of this sampler
};

/// The columns of one block, in one sweep.
class MIXWELL_EXPORT Columns {
 public:
  Index columns() const noexcept { return columns_; }
  Index first_column() const noexcept { return first_column_; }
  std::uint64_t sweep() const noexcept { return sweep_; }
  /// Number of sweeps in the whole warmup.
  std::int64_t warmup() const noexcept { return warmup_; }
  Workspace& scratch() const noexcept { return *scratch_; }
  /// Counts an event. While there is room, also stores the event together with `theta`, the slot's
  /// position before the operation.
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

/// The argument of an untyped body: the columns of a block, and all edges by index. Prefer
/// add_operation, whose bodies receive typed edges.
class MIXWELL_EXPORT ColumnBlock : public Columns {
 public:
  /// Numbers of the k-th input: rows x columns(). They are rows x 1 if the input's scope is the run
  /// and the block's scope is not. This function and the functions below throw a WiringError if the
  /// input or output does not exist or is not of the kind that the function needs. The error names
  /// the operation, the input or output, and its role.
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
  Preconditioner preconditioner(std::size_t k) const {
    const Port& p = input(k);
    if (p.representation == nullptr) [[unlikely]]
      refuse_input(k, "a preconditioner");
    return {*p.representation,
            Numbers(ConstMatrixMap(pointer(p), p.rows, width(p)), nullptr, p.divided_rows)};
  }
  /// Returns the object that combines the rows of the position across processes, or null if this
  /// process holds all rows.
  const DividedRows* divided_rows(std::size_t k) const { return input(k).divided_rows; }
  /// The function of input k, as the class T that the body expects.
  template <class T>
  const T& function(std::size_t k) const {
    const auto* const found = dynamic_cast<const T*>(input(k).function);
    if (found == nullptr) [[unlikely]]
      refuse_input(k, "a function of a different class");
    return *found;
  }

  /// Random numbers of the noise at input k. `draw` distinguishes repeated uses within a sweep.
  void normals(std::size_t k, Batch out, std::uint32_t draw = 0) const;
  /// Normals of the noise at input k for the integrator's step number `draw`.
  void step_normals(std::size_t k, Batch out, std::uint32_t draw) const;
  void uniforms(std::size_t k, Batch out, std::uint32_t draw = 0) const;
  /// The stream of the noise at input k.
  const Stream& stream(std::size_t k) const {
    const Port& p = input(k);
    if (p.stream == nullptr) [[unlikely]]
      refuse_input(k, "a noise");
    return *p.stream;
  }

  struct Port {
    double* data = nullptr;
    Index rows = 0;
    Index stride = 0;  ///< column stride in doubles, or 0 if all replicates share one column
    const Function* function = nullptr;
    const Potential* potential = nullptr;            ///< `function`, if it is a Potential
    const Representation* representation = nullptr;  ///< `function`, if it is a Representation
    const Stream* stream = nullptr;                  ///< of a noise
    const DividedRows* divided_rows = nullptr;       ///< not null if other processes hold some rows
  };
  /// The graph and the operation of a block, for error messages.
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
  const RowRuns* rows_ = nullptr;  ///< rows that this process holds, or null for all
  bool negates_normals_ = false;   ///< true in a replay of the reverse path, with negated noise
  std::span<const Port> inputs_;
  std::span<const Port> outputs_;
  Evaluations* spent_ = nullptr;
  Wiring wiring_;
};
using Block [[deprecated("renamed to ColumnBlock")]] = ColumnBlock;

}  // namespace mixwell
