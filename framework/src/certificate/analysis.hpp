// Everything the rules of a certificate look up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "certificate/influence.hpp"
#include "graph/cone.hpp"
#include "graph/edges.hpp"

#include <mixwell/graph.hpp>
#include <mixwell/lab/certificate.hpp>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {

/// How a proposal was made that is the newest version of a trial.
struct Stages {
  Value start;                  ///< the copy of the slot; none where there is no such proposal
  std::vector<std::size_t> of;  ///< transitions from there to the proposal
};

/// One graph, and what follows only from its edges.
struct Analysis {
  /// frozen: as if nothing were learnt any more.
  Analysis(const KernelGraph& of, bool as_if_frozen);

  const OperationInfo& operation(std::int32_t id) const {
    return graph.operations()[static_cast<std::size_t>(id)];
  }
  /// The operation that writes.
  const OperationInfo& info(std::size_t t) const { return operation(all[t].operation); }
  /// The operation that writes, then the moves that made its proposal.
  std::vector<const OperationInfo*> parts(std::size_t t) const;
  bool writes(std::size_t t, Variable v) const;
  /// Whether it writes a variable, or is a stage of a proposal for it.
  bool moves(std::size_t t, Variable v) const;
  /// Of a proposal: it moves a trial.
  bool is_stage(std::size_t t) const;
  /// Those by which an accept's proposal was made.
  Stages stages(std::size_t t) const;
  /// Whether a value is what a trial begins with when its slot is at `version`.
  bool is_copy(Value value, Value version) const;
  /// By anything in this phase; a history, unless it is frozen.
  bool is_written(Variable v) const { return !writers[static_cast<std::size_t>(v.id)].empty(); }
  /// The stages whose proposal a transition decides on, then itself.
  const std::vector<std::size_t>& unit(std::size_t t) const { return units_[t]; }
  /// Whether it, one of its stages, or one of their moves, is that operation.
  bool is_made_by(std::size_t t, std::int32_t operation) const;
  /// Whether a version is one of those that a transition replaces, or judges beside them.
  bool reads_as_state(std::size_t t, Value version) const;
  /// Transitions that read a version so, in their order.
  const std::vector<std::size_t>& starters(Value version) const {
    return starters_[static_cast<std::size_t>(version.id)];
  }
  /// Whether a transition moves a variable, or judges an auxiliary beside what it moves.
  bool is_state_of(std::size_t t, Variable v) const;
  /// Whether a value has numbers that are made only in the columns of another branch of a mixture:
  /// where `who` runs they can be from an earlier sweep.
  bool is_of_another_branch(const OperationInfo& who, Value read) const;
  /// Versions of an auxiliary in one sweep, from `last` back to that of a full redraw, or to the
  /// first. `where`: the guard of the operation that reads `last`.
  std::vector<Value> since_redraw(Value last, const Guard& where) const;
  /// The same across the end of the sweep, where nothing redraws it in full before `last`.
  std::vector<Value> past(Value last, const Guard& where) const;
  /// A history, what it was made from, and what histories among that were made from.
  std::vector<Variable> behind(Variable history) const;
  /// The transition that an operation is.
  std::optional<std::size_t> transition_of(std::int32_t operation) const {
    return staleness.transition_of(operation);
  }
  /// How a leaf of what the transition `t` reads stands to it.
  Premise premise(std::size_t t, const OperationInfo& who, Role role, Value leaf) const;
  /// Whether a variable and what a transition writes influence each other.
  bool mutual(std::size_t t, Variable v) const;
  bool is_noise(std::int32_t leaf) const {
    return graph.values()[static_cast<std::size_t>(leaf)].kind == ValueKind::noise;
  }
  bool is_slot(std::int32_t leaf) const;
  /// Those of its cone. Of an auxiliary among them what its law was made from counts as well: its
  /// numbers tell of that. But for auxiliaries that `judge` judges, if one is given.
  IdSet leaves(Value of, std::optional<std::size_t> judge = {}) const;
  /// Names from one of these leaves to the value.
  std::vector<std::string> path(Value leaf, Value of) const;
  /// Laws of auxiliaries that an operation reads.
  std::vector<Value> auxiliary_laws(const OperationInfo& who) const;
  /// Whether a transition has another draw of an auxiliary than that at `version`.
  bool is_drawn_anew_since(std::size_t t, Value version) const;
  /// Whether a transition starts from a variable, or decides on a proposal that is one.
  bool judges(std::size_t t, Variable v) const;
  /// Noises that a value is a function of; none of no value.
  IdSet noises_behind(Value of) const;
  /// The same, and those behind the laws of auxiliaries that `t` reads and does not judge.
  IdSet noises_behind(Value of, std::size_t t) const;
  /// All leaves are constants or histories that nothing writes.
  bool is_constant(Value of) const;
  /// What a law was made from: the law in whose place it stands, or of which it is a view.
  Value law_before(Value law) const;
  /// Constants that a law was made from, along views and `law` edges.
  std::vector<Value> factors_of(Value law) const;
  /// A law of an operation that no factor went into: of an auxiliary.
  bool is_auxiliary_law(const Input& input) const {
    return input.role == Role::law && !is_factor_made(input.value);
  }

  const KernelGraph& graph;
  bool frozen;
  Cones cones;
  std::vector<GraphTransition> all;
  Influence influence;
  Staleness staleness;
  std::vector<std::vector<std::size_t>> writers;  ///< transitions, by variable

 private:
  using Branch = std::pair<std::int32_t, Index>;  ///< choice and branch
  bool is_factor_made(Value law) const;
  IdSet noises_among(const IdSet& among) const;
  bool reads_version(std::size_t t, Variable v, Role role) const;
  const char* standing(std::size_t t, Value leaf) const;
  void find_branches();
  void find_units();

  std::vector<std::vector<std::size_t>> units_;     ///< by transition
  std::vector<std::vector<std::size_t>> starters_;  ///< by value
  std::vector<std::set<Branch>> branches_;          ///< by value: where all of its numbers are made
};

/// Fully redraws a variable in every column where an operation with the guard `where` runs.
bool redraws(const OperationInfo& who, const Guard& where);

/// What an operation reads that may depend on what it must not.
inline bool is_parameter(Role role) {
  return role != Role::state && role != Role::proposed && role != Role::noise &&
         role != Role::evaluation;
}

class NoiseFlow;

bool has_law(const OperationInfo& who, Value law);

/// Exact, fixed, proved: the neutral element of join. `citation`: the theorem that it rests on.
Verdict fine(std::string rule, std::string reason, std::string citation = {});
/// Biased: `proved`, or not shown right. `node`: the operation that is at fault.
Verdict none(std::string rule, bool proved, std::string reason, const std::string& node,
             std::vector<std::string> path = {});
/// Notes a trait that the verdict relies on; one that only an author outside states is `declared`.
/// So is `invariant`, whoever states it: no contract can test it.
Verdict assuming(const Analysis& a, Verdict v, const OperationInfo& who, const std::string& trait);
/// Notes that the verdict relies on a contract of a function, where its author is an outside one:
/// the interfaces of built-in components are held to theirs.
Verdict resting_on(const Analysis& a, Verdict v, Value function, const std::string& contract);
/// exact < adaptive < asymptotic < unproven < proved to be wrong < no sampler.
int rank(const Verdict& v);
/// total becomes the worse of the two; what holds of either part holds of the whole. Notes and
/// citations of a part stay only as long as the whole makes a promise that they can qualify or
/// support, several citations separated by "; ": a wrong verdict speaks with its own reason and
/// citation only. The parts of both are kept; what was not joined from any is one, unless it is the
/// beginning of a join that says nothing yet.
void join(Verdict& total, const Verdict& other);
/// The same of verdicts whose parts are kept elsewhere.
void merge(Verdict& total, const Verdict& other);

/// Rules about parameters and laws: rule numbers 1, 1s, 2, 2a, 2g, 3, 4, F, P, U.
Verdict judge_parameters(const Analysis& a, std::size_t t);
/// Rule N: what the noises of a transition are behind, beside it.
Verdict judge_noise(const Analysis& a, const NoiseFlow& flow, std::size_t t);
/// Rules about the operations themselves: 1, 5, A, L, O, and C for cached evaluations.
Verdict judge_transition(const Analysis& a, std::size_t t);
/// Rule L: auxiliaries are variables of an extended target, each with a law of its own.
Verdict judge_auxiliaries(const Analysis& a, std::size_t t);
/// Rule L about a parameter: an auxiliary that no longer has its law is not read.
Verdict judge_read_auxiliary(const Analysis& a, std::size_t t, Value version);
/// Rule R about a proposal that was made by stages.
Verdict judge_stages(const Analysis& a, std::size_t t);
/// Rule G about the updates of a factor's slots.
Verdict judge_collapsed(const Analysis& a, const Factor& factor);
/// Rule M about what is kept of an estimate.
Verdict judge_estimate(const Analysis& a, Variable kept);
/// Of a move: it proposes normals for an estimate.
bool moves_normals(const Analysis& a, const OperationInfo& move);
/// Rules C and D about one slot.
Verdict judge_slot(const Analysis& a, Variable slot);

/// Whether `there` is `here` with the proposal instead of the state: the same constants and
/// the same pure operations (one body object), down to the versions that the accept `t` replaces in
/// `here` and what it proposes for them in `there`.
bool mirrors(const Analysis& a, std::size_t t, Value here, Value there);

}  // namespace mixwell
