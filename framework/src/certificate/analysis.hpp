// Graph queries that several rules of the certificate use.
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

/// The stages that lead to a proposal; the proposal is the newest version of a trial.
struct Stages {
  Value start;  ///< the copy of the slot with which the stages begin; none for a proposal without
                ///< stages
  std::vector<std::size_t> of;  ///< the transitions from this copy to the proposal
};

/// An input of one of the operations of a transition.
struct PartInput {
  const OperationInfo* part;
  const Input& input;
};

/// The versions of an auxiliary back to its last full redraw, newest first.
struct Past {
  std::vector<Value> here;  ///< in this sweep
  std::vector<Value>
      before;  ///< in the last sweep; empty if this sweep fully redraws the auxiliary
  std::vector<Value> all() const;
};

/// One graph, with everything that the rules derive from its edges.
struct Analysis {
  /// `frozen`: treat the graph as if nothing is learnt any more.
  Analysis(const KernelGraph& of, bool frozen);

  const OperationInfo& operation(std::int32_t id) const { return graph.operations()[index(id)]; }
  /// The operation that writes the result of a transition.
  const OperationInfo& info(std::size_t t) const { return operation(all[t].operation); }
  /// The operation that makes a value, or null.
  const OperationInfo* maker(Value v) const { return mixwell::maker(graph, v); }
  /// The parts of a transition: the operation that writes its result, then the moves that made its
  /// proposal.
  std::vector<const OperationInfo*> parts(std::size_t t) const;
  /// The inputs of all parts of a transition.
  const std::vector<PartInput>& inputs(std::size_t t) const { return inputs_[t]; }
  bool writes(std::size_t t, Variable v) const;
  /// Whether a transition is a move without Metropolis that is not opaque to the rules.
  bool is_uncorrected(std::size_t t) const {
    return info(t).kind == OperationKind::move && !info(t).traits.invariant;
  }
  /// Whether a transition writes a variable, or is a stage of a proposal for this variable.
  bool moves(std::size_t t, Variable v) const;
  /// Whether a transition is a stage of a proposal, so it moves a trial.
  bool is_stage(std::size_t t) const;
  /// The stages of the proposal that an accept decides on.
  Stages stages(std::size_t t) const;
  /// Whether a value is the copy of `version` with which a trial begins.
  bool is_copy(Value value, Value version) const;
  /// Whether anything writes a variable in this phase.
  bool is_written(Variable v) const { return !writers[index(v)].empty(); }
  /// The stages of a transition's proposal, then the transition itself.
  const std::vector<std::size_t>& unit(std::size_t t) const { return units_[t]; }
  /// Whether an operation is the transition itself, one of its stages, or a move of either.
  bool is_made_by(std::size_t t, std::int32_t operation) const;
  /// Whether a transition starts from a version.
  bool reads_as_state(std::size_t t, Value version) const;
  /// Transitions that start from a version, in their order.
  const std::vector<std::size_t>& starters(Value version) const {
    return starters_[index(version)];
  }
  /// Whether a transition moves a variable, or starts from an auxiliary and leaves it unchanged.
  bool is_state_of(std::size_t t, Variable v) const;
  /// Whether some numbers of a value are made only in the columns of another branch of a mixture.
  /// In the columns where `who` runs, these numbers can be from an earlier sweep.
  bool is_of_another_branch(const OperationInfo& who, Value read) const;
  /// Versions of an auxiliary in one sweep, from `last` back to a full redraw or to the first
  /// version. `where`: the guard of the operation that reads `last`.
  std::vector<Value> since_redraw(Value last, const Guard& where) const;
  /// As since_redraw, but continued into the last sweep.
  Past past(Value last, const Guard& where) const;
  /// A history, and all variables that it was made from, through other histories too.
  std::vector<Variable> behind(Variable history) const;
  /// The transition that this operation writes, if there is one.
  std::optional<std::size_t> transition_of(std::int32_t operation) const {
    return staleness.transition_of(operation);
  }
  /// How a leaf relates to the transition `t` that reads the leaf.
  Premise premise(std::size_t t, const OperationInfo& who, Role role, Value leaf) const;
  /// Whether a variable and a variable that the transition writes influence each other.
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
  /// The leaves of the cone of a value. If a leaf is an auxiliary, the leaves of the auxiliary's
  /// law are included, because the auxiliary depends on its law. Auxiliaries that the transition
  /// `judge` judges are left out.
  IdSet leaves(Value of, std::optional<std::size_t> judge = {}) const;
  /// The names of the values on a path from `leaf` to the value `of`.
  std::vector<std::string> path(Value leaf, Value of) const;
  /// Laws of auxiliaries that an operation reads.
  std::vector<Value> auxiliary_laws(const OperationInfo& who) const { return laws(who, true); }
  /// All other laws that an operation reads.
  std::vector<Value> target_laws(const OperationInfo& who) const { return laws(who, false); }
  /// Whether a transition starts from a newer draw of an auxiliary than the one at `version`.
  bool is_drawn_anew_since(std::size_t t, Value version) const;
  /// Whether a transition starts from a variable, or decides on a proposal for it.
  bool judges(std::size_t t, Variable v) const;
  /// Noises that a value is a function of; empty for no value.
  IdSet noises_behind(Value of) const;
  /// As noises_behind(of), plus the noises of the laws of auxiliaries that `t` reads without
  /// judging them.
  IdSet noises_behind(Value of, std::size_t t) const;
  /// Whether the version belongs to a history that nothing writes in this phase.
  bool is_still(Value version) const;
  /// Whether all leaves are constants or histories that nothing writes.
  bool is_constant(Value of) const;
  /// The law that `law` replaces, or of which `law` is a view.
  Value law_before(Value law) const;
  /// The constants that a law was made from, through views and `law` edges.
  std::vector<Value> factors_of(Value law) const;
  /// Laws that an operation reads and that were made from the factor.
  std::vector<Value> laws_with(const Factor& factor, const OperationInfo& who) const;
  /// Whether the input is the law of an auxiliary. Such a law is not made from a factor.
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
  std::vector<std::set<Branch>>
      branches_;  ///< by value: the branches that make all numbers of the value
};

/// Whether a value read in this role is a parameter. A parameter must not depend on the updated
/// variables.
inline bool is_parameter(Role role) {
  return role != Role::state && role != Role::proposed && role != Role::noise &&
         role != Role::evaluation;
}

class NoiseFlow;

bool has_law(const OperationInfo& who, Value law);

/// An exact, fixed, proved verdict: the neutral element of join. `citation`: the theorem that
/// proves it.
Verdict fine(Rule rule, std::string reason, std::string citation = {});
/// A biased verdict. `proved`: whether the bias is proved; otherwise the composition is only not
/// shown to be right. `node`: the operation or slot at fault.
Verdict biased(Rule rule, const std::string& node, bool proved, std::string reason,
               std::vector<std::string> path = {});
Verdict cited(Verdict v, std::string citation);
/// The data that all rules about one transition use.
struct OneTransition {
  OneTransition(const Analysis& a, std::size_t t) : a_(a), t_(t), who_(a.info(t)) {}
  /// A verdict that blames the transition itself.
  Verdict biased(Rule rule, bool proved, std::string reason,
                 std::vector<std::string> path = {}) const {
    return mixwell::biased(rule, who_.name, proved, std::move(reason), std::move(path));
  }

  const Analysis& a_;
  std::size_t t_;
  const OperationInfo& who_;  ///< the operation that writes the result of the transition
};
/// Records a trait that the verdict relies on. `trait`: a name in Traits, or a description of the
/// declaration. The trait is `declared` if only an outside author states it. `value`: the value of
/// a numeric trait.
Verdict assuming(const Analysis& a, Verdict v, const OperationInfo& who, std::string trait,
                 std::optional<int> value = {});
/// Records that the verdict relies on a contract of a function that an outside author wrote. Tests
/// hold the functions of built-in components to their contracts.
Verdict resting_on(const Analysis& a, Verdict v, Value function, const std::string& contract);
/// Worse verdicts have a larger rank: exact < adaptive < asymptotic < unproven < proved to be wrong
/// < no sampler.
int rank(const Verdict& v);
/// Replaces `total` by the worse of the two verdicts. The result keeps the assumed traits and the
/// parts of both. A verdict without parts is itself a part, unless it is still empty. The result
/// also keeps the notes and the citations (separated by "; ") of both, unless it is biased: a
/// biased result keeps only the notes and citations of the worse verdict.
void join(Verdict& total, const Verdict& other);
/// Joins `total` with all verdicts in `more`.
template <class... More>
Verdict joined(Verdict total, const More&... more) {
  (join(total, more), ...);
  return total;
}
/// Like join, for verdicts whose parts are kept elsewhere.
void merge(Verdict& total, const Verdict& other);

/// Judges the values on which the parameters and laws of `t` depend.
Verdict judge_parameters(const Analysis& a, std::size_t t);
/// Judges the noises of `t`: how each noise enters `t`, and what else is moved with the noise.
Verdict judge_noise(const Analysis& a, const NoiseFlow& flow, std::size_t t);
/// Judges the operations of `t`, and the evaluations that these operations read.
Verdict judge_transition(const Analysis& a, std::size_t t);
/// Judges the auxiliaries that `t` starts from: variables of an extended target, each with its own
/// law.
Verdict judge_auxiliaries(const Analysis& a, std::size_t t);
/// Judges whether an auxiliary that a parameter reads still has its law.
Verdict judge_read_auxiliary(const Analysis& a, std::size_t t, Value version);
/// Judges a proposal that was made by stages.
Verdict judge_stages(const Analysis& a, std::size_t t);
/// Judges the updates of a factor's slots that integrate out some of these slots.
Verdict judge_collapsed(const Analysis& a, const Factor& factor);
/// Judges the stored normals of an estimate of a density.
Verdict judge_estimate(const Analysis& a, Variable kept);
/// Whether a move proposes normals for an estimate.
bool moves_normals(const Analysis& a, const OperationInfo& move);
/// Judges whether the updates of a slot have all its factors in their laws, and whether all these
/// updates leave the same density invariant.
Verdict judge_slot(const Analysis& a, Variable slot);

/// Whether built-in code declares the traits of an operation. The operation's body, its component,
/// and the functions that it writes must all belong to libmixwell or to the folder of plugins
/// beside libmixwell. Tests check the traits of built-in code by contracts. The kernels of graphs
/// that were made by hand, as in tests, are not built in.
bool is_built_in(const KernelGraph& graph, const OperationInfo& operation);
/// Whether a function of the graph, and the operations that make its numbers, are built in. A
/// model's own law is judged as the model.
bool is_built_in(const KernelGraph& graph, Value function);

/// Whether `there` is `here` with the proposal instead of the state. Both must be made from the
/// same constants by the same pure operations (one body object). Where `here` reads a version that
/// the accept `t` replaces, `there` must read the proposal for this version.
bool mirrors(const Analysis& a, std::size_t t, Value here, Value there);

}  // namespace mixwell
