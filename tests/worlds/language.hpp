// A language of wirings: which statements there are, and what may be chosen in them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph/graph.hpp>

#include <string>
#include <vector>

namespace mixwell::testing {

enum class Verb {
  walk,      ///< a move that its noise turns, and a decision
  flip,      ///< a move that is an involution, and a decision
  leap,      ///< a momentum is drawn, a move that turns it, a decision
  opaque,    ///< one move that declares `invariant`
  keep,      ///< a register remembers a value
  exchange,  ///< two slots change places, or not
  mirror,    ///< y ~ q(. | slot) changes places with the slot, with the law at the proposal
  draw,      ///< a slot is drawn from its law
  noise,     ///< a draw that is handed on
  compute,   ///< a number from another
  drift,     ///< one small step of order 1 without a decision
  pseudo,    ///< a decision by an estimate that is kept with the slot
  redraw,    ///< a momentum is drawn again
  stages     ///< delayed acceptance
};

struct Language {
  int slots = 1;
  bool parts = false;  ///< the slots hold one position together; else each has a law of its own
  int noises = 0;      ///< handed on, drawn at the beginning of the sweep
  std::vector<Forgets> registers{};
  int statements = 1;
  int options = 1;  ///< how many choices may differ from the plainest
  std::vector<Verb> verbs{};
  bool records_first = false;  ///< only the first slot; the others are pilots
  bool chains = false;         ///< a second move from the proposal of the first
  bool old_states = false;     ///< an update may start from a version that was replaced
  bool bystanders = false;     ///< an update may read a version as `state` and not write it
  bool guards = true;          ///< a statement may belong to a branch
  bool noisy_laws = false;     ///< a gradient may depend on a number
  bool estimates = false;      ///< the density of the first slot is known by an estimate alone
  bool collapses = false;      ///< of parts: a law may leave others out
  bool reads_momenta = true;   ///< a parameter may be a momentum
  bool drops_momenta = true;   ///< a decision may not write a momentum that is carried
};

/// "walk,flip slots=2 parts noises=1 registers=window statements=2 options=3 no-guards": words in
/// any order; `verbs=` may stand before the list of statements. Throws InputError, with the words
/// that there are.
Language language_from(const std::vector<std::string>& words);
/// A table of those words, for --help.
std::string language_words();

}  // namespace mixwell::testing
