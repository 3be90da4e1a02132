// Moves: reversible maps, and opaque kernels.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/operations.hpp"
#include "worlds/quantiles.hpp"

#include <algorithm>
#include <optional>

namespace mixwell::worlds {

Radix Operations::moved_radix(const TableCall& call) const {
  Radix radix;
  for (std::size_t k = 0; k < call.shape.moved.size(); ++k) {
    radix.sizes.push_back(reading_.size(call.who.inputs[call.shape.states[k]].value));
  }
  return radix;
}

int Operations::moved_from(const TableCall& call, const Radix& radix) const {
  std::vector<int> digits;
  for (std::size_t k = 0; k < radix.sizes.size(); ++k)
    digits.push_back(call.in[call.shape.states[k]]);
  return radix.number(digits);
}

/// Statistics and what else is written besides are functions of where the move began and ended.
TableOutcome Operations::moved_to(const TableCall& call, const Radix& radix, int x,
                                  Share share) const {
  const std::uint64_t seed = mixed(mixed(call.seed, 41), at(x + 100 * moved_from(call, radix)));
  std::vector<int> written;
  for (std::size_t k = 0; k < call.who.outputs.size(); ++k) {
    written.push_back(
        static_cast<int>((mixed(seed, k) >> 11) % at(reading_.size(call.who.outputs[k]))));
  }
  const std::vector<int> to = radix.digits(x);
  for (std::size_t k = 0; k < to.size(); ++k) written[call.shape.moved[k]] = to[k];
  return {std::move(written), {share}};
}

/// The draws in the number of a law of a slot turn, too; the rest of it is a parameter.
void Operations::spread(Value law, int number, Turned& into) const {
  const auto digits = reading_.digits(law);
  Radix radix;
  for (const Value d : digits) radix.sizes.push_back(reading_.size(d));
  const bool named = !digits.empty() && radix.total() == reading_.size(law);
  const Value before = law_before(graph_, law);
  if (graph_[law].storage && before && before == graph_[law].storage)
    return spread(before, number, into);
  if (!named || !factor_behind(graph_, law)) {
    into.seed = mixed(into.seed, at(number + 1));
    return;
  }
  const std::vector<int> values = radix.digits(number);
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (digits[k] == before) {
      spread(before, values[k], into);
    } else if (reading_.is_draw(digits[k])) {
      into.in_law = true;
      into.draw += into.total * values[k];
      into.total *= reading_.sizes().draws;
    } else {
      into.seed = mixed(into.seed, at(values[k] + 1));
    }
  }
}

Operations::Turned Operations::turned(const TableCall& call) const {
  Turned all;
  all.seed = fixed(call, call.shape.moved.size());
  for (const std::size_t k : call.shape.laws) spread(call.who.inputs[k].value, call.in[k], all);
  for (const std::size_t k : call.shape.handed) {
    all.draw += all.total * call.in[k];
    all.total *= reading_.size(call.who.inputs[k].value);
  }
  return all;
}

Permutation Operations::turn_momenta(const TableCall& call, const Radix& radix) const {
  Permutation turn = identity(radix.total());
  if (!flips_momentum(call.who.traits)) return turn;
  for (int& x : turn) {
    std::vector<int> digits = radix.digits(x);
    for (std::size_t k = 0; k < digits.size(); ++k) {
      if (is_turned(graph_, call.shape.of[k])) digits[k] = radix.sizes[k] - 1 - digits[k];
    }
    x = radix.number(digits);
  }
  return turn;
}

/// The map at one value of its own and of all other noises.
Permutation Operations::map(const TableCall& call, const Turned& noise, int own,
                            const Permutation& turn) const {
  const Traits& traits = call.who.traits;
  const int n = static_cast<int>(turn.size());
  const int own_total = call.shape.fresh.empty() ? 1 : reading_.sizes().draws;
  const int z = own + own_total * noise.draw;
  const bool by_noise = flips_noise(traits) || noise.in_law || traits.keeps_law;
  const int minus = by_noise ? own_total * noise.total - 1 - z : z;
  if (!(traits.involution && traits.volume) && !traits.keeps_law) {
    Permutation f = random_permutation(mixed(noise.seed, at(z)), n);
    f.front() = f.back();  // nothing is declared: not even a permutation
    return f;
  }
  const std::uint64_t seed = mixed(noise.seed, at(std::min(z, minus)));
  if (z == minus) return after(turn, random_involution(seed, n));
  const Permutation f = random_permutation(seed, n);
  return z < minus ? f : after(turn, after(inverse(f), turn));
}

TableOutcomes Operations::move(const TableCall& call) const {
  if (is_exchange(graph_, call.who)) return {{{0, 0}, {}}};  // what is proposed are views
  if (graph_[call.who.outputs.front()].kind == ValueKind::version) return drift(call);
  const Radix radix = moved_radix(call);
  const Permutation turn = turn_momenta(call, radix);
  const Turned noise = turned(call);
  const int own_total = call.shape.fresh.empty() ? 1 : reading_.sizes().draws;
  TableOutcomes all;
  for (int own = 0; own < own_total; ++own) {
    const int to = map(call, noise, own, turn)[at(moved_from(call, radix))];
    all.push_back(moved_to(call, radix, to, {1, static_cast<std::uint64_t>(own_total)}));
  }
  return all;
}

std::vector<std::uint64_t> Operations::weights_of_moved(const TableCall& call,
                                                        const Radix& radix) const {
  std::vector<std::uint64_t> w(at(radix.total()), 1);
  for (std::size_t x = 0; x < w.size(); ++x) {
    SlotPlaces where;
    const std::vector<int> digits = radix.digits(static_cast<int>(x));
    for (std::size_t k = 0; k < digits.size(); ++k) place(where, call.shape.of[k], digits[k]);
    for (const std::size_t k : call.shape.laws) {
      const Value law = call.who.inputs[k].value;
      if (laws_.concerns(law, where)) w[x] *= laws_.weight(law, call.in[k], where);
    }
  }
  return w;
}

/// With a draw that was handed on, one Metropolis step that it decides.
TableOutcomes Operations::opaque(const TableCall& call) const {
  const Radix radix = moved_radix(call);
  const std::vector<std::uint64_t> w = weights_of_moved(call, radix);
  const int from = moved_from(call, radix);
  const std::uint64_t seed = fixed(call, call.shape.moved.size());
  std::vector<Share> shares(w.size(), Share{0, 1});
  if (!*call.who.traits.invariant) {
    shares[at(random_permutation(seed, radix.total())[at(from)])] = {1, 1};
  } else if (call.shape.handed.empty()) {
    shares = two_metropolis_steps(w, from, seed);
  } else {
    const int to = random_involution(mixed(seed, 1), radix.total())[at(from)];
    const int draws = reading_.sizes().draws, draw = call.in[call.shape.handed[0]];
    const std::uint64_t here = w[at(from)], there = std::min(w[at(to)], here);
    shares[at(to)] = share_of_part(draw, draws, 0, there, here);
    const Share stays = share_of_part(draw, draws, there, here, here);
    shares[at(from)] = to == from ? Share{} : stays;
  }
  return to_share(call, radix, shares);
}

TableOutcomes Operations::to_share(const TableCall& call, const Radix& radix,
                                   const std::vector<Share>& shares) const {
  TableOutcomes all;
  for (std::size_t x = 0; x < shares.size(); ++x) {
    if (shares[x].part > 0) all.push_back(moved_to(call, radix, static_cast<int>(x), shares[x]));
  }
  return all;
}

/// Those of the laws that a scheme follows as its step goes to 0; of one that declares no order, or
/// has two couplings or matrices, those of another law.
std::vector<std::uint64_t> Operations::weights_of_flow(const TableCall& call,
                                                       const Radix& radix) const {
  const auto one_value = [&](Role a, Role b) {
    return input_of(call.who, a) == input_of(call.who, b);
  };
  const bool follows = call.who.traits.order > 0 && one_value(Role::drift, Role::diffusion) &&
                       one_value(Role::position_coupling, Role::momentum_coupling);
  return follows ? weights_of_moved(call, radix) : std::vector<std::uint64_t>(at(radix.total()), 1);
}

/// As the step goes to 0 a trajectory of fixed length keeps its laws: the noise of a gradient
/// averages out.
TableOutcomes Operations::trajectory(const TableCall& call) const {
  const Radix radix = moved_radix(call);
  const std::uint64_t seed = fixed(call, call.shape.moved.size());
  return to_share(
      call, radix,
      two_metropolis_steps(weights_of_flow(call, radix), moved_from(call, radix), seed));
}

/// Whether the drift holds the whole divergence of the matrix of the diffusion.
bool Operations::is_corrected(const OperationInfo& who) const {
  const Value matrix = input_of(who, Role::drift);
  const Value correction = input_of(who, Role::drift_correction);
  const OperationInfo* const by = correction ? maker(graph_, correction) : nullptr;
  return by != nullptr && by->traits.total && matrix == input_of(who, Role::diffusion) &&
         std::any_of(by->inputs.begin(), by->inputs.end(),
                     [&](const Input& i) { return i.value == matrix; });
}

/// To first order what a small step does is a sum over what it may do. With the right correction
/// it keeps its laws wherever its matrix comes from.
TableOutcomes Operations::drift(const TableCall& call) const {
  if (!call.who.traits.local) return trajectory(call);
  const Radix radix = moved_radix(call);
  const int from = moved_from(call, radix);
  const std::vector<std::uint64_t> w = weights_of_flow(call, radix);
  const std::uint64_t seed = fixed(call, call.shape.moved.size(), is_corrected(call.who));
  const int to = random_involution(mixed(seed, 1), radix.total())[at(from)];
  const Share taken{std::min(w[at(to)], w[at(from)]), w[at(from)]};
  TableOutcomes all{moved_to(call, radix, from, {})};
  const auto add = [&](int x, bool minus) {
    all.push_back(moved_to(call, radix, x, {}));
    all.back().term = {taken, true, minus};
  };
  add(to, false);
  add(from, true);
  for (const std::size_t k : call.shape.laws) {
    add_gradient_noise(call, call.who.inputs[k].value, call.in[k], all);
  }
  return all;
}

/// D to every other place, of the draw in the law's number: the last draw takes all others back.
void Operations::add_gradient_noise(const TableCall& call, Value law, int number,
                                    TableOutcomes& all) const {
  Turned noise;
  noise.seed = fixed(call, call.shape.moved.size());
  spread(law, number, noise);
  const OperationInfo* const by = maker(graph_, law);
  if (by != nullptr && by->traits.cycle > 0) {
    throw NoReading("the gradient of `" + by->name + "` is right only over several sweeps");
  }
  if (by == nullptr || !by->traits.unbiased || noise.total == 1) return;
  const Radix radix = moved_radix(call);
  const int from = moved_from(call, radix);
  const int last = noise.total - 1;
  for (int draw = 0; draw < last; ++draw) {
    if (noise.draw != last && noise.draw != draw) continue;
    const bool minus = noise.draw == last;
    for (int y = 0; y < radix.total(); ++y) {
      if (y == from) continue;
      const std::uint64_t entry = mixed(mixed(noise.seed, at(draw)), at(100 * from + y));
      for (const auto& [x, sign] : {std::pair(y, minus), std::pair(from, !minus)}) {
        all.push_back(moved_to(call, radix, x, {}));
        all.back().term = {{1 + (entry >> 9) % 7, 16}, true, sign};
      }
    }
  }
}

}  // namespace mixwell::worlds
