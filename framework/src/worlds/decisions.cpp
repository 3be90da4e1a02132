// Accepting and rejecting.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/operations.hpp"

#include <set>

namespace mixwell::worlds {
namespace {

/// The ratio of the laws at both ends, a law at the proposal instead of its law; what the stages
/// keep is divided out.
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

/// A momentum that its map has flipped is turned back where the proposal is rejected.
bool is_turned_back(const TableCall& call, std::size_t k) {
  const OperationInfo* const by = maker(call.graph(), call.input(call.edges.proposed[k]));
  return is_turned(call.graph(), call.edges.of[k]) && by != nullptr && negates_momenta(*by);
}

int next(const TableCall& call, Value version, bool accepted) {
  const ValueInfo& out = call.graph()[version];
  const auto k = at(std::ranges::find(call.edges.of, out.variable) - call.edges.of.begin());
  if (k >= call.edges.proposed.size())
    throw NoReading("`" + call.who.name + "` writes `" + out.name +
                    "`, for which it has no proposal");
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

}  // namespace

/// A draw that was handed on decides where there is no noise of its own: others see its coarse
/// part, only the decision sees the fine part, so that it is still exactly Metropolis. A parameter
/// makes it lazy, and chooses between Metropolis and Barker.
TableOutcomes outcomes_of_accept(const TableCall& call) {
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

}  // namespace mixwell::worlds
