// Everything the rules of a certificate look up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "certificate/influence.hpp"
#include "graph/cone.hpp"
#include "graph/edges.hpp"

#include <mixwell/graph/graph.hpp>
#include <mixwell/lab/certificate.hpp>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {

/// The stages of a proposal that is the newest version of a trial.
struct Stages {
  Value start;                  ///< the copy of the slot; none where the proposal has no stages
  std::vector<std::size_t> of;  ///< transitions from there to the proposal
};

/// An input of one of the operations of a transition.
struct PartInput {
  const OperationInfo* part;
  const Input& input;
};

/// Where the numbers of an auxiliary come from: its versions back to a full redraw, the newest
/// first.
struct Past {
  std::vector<Value> here;    ///< in this sweep
  std::vector<Value> before;  ///< in the last sweep, where nothing in this one redraws it in full
  std::vector<Value> all() const;
};

/// One graph, and what follows only from its edges.
struct Analysis {
  /// frozen: as if nothing were learnt any more.
  Analysis(const KernelGraph& of, bool frozen);

  const OperationInfo& operation(std::int32_t id) const { return graph.operations()[index(id)]; }
  /// The operation that writes.
  const OperationInfo& info(std::size_t t) const { return operation(all[t].operation); }
  /// The operation that makes a value, or null.
  const OperationInfo* maker(Value v) const { return mixwell::maker(graph, v); }
  /// The operation that writes, then the moves that made its proposal.
  std::vector<const OperationInfo*> parts(std::size_t t) const;
  /// Those of all parts.
  const std::vector<PartInput>& inputs(std::size_t t) const { return inputs_[t]; }
  bool writes(std::size_t t, Variable v) const;
  /// A move without Metropolis, whose inside the rules see.
  bool is_uncorrected(std::size_t t) const {
    return info(t).kind == OperationKind::move && !info(t).traits.invariant;
  }
  /// Whether it writes a variable, or is a stage of a proposal for it.
  bool moves(std::size_t t, Variable v) const;
  /// It is a stage of a proposal: it moves a trial.
  bool is_stage(std::size_t t) const;
  /// The stages of an accept's proposal.
  Stages stages(std::size_t t) const;
  /// Whether a value is the copy of `version` with which a trial begins.
  bool is_copy(Value value, Value version) const;
  /// Whether anything writes a variable in this phase.
  bool is_written(Variable v) const { return !writers[index(v)].empty(); }
  /// The stages of a transition's proposal, then the transition itself.
  const std::vector<std::size_t>& unit(std::size_t t) const { return units_[t]; }
  /// Whether that operation is the transition, one of its stages, or one of their moves.
  bool is_made_by(std::size_t t, std::int32_t operation) const;
  /// Whether a transition starts from a version.
  bool reads_as_state(std::size_t t, Value version) const;
  /// Transitions that start from a version, in their order.
  const std::vector<std::size_t>& starters(Value version) const {
    return starters_[index(version)];
  }
  /// Whether a transition moves a variable, or starts from an auxiliary that stays as it was.
  bool is_state_of(std::size_t t, Variable v) const;
  /// Whether some numbers of a value are made only in the columns of another branch of a mixture.
  /// Where `who` runs they can be from an earlier sweep.
  bool is_of_another_branch(const OperationInfo& who, Value read) const;
  /// Versions of an auxiliary in one sweep, from `last` back to a full redraw or to the first
  /// version. `where`: the guard of the operation that reads `last`.
  std::vector<Value> since_redraw(Value last, const Guard& where) const;
  /// The same over the end of the sweep.
  Past past(Value last, const Guard& where) const;
  /// A history, and all variables that it was made from, over other histories too.
  std::vector<Variable> behind(Variable history) const;
  /// The transition that an operation is.
  std::optional<std::size_t> transition_of(std::int32_t operation) const {
    return staleness.transition_of(operation);
  }
  /// How a leaf that the transition `t` reads stands to it.
  Premise premise(std::size_t t, const OperationInfo& who, Role role, Value leaf) const;
  /// Whether a variable and what a transition writes influence each other.
  bool mutual(std::size_t t, Variable v) const;
  bool is(Variable v, VariableKind kind) const { return graph[v].kind == kind; }
  bool is(Value v, VariableKind kind) const { return mixwell::is(graph, v, kind); }
  bool is_version(Value v) const { return mixwell::is_version(graph, v); }
  /// Slots that have a version among these values.
  IdSet slots_among(const IdSet& values) const;
  /// Auxiliaries that an operation starts from.
  std::vector<Value> auxiliaries(const OperationInfo& who) const {
    return mixwell::auxiliaries(graph, who);
  }
  /// The refresh of this sweep that drew an auxiliary, in full or in part, or null.
  const OperationInfo* refresh_of(Value state) const;
  /// Whether an auxiliary that `who` starts from was fully redrawn in this sweep.
  bool is_fresh(const OperationInfo& who, Value state) const;
  /// The leaves of its cone. If an auxiliary is among them, the leaves of its law are too, because
  /// its numbers depend on them; auxiliaries that the transition `judge` judges are left out.
  IdSet leaves(Value of, std::optional<std::size_t> judge = {}) const;
  /// Names from one of these leaves to the value.
  std::vector<std::string> path(Value leaf, Value of) const;
  /// Laws of auxiliaries that an operation reads.
  std::vector<Value> auxiliary_laws(const OperationInfo& who) const { return laws(who, true); }
  /// All other laws that it reads.
  std::vector<Value> target_laws(const OperationInfo& who) const { return laws(who, false); }
  /// Whether a transition starts from a newer draw of an auxiliary than the one at `version`.
  bool is_drawn_anew_since(std::size_t t, Value version) const;
  /// Whether a transition starts from a variable, or decides on a proposal for it.
  bool judges(std::size_t t, Variable v) const;
  /// Noises that a value is a function of; empty for no value.
  IdSet noises_behind(Value of) const;
  /// These, and the noises behind the laws of auxiliaries that `t` reads and does not judge.
  IdSet noises_behind(Value of, std::size_t t) const;
  /// A version of a history that nothing writes in this phase.
  bool is_still(Value version) const;
  /// All leaves are constants or histories that nothing writes.
  bool is_constant(Value of) const;
  /// The law that a law replaces, or of which it is a view.
  Value law_before(Value law) const;
  /// Constants that a law was made from, over views and `law` edges.
  std::vector<Value> factors_of(Value law) const;
  /// Laws that an operation reads and that a factor went into.
  std::vector<Value> laws_with(const Factor& factor, const OperationInfo& who) const;
  /// A law that no factor went into is the law of an auxiliary.
  bool is_auxiliary_law(const Input& input) const {
    return input.role == Role::law && !is_factor_made(input.value);
  }

  const KernelGraph& graph;
  Cones cones;
  std::vector<GraphTransition> all;
  Influence influence;
  Staleness staleness;
  std::vector<std::vector<std::size_t>> writers;  ///< transitions, by variable

 private:
  using Branch = std::pair<std::int32_t, Index>;  ///< choice and branch
  bool is_factor_made(Value law) const;
  std::vector<Value> laws(const OperationInfo& who, bool of_auxiliaries) const;
  IdSet noises_among(IdSet among) const;
  bool reads_version(std::size_t t, Variable v, Role role) const;
  const char* standing(std::size_t t, Value leaf) const;
  void find_branches();
  void find_units();

  IdSet noises_;
  std::vector<std::vector<PartInput>> inputs_;      ///< by transition
  std::vector<std::vector<std::size_t>> units_;     ///< by transition
  std::vector<std::vector<std::size_t>> starters_;  ///< by value
  std::vector<std::set<Branch>> branches_;          ///< by value: where all of its numbers are made
};

/// Whether an input of this role may depend on something that it must not.
inline bool is_parameter(Role role) {
  return role != Role::state && role != Role::proposed && role != Role::noise &&
         role != Role::evaluation;
}

class NoiseFlow;

bool has_law(const OperationInfo& who, Value law);

/// Exact, fixed, proved: the neutral element of join. `citation`: the theorem that it rests on.
Verdict fine(Rule rule, std::string reason, std::string citation = {});
/// Biased: `proved`, or not shown right. `node`: the operation or the slot that is at fault.
Verdict biased(Rule rule, const std::string& node, bool proved, std::string reason,
               std::vector<std::string> path = {});
Verdict cited(Verdict v, std::string citation);
/// What all rules about one transition have.
struct OneTransition {
  OneTransition(const Analysis& a, std::size_t t) : a_(a), t_(t), who_(a.info(t)) {}
  /// The transition itself is at fault.
  Verdict biased(Rule rule, bool proved, std::string reason,
                 std::vector<std::string> path = {}) const {
    return mixwell::biased(rule, who_.name, proved, std::move(reason), std::move(path));
  }

  const Analysis& a_;
  std::size_t t_;
  const OperationInfo& who_;  ///< that writes
};
/// Notes a trait, by its name in Traits, or what the operation declares in other words, that the
/// verdict relies on. It is `declared` if only an outside author states it. `value`: of a trait
/// that is a number.
Verdict assuming(const Analysis& a, Verdict v, const OperationInfo& who, std::string trait,
                 std::optional<int> value = {});
/// Notes that the verdict relies on a contract of a function by an outside author. Tests hold the
/// functions of built-in components to their contracts.
Verdict resting_on(const Analysis& a, Verdict v, Value function, const std::string& contract);
/// exact < adaptive < asymptotic < unproven < proved to be wrong < no sampler.
int rank(const Verdict& v);
/// `total` becomes the worse of the two. The traits that either assumes stay. So do the notes and
/// the citations (separated by "; ") of both, unless the result is biased: then it has only its
/// own. The parts of both stay; a verdict without parts is a part itself, unless it says nothing
/// yet.
void join(Verdict& total, const Verdict& other);
/// `total` with all of these.
template <class... More>
Verdict joined(Verdict total, const More&... more) {
  (join(total, more), ...);
  return total;
}
/// The same for verdicts whose parts are kept elsewhere.
void merge(Verdict& total, const Verdict& other);

/// What its parameters and its laws depend on.
Verdict judge_parameters(const Analysis& a, std::size_t t);
/// Its noises: what each is behind, and what else is moved with it.
Verdict judge_noise(const Analysis& a, const NoiseFlow& flow, std::size_t t);
/// Its operations themselves, and the evaluations that they read.
Verdict judge_transition(const Analysis& a, std::size_t t);
/// The auxiliaries that it starts from: variables of an extended target, each with its own law.
Verdict judge_auxiliaries(const Analysis& a, std::size_t t);
/// An auxiliary that a parameter reads still has its law.
Verdict judge_read_auxiliary(const Analysis& a, std::size_t t, Value version);
/// A proposal that was made by stages.
Verdict judge_stages(const Analysis& a, std::size_t t);
/// Updates of a factor's slots that integrate some of them out.
Verdict judge_collapsed(const Analysis& a, const Factor& factor);
/// What is kept of an estimate of a density.
Verdict judge_estimate(const Analysis& a, Variable kept);
/// Of a move: it proposes normals for an estimate.
bool moves_normals(const Analysis& a, const OperationInfo& move);
/// The factors of a slot are in the laws of its updates, which keep one density.
Verdict judge_slot(const Analysis& a, Variable slot);

/// Whose word a trait is: whether the operation's body, the component that it acts for and the
/// functions that it writes are code of libmixwell or of the folder of plugins beside it, whose
/// tests hold traits to contracts. Kernels of graphs that were made by hand, as in tests, are not.
bool is_built_in(const KernelGraph& graph, const OperationInfo& operation);
/// The same of a function of the graph and of what makes its numbers; of a model's own law, of the
/// model.
bool is_built_in(const KernelGraph& graph, Value function);

/// Whether `there` is `here` with the proposal instead of the state: the same constants and
/// the same pure operations (one body object), down to the versions that the accept `t` replaces in
/// `here` and what it proposes for them in `there`.
bool mirrors(const Analysis& a, std::size_t t, Value here, Value there);

}  // namespace mixwell
