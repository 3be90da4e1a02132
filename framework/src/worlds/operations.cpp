// Functions, copies and draws; and which inputs of an operation are what.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/operations.hpp"

#include "worlds/quantiles.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace mixwell::worlds {

Operations::Operations(const FiniteReading& reading, const FiniteLaws& laws, std::uint64_t seed)
    : reading_(reading), laws_(laws), graph_(reading.graph()), seed_(seed) {
  for (const OperationInfo& o : graph_.operations()) shapes_.push_back(shape_of(o));
}

Operations::EdgeRoles Operations::shape_of(const OperationInfo& who) const {
  EdgeRoles s;
  for (std::size_t k = 0; k < who.inputs.size(); ++k) {
    const Input& i = who.inputs[k];
    if (graph_[i.value].kind == ValueKind::noise) {
      s.fresh.push_back(k);
    } else if (i.role == Role::noise) {
      s.handed.push_back(k);
    } else if (i.role == Role::state) {
      s.states.push_back(k);
      s.of.push_back(origin(graph_, i.value).value_or(Variable{}));
    } else if (i.role == Role::proposed) {
      s.proposed.push_back(k);
    } else if (i.role == Role::law) {
      s.laws.push_back(k);
    } else if (i.role == Role::law_at_proposal) {
      s.at_proposal.push_back(k);
    } else if (i.role == Role::stage_law) {
      s.stage_laws.push_back(k);
    } else if (i.role != Role::weights && !graph_[i.value].evaluated_law) {
      s.parameters.push_back(k);
    }
  }
  s.moved = moved_outputs(graph_, who);
  return s;
}

TableOutcomes Operations::outcomes(std::size_t operation, const std::vector<int>& in) const {
  const OperationInfo& who = graph_.operations()[operation];
  const TableCall call{who, shapes_[operation], mixed(seed_, reading_.function_of(operation)), in};
  switch (who.kind) {
    case OperationKind::pure:
      return function(call);
    case OperationKind::observe:
      return graph_[graph_[who.outputs.front()].variable].kind == VariableKind::estimate
                 ? copy(call)
                 : function(call);
    case OperationKind::regroup:
      return copy(call);
    case OperationKind::refresh:
      return refresh(call);
    case OperationKind::move:
      return who.traits.invariant ? opaque(call) : move(call);
    case OperationKind::accept:
      return accept(call);
  }
  return {};
}

void Operations::place(SlotPlaces& all, Variable v, int value) const {
  for (const auto& [member, where] : reading_.split(v, value)) all[member.id] = where;
}

// ---- functions

/// The digits of a law's number, or a digest of them.
int Operations::law_number(Value law, const OperationInfo& who, const std::vector<int>& in) const {
  Radix radix;
  std::vector<int> digits;
  std::uint64_t digest = 0;
  for (std::size_t k = 0; k < who.inputs.size(); ++k) {
    const int size = reading_.size(who.inputs[k].value);
    if (who.inputs[k].role == Role::weights || size == 1) continue;
    radix.sizes.push_back(size);
    digits.push_back(in[k]);
    digest = mixed(digest, at(in[k] + 1));
  }
  const int size = reading_.size(law);
  return radix.total() == size ? radix.number(digits) : static_cast<int>((digest >> 20) % at(size));
}

/// What a function makes of its inputs; a draw that is handed on is the draw itself.
std::vector<int> Operations::evaluated(const TableCall& call, const std::vector<int>& in) const {
  std::uint64_t where = call.seed;
  bool only_noise = call.shape.fresh.size() == 1;
  for (std::size_t k = 0; k < in.size(); ++k) {
    if (call.who.inputs[k].role == Role::weights) continue;
    where = mixed(where, at(in[k] + 1));
    const bool fresh = graph_[call.who.inputs[k].value].kind == ValueKind::noise;
    only_noise = only_noise && (fresh || reading_.size(call.who.inputs[k].value) == 1);
  }
  std::vector<int> all;
  for (std::size_t k = 0; k < call.who.outputs.size(); ++k) {
    const Value out = call.who.outputs[k];
    const int size = reading_.size(out);
    const bool is_draw = only_noise && size == reading_.sizes().draws;
    const int random = static_cast<int>((mixed(where, 7 * k + 3) >> 13) % at(size));
    const bool law =
        call.who.kind == OperationKind::pure && graph_[out].function && is_law(graph_, out);
    all.push_back(size == 1 ? 0
                  : law     ? law_number(out, call.who, in)
                  : is_draw ? in[call.shape.fresh[0]]
                            : random);
  }
  return all;
}

TableOutcomes Operations::function(const TableCall& call) const {
  Radix noises;
  noises.sizes.assign(call.shape.fresh.size(), reading_.sizes().draws);
  const int total = noises.total();
  TableOutcomes all;
  std::vector<int> in = call.in;
  for (int n = 0; n < total; ++n) {
    const std::vector<int> draws = noises.digits(n);
    for (std::size_t k = 0; k < draws.size(); ++k) in[call.shape.fresh[k]] = draws[k];
    all.push_back({evaluated(call, in), {{1, static_cast<std::uint64_t>(total)}}});
  }
  return all;
}

/// Of one to one, of several to what joins them, and back.
TableOutcomes Operations::copy(const TableCall& call) const {
  Radix parts;
  std::vector<int> digits;
  if (call.who.outputs.size() == 1) {
    for (const std::size_t k : call.shape.states) {
      parts.sizes.push_back(reading_.size(call.who.inputs[k].value));
      digits.push_back(call.in[k]);
    }
    return {{{parts.number(digits)}, {}}};
  }
  for (const Value out : call.who.outputs) parts.sizes.push_back(reading_.size(out));
  return {{parts.digits(call.in[call.shape.states.front()]), {}}};
}

/// A seed for what an operation does at fixed parameters, and at fixed states but for the first; of
/// a corrected small step without its matrix.
std::uint64_t Operations::fixed(const TableCall& call, std::size_t first_state,
                                bool is_corrected) const {
  std::uint64_t seed = call.seed;
  for (std::size_t k = first_state; k < call.shape.states.size(); ++k) {
    seed = mixed(seed, at(call.in[call.shape.states[k]] + 1));
  }
  for (const std::size_t k : call.shape.parameters) {
    const Role role = call.who.inputs[k].role;
    const bool of_matrix =
        role == Role::drift || role == Role::diffusion || role == Role::drift_correction;
    if (!is_corrected || !of_matrix) seed = mixed(seed, at(call.in[k] + 1));
  }
  return seed;
}

// ---- draws

std::vector<std::uint64_t> Operations::refresh_weights(const TableCall& call) const {
  const Variable v = graph_[call.who.outputs.front()].variable;
  std::vector<std::uint64_t> w(at(reading_.size(v)), 1);
  for (std::size_t x = 0; x < w.size(); ++x) {
    SlotPlaces where;
    place(where, v, static_cast<int>(x));
    for (const std::size_t k : call.shape.laws) {
      w[x] *= laws_.weight(call.who.inputs[k].value, call.in[k], where);
    }
  }
  return w;
}

TableOutcomes Operations::written(const TableCall& call, const std::vector<Share>& shares) const {
  TableOutcomes all;
  for (std::size_t x = 0; x < shares.size(); ++x) {
    if (shares[x].part == 0) continue;
    std::vector<int> to(call.who.outputs.size(), 0);
    to[0] = static_cast<int>(x);
    all.push_back({std::move(to), {shares[x]}});
  }
  return all;
}

/// Of a draw that was handed on: its quantile or, in part, for one of its values nothing.
TableOutcomes Operations::refresh(const TableCall& call) const {
  const std::vector<std::uint64_t> w = refresh_weights(call);
  const std::uint64_t seed = fixed(call, call.shape.states.size());
  const bool full = call.who.traits.full || call.shape.states.empty();
  const int from = call.shape.states.empty() ? 0 : call.in[call.shape.states[0]];
  const int draws = reading_.sizes().draws;
  if (!call.who.traits.keeps_law)
    return written(
        call, always(w.size(), Chance(mixed(seed, at(from))).below(static_cast<int>(w.size()))));
  if (call.shape.handed.empty())
    return written(call, full ? by_weight(w) : two_metropolis_steps(w, from, seed));
  const int draw = call.in[call.shape.handed[0]];
  if (full) return written(call, by_quantile(w, draw, draws, seed));
  return written(call,
                 draw == 0 ? always(w.size(), from) : by_quantile(w, draw - 1, draws - 1, seed));
}

}  // namespace mixwell::worlds
