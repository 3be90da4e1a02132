// A language of wirings: its statements, and the choices in them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph/graph.hpp>

#include <string>
#include <vector>

namespace mixwell::testing {

enum class Verb {
  walk,      ///< a move that its noise reverses, and a decision
  flip,      ///< a move that is an involution, and a decision
  leap,      ///< a momentum is drawn, a move that reverses it, a decision
  opaque,    ///< one move that declares `invariant`
  keep,      ///< a history remembers a value
  exchange,  ///< two slots are exchanged, or not
  mirror,    ///< y ~ q(. | slot) is exchanged with the slot, with the law at the proposal
  draw,      ///< a slot is drawn from its law
  noise,     ///< a draw that other statements may use
  compute,   ///< a number made from another number
  drift,     ///< one small step of order 1 without a decision
  pseudo,    ///< a decision by an estimate that is kept with the slot
  redraw,    ///< a momentum is drawn again
  stages     ///< delayed acceptance
};

struct Language {
  int slots = 1;
  bool parts = false;  ///< the slots together hold one position; otherwise each has its own law
  int noises = 0;      ///< drawn at the beginning of the sweep, for any statement
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
  bool estimates = false;      ///< the density of the first slot is known only by an estimate
  bool collapses = false;      ///< for parts: a law may leave out others
  bool reads_momenta = true;   ///< a parameter may be a momentum
  bool drops_momenta = true;   ///< a decision may not write a momentum that is carried
};

/// "walk,flip slots=2 parts noises=1 registers=window statements=2 options=3 no-guards": words in
/// any order; `verbs=` may precede the list of statements. Throws InputError with the list of
/// words.
Language language_from(const std::vector<std::string>& words);
/// A table of these words, for --help.
std::string language_words();

}  // namespace mixwell::testing
