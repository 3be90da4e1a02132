// Computes the tables of a graph's functions, copies, draws and decisions in a finite world.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/operations.hpp"

#include <set>

namespace mixwell::worlds {

std::uint64_t TableCall::fixed(std::size_t first_state, bool is_corrected) const {
  std::uint64_t all = seed;
  for (std::size_t k = first_state; k < edges.states.size(); ++k)
    all = mixed(all, at(in[edges.states[k]] + 1));
  for (const std::size_t k : edges.parameters) {
    const Role role = who.inputs[k].role;
    const bool of_matrix =
        role == Role::drift || role == Role::diffusion || role == Role::drift_correction;
    if (!is_corrected || !of_matrix) all = mixed(all, at(in[k] + 1));
  }
  return all;
}

namespace {

/// The digits of a law's number as one number, or as a digest if that number is too large.
int law_number(const TableCall& call, const std::vector<int>& in, Value law) {
  const LawDigits& digits = call.reading.digits(law);
  std::vector<int> values;
  std::uint64_t digest = 0;
  for (const std::size_t k : digits.inputs) {
    values.push_back(in[k]);
    digest = mixed(digest, at(in[k] + 1));
  }
  const int size = call.reading.size(law);
  return digits.radix.total() == size ? digits.radix.number(values) : below(digest >> 20, size);
}

/// The outputs of a function for given inputs. If the function only hands on a draw, its output is
/// the draw.
std::vector<int> evaluated(const TableCall& call, const std::vector<int>& in) {
  std::uint64_t where = call.seed;
  bool only_noise = call.edges.fresh.size() == 1;
  for (std::size_t k = 0; k < in.size(); ++k) {
    if (call.who.inputs[k].role == Role::weights) continue;
    where = mixed(where, at(in[k] + 1));
    only_noise = only_noise && (k == call.edges.fresh[0] || call.reading.size(call.input(k)) == 1);
  }
  std::vector<int> all;
  for (std::size_t k = 0; k < call.who.outputs.size(); ++k) {
    const Value out = call.who.outputs[k];
    const int size = call.reading.size(out);
    const bool is_law = call.who.kind == OperationKind::pure && call.reading.is_law(out);
    all.push_back(size == 1 ? 0
                  : is_law  ? law_number(call, in, out)
                  : only_noise && size == call.draws()
                      ? in[call.edges.fresh[0]]
                      : below(mixed(where, 7 * k + 3) >> 13, size));
  }
  return all;
}

TableOutcomes function(const TableCall& call) {
  Radix noises;
  noises.sizes.assign(call.edges.fresh.size(), call.draws());
  const int total = noises.total();
  TableOutcomes all;
  std::vector<int> in = call.in;
  for (int n = 0; n < total; ++n) {
    const std::vector<int> draws = noises.digits(n);
    for (std::size_t k = 0; k < draws.size(); ++k) in[call.edges.fresh[k]] = draws[k];
    all.push_back({evaluated(call, in), {{1, at(total)}}});
  }
  return all;
}

/// Copies one value to one, several values to a joint value, or a joint value to several.
TableOutcomes copy(const TableCall& call) {
  Radix parts;
  if (call.who.outputs.size() > 1) {
    for (const Value out : call.who.outputs) parts.sizes.push_back(call.reading.size(out));
    return {{parts.digits(call.in[call.edges.states.front()]), {}}};
  }
  std::vector<int> digits;
  for (const std::size_t k : call.edges.states) {
    parts.sizes.push_back(call.reading.size(call.input(k)));
    digits.push_back(call.in[k]);
  }
  return {{{parts.number(digits)}, {}}};
}

std::vector<std::uint64_t> refresh_weights(const TableCall& call) {
  const Value drawn = call.who.outputs.front();
  std::vector<std::uint64_t> w(at(call.reading.size(drawn)), 1);
  for (std::size_t x = 0; x < w.size(); ++x) {
    const auto where = call.laws.only(call.graph()[drawn].variable, static_cast<int>(x));
    for (const std::size_t k : call.edges.laws) w[x] *= call.weight(k, where);
  }
  return w;
}

/// If another operation handed on a draw, the new value is the quantile for this draw. In a partial
/// refresh, one value of the draw changes nothing.
std::vector<Share> refresh_shares(const TableCall& call) {
  const std::vector<std::uint64_t> w = refresh_weights(call);
  const std::uint64_t seed = call.fixed(call.edges.states.size());
  const bool full = call.who.traits.full || call.edges.states.empty();
  const int from = call.edges.states.empty() ? 0 : call.in[call.edges.states[0]];
  if (!call.who.traits.keeps_law)
    return always(w.size(), Chance(mixed(seed, at(from))).below(static_cast<int>(w.size())));
  if (call.edges.handed.empty()) return full ? by_weight(w) : two_metropolis_steps(w, from, seed);
  const int draw = call.in[call.edges.handed[0]];
  if (full) return by_quantile(w, draw, call.draws(), seed);
  return draw == 0 ? always(w.size(), from) : by_quantile(w, draw - 1, call.draws() - 1, seed);
}

TableOutcomes refresh(const TableCall& call) {
  const std::vector<Share> shares = refresh_shares(call);
  TableOutcomes all;
  for (std::size_t x = 0; x < shares.size(); ++x) {
    if (shares[x].part == 0) continue;
    std::vector<int> to(call.who.outputs.size(), 0);
    to[0] = static_cast<int>(x);
    all.push_back({std::move(to), {shares[x]}});
  }
  return all;
}

/// The ratio of the laws at both ends. The end at the proposal uses `law_at_proposal` if this input
/// exists. The law that the stages leave invariant is divided out.
Share ratio(const TableCall& call) {
  SlotPlaces here = call.laws.nowhere(), there = here;
  for (std::size_t k = 0; k < call.edges.proposed.size(); ++k) {
    call.laws.place(here, call.edges.of[k], call.in[call.edges.states[k]]);
    call.laws.place(there, call.edges.of[k], call.in[call.edges.proposed[k]]);
  }
  Share all;
  std::set<std::int32_t> counted;
  for (const std::size_t k : call.edges.laws) {
    if (!counted.insert(call.input(k).id).second) continue;
    std::size_t mirror = k;
    for (const std::size_t m : call.edges.at_proposal) {
      if (call.graph()[call.input(m)].function == call.graph()[call.input(k)].function) mirror = m;
    }
    all.of *= call.weight(k, here);
    all.part *= call.weight(mirror, there);
  }
  for (const std::size_t k : call.edges.stage_laws) {
    all.part *= call.weight(k, here);
    all.of *= call.weight(k, there);
  }
  return all;
}

/// If a map flipped a momentum, a rejected proposal turns the momentum back.
bool is_turned_back(const TableCall& call, std::size_t k) {
  const OperationInfo* const by = maker(call.graph(), call.input(call.edges.proposed[k]));
  return is_turned(call.graph(), call.edges.of[k]) && by != nullptr && negates_momenta(*by);
}

int next(const TableCall& call, Value version, bool accepted) {
  const ValueInfo& out = call.graph()[version];
  const auto k = at(std::ranges::find(call.edges.of, out.variable) - call.edges.of.begin());
  if (k >= call.edges.proposed.size())
    throw NoReading("`" + call.who.name + "` writes `" + out.name +
                    "`, but has no proposal for it");
  if (accepted) return call.in[call.edges.proposed[k]];
  const int before = call.in[call.edges.states[k]];
  return is_turned_back(call, k) ? call.reading.size(version) - 1 - before : before;
}

std::vector<int> decided(const TableCall& call, bool accepted) {
  const std::uint64_t seed = call.with(
      call.with(mixed(call.seed, accepted ? 21 : 22), call.edges.states), call.edges.proposed);
  std::vector<int> written;
  for (std::size_t o = 0; o < call.who.outputs.size(); ++o) {
    const Value out = call.who.outputs[o];
    const int size = call.reading.size(out);
    const bool chooses = call.graph()[out].kind == ValueKind::version && size > 1;
    written.push_back(chooses ? next(call, out, accepted) : below(mixed(seed, o) >> 11, size));
  }
  return written;
}

/// If the decision has no noise of its own, a draw that another operation handed on decides. Other
/// operations read only the coarse part of the draw, and only the decision uses the fine part, so
/// the decision is still exactly Metropolis. A parameter makes the decision lazy, and chooses
/// between Metropolis and Barker.
TableOutcomes accept(const TableCall& call) {
  std::vector<std::size_t> others = call.edges.handed;
  others.insert(others.end(), call.edges.parameters.begin(), call.edges.parameters.end());
  const auto decides = std::ranges::find_if(others, [&](std::size_t k) {
    return call.edges.fresh.empty() && call.reading.is_draw(seen(call.graph(), call.input(k)));
  });
  std::optional<int> draw;
  if (decides != others.end()) {
    draw = call.in[*decides];
    others.erase(decides);
  }
  const bool is_lazy = !others.empty();
  const std::uint64_t seed = call.with(call.seed, others);
  const Share r = ratio(call);
  const bool barker = (mixed(seed, 5) >> 7) % 4 == 0;
  const std::uint64_t yes = barker ? r.part : std::min(r.part, r.of);
  const std::uint64_t lazy = is_lazy ? 1 + (mixed(seed, 6) >> 7) % 4 : 1;
  const std::uint64_t of = (barker ? r.part + r.of : r.of) * lazy;
  const int part = !draw ? 0 : is_lazy ? random_permutation(seed, call.draws())[at(*draw)] : *draw;
  TableOutcomes all;
  for (const bool accepted : {true, false}) {
    const std::uint64_t from = accepted ? 0 : yes, to = accepted ? yes : of;
    const Share share =
        draw ? share_of_part(part, call.draws(), from, to, of) : Share{to - from, of};
    if (share.part > 0) all.push_back({decided(call, accepted), {share}});
  }
  return all;
}

}  // namespace

TableOutcomes outcomes(const TableCall& call) {
  const Variable written = call.graph()[call.who.outputs.front()].variable;
  switch (call.who.kind) {
    case OperationKind::pure:
      return function(call);
    case OperationKind::observe:
      return call.graph()[written].kind == VariableKind::estimate ? copy(call) : function(call);
    case OperationKind::regroup:
      return copy(call);
    case OperationKind::refresh:
      return refresh(call);
    case OperationKind::move:
      return outcomes_of_move(call);
    case OperationKind::accept:
      return accept(call);
  }
  return {};
}

}  // namespace mixwell::worlds
