// Accepting and rejecting.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/operations.hpp"
#include "worlds/quantiles.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace mixwell::worlds {

/// The ratio of the laws at both ends, a law at the proposal in the place of its law; what the
/// stages keep is divided out.
Share Operations::ratio(const TableCall& call, const SlotPlaces& here,
                        const SlotPlaces& there) const {
  std::uint64_t num = 1, den = 1;
  std::set<std::int32_t> counted;
  for (const std::size_t k : call.shape.laws) {
    const Value law = call.who.inputs[k].value;
    if (!counted.insert(law.id).second) continue;
    std::size_t mirror = k;
    for (const std::size_t m : call.shape.at_proposal) {
      if (graph_[call.who.inputs[m].value].function == graph_[law].function) mirror = m;
    }
    den *= laws_.weight(law, call.in[k], here);
    num *= laws_.weight(call.who.inputs[mirror].value, call.in[mirror], there);
  }
  for (const std::size_t k : call.shape.stage_laws) {
    num *= laws_.weight(call.who.inputs[k].value, call.in[k], here);
    den *= laws_.weight(call.who.inputs[k].value, call.in[k], there);
  }
  return {num, den};
}

/// A momentum that its map has flipped is turned back where the proposal is rejected.
bool Operations::is_turned_back(const TableCall& call, std::size_t k) const {
  const Value proposal = call.who.inputs[call.shape.proposed[k]].value;
  const OperationInfo* const by = maker(graph_, proposal);
  return is_turned(graph_, call.shape.of[k]) && by != nullptr && by->kind == OperationKind::move &&
         flips_momentum(by->traits) && !by->traits.keeps_law;
}

TableOutcome Operations::decided(const TableCall& call, bool accepted, Share share) const {
  const EdgeRoles& s = call.shape;
  std::uint64_t seed = mixed(call.seed, accepted ? 21 : 22);
  for (const std::size_t k : s.states) seed = mixed(seed, at(call.in[k] + 1));
  for (const std::size_t k : s.proposed) seed = mixed(seed, at(call.in[k] + 1));
  std::vector<int> written;
  for (std::size_t o = 0; o < call.who.outputs.size(); ++o) {
    const ValueInfo& out = graph_[call.who.outputs[o]];
    const int size = reading_.size(call.who.outputs[o]);
    if (out.kind != ValueKind::version || size == 1) {
      written.push_back(static_cast<int>((mixed(seed, o) >> 11) % at(size)));
      continue;
    }
    const auto k = at(std::find(s.of.begin(), s.of.end(), out.variable) - s.of.begin());
    if (k >= s.proposed.size()) {
      throw NoReading("`" + call.who.name + "` writes `" + out.name +
                      "`, for which it has no proposal");
    }
    const int before = call.in[s.states[k]];
    const int stays = is_turned_back(call, k) ? size - 1 - before : before;
    written.push_back(accepted ? call.in[s.proposed[k]] : stays);
  }
  return {std::move(written), {share}};
}

/// A draw that was handed on decides where there is no noise of its own: others see its coarse
/// part, the fine part is the decision's alone, so that it is still exactly Metropolis. A parameter
/// makes it lazy, and chooses between Metropolis and Barker.
TableOutcomes Operations::accept(const TableCall& call) const {
  const EdgeRoles& s = call.shape;
  SlotPlaces here, there;
  for (std::size_t k = 0; k < s.proposed.size(); ++k) {
    place(here, s.of[k], call.in[s.states[k]]);
    place(there, s.of[k], call.in[s.proposed[k]]);
  }
  std::uint64_t seed = call.seed;
  std::optional<int> draw;
  bool lazy = false;
  const auto read = [&](std::size_t k) {
    if (s.fresh.empty() && !draw && reading_.is_draw(seen(graph_, call.who.inputs[k].value))) {
      draw = call.in[k];
      return;
    }
    seed = mixed(seed, at(call.in[k] + 1));
    lazy = true;
  };
  for (const std::size_t k : s.handed) read(k);
  for (const std::size_t k : s.parameters) read(k);
  const Share r = ratio(call, here, there);
  const bool barker = (mixed(seed, 5) >> 7) % 4 == 0;
  const std::uint64_t yes = barker ? r.part : std::min(r.part, r.of);
  const std::uint64_t of =
      (barker ? r.part + r.of : r.of) * (lazy ? 1 + (mixed(seed, 6) >> 7) % 4 : 1);
  const int draws = reading_.sizes().draws;
  TableOutcomes all;
  for (const bool accepted : {true, false}) {
    const std::uint64_t from = accepted ? 0 : yes, to = accepted ? yes : of;
    const int part = !draw ? 0 : lazy ? random_permutation(seed, draws)[at(*draw)] : *draw;
    const Share share = draw ? share_of_part(part, draws, from, to, of) : Share{to - from, of};
    if (share.part > 0) all.push_back(decided(call, accepted, share));
  }
  return all;
}

}  // namespace mixwell::worlds
