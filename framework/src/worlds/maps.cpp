// Moves in a finite world: reversible maps and opaque kernels.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/operations.hpp"

namespace mixwell::worlds {
namespace {

/// The draws that are reversed on the way back, as one number below `total`. `seed` depends on the
/// inputs that are not reversed.
struct TurnedDraws {
  std::uint64_t seed = 0;
  int draw = 0;
  int total = 1;
  bool in_law = false;

  void add(int value, int count) {
    draw += total * value;
    total *= count;
  }
};

class MoveTable {
 public:
  explicit MoveTable(const TableCall& call)
      : call_(call),
        graph_(call.reading.graph()),
        traits_(call.who.traits),
        edges_(call.edges),
        seed_(call.fixed(edges_.moved.size())) {
    std::vector<int> digits;
    for (std::size_t k = 0; k < edges_.moved.size(); ++k) {
      radix_.sizes.push_back(call.reading.size(call.input(edges_.states[k])));
      digits.push_back(call.in[edges_.states[k]]);
    }
    n_ = radix_.total();
    from_ = radix_.number(digits);
  }

  TableOutcomes outcomes() const {
    if (traits_.invariant) return by_shares(opaque());
    if (is_exchange(graph_, call_.who))
      return {{{0, 0}, {}}};  // no operation reads these values, because the proposals are views
    if (!is_uncorrected(graph_, call_.who)) return proposed();
    return traits_.local ? small_step() : by_shares(two_metropolis_steps(of_flow(), from_, seed_));
  }

 private:
  /// Statistics and other outputs are functions of the start and the end of the move.
  TableOutcome moved_to(int x, const Term& term) const {
    const std::uint64_t seed = mixed(mixed(call_.seed, 41), at(x + 100 * from_));
    std::vector<int> written;
    for (std::size_t k = 0; k < call_.who.outputs.size(); ++k)
      written.push_back(below(mixed(seed, k) >> 11, call_.reading.size(call_.who.outputs[k])));
    const std::vector<int> to = radix_.digits(x);
    for (std::size_t k = 0; k < to.size(); ++k) written[edges_.moved[k]] = to[k];
    return {std::move(written), term};
  }

  TableOutcomes by_shares(const std::vector<Share>& shares) const {
    TableOutcomes all;
    for (int x = 0; x < n_; ++x) {
      if (shares[at(x)].part > 0) all.push_back(moved_to(x, {shares[at(x)]}));
    }
    return all;
  }

  std::vector<std::uint64_t> weights() const {
    std::vector<std::uint64_t> w(at(n_), 1);
    for (int x = 0; x < n_; ++x) {
      SlotPlaces where = call_.laws.nowhere();
      const std::vector<int> digits = radix_.digits(x);
      for (std::size_t k = 0; k < digits.size(); ++k)
        call_.laws.place(where, edges_.of[k], digits[k]);
      for (const std::size_t k : edges_.laws) {
        if (call_.laws.concerns(call_.input(k), where)) w[at(x)] *= call_.weight(k, where);
      }
    }
    return w;
  }

  // ---- maps

  /// Draws in the number of a law of a slot are also reversed on the way back. All other digits of
  /// the number are parameters.
  void spread(Value law, int number, TurnedDraws& into) const {
    const Value before = law_before(graph_, law);
    if (before && before == graph_[law].storage) return spread(before, number, into);
    const LawDigits& digits = call_.reading.digits(law);
    const bool named = !digits.values.empty() && digits.radix.total() == call_.reading.size(law);
    if (!named || !factor_behind(graph_, law)) {
      into.seed = mixed(into.seed, at(number + 1));
      return;
    }
    const std::vector<int> values = digits.radix.digits(number);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (digits.values[k] == before) {
        spread(before, values[k], into);
      } else if (call_.reading.is_draw(digits.values[k])) {
        into.in_law = true;
        into.add(values[k], call_.draws());
      } else {
        into.seed = mixed(into.seed, at(values[k] + 1));
      }
    }
  }

  TurnedDraws noises() const {
    TurnedDraws all{.seed = seed_};
    for (const std::size_t k : edges_.laws) spread(call_.input(k), call_.in[k], all);
    for (const std::size_t k : edges_.handed)
      all.add(call_.in[k], call_.reading.size(call_.input(k)));
    return all;
  }

  /// The state with the signs of turned momenta changed.
  int turned(int x) const {
    std::vector<int> digits = radix_.digits(x);
    for (std::size_t k = 0; k < digits.size(); ++k) {
      const bool turns = flips_momentum(traits_) && is_turned(graph_, edges_.of[k]);
      if (turns) digits[k] = radix_.sizes[k] - 1 - digits[k];
    }
    return radix_.number(digits);
  }

  /// The end of the move for one value of the move's noise and one value of all other noises.
  int image(const TurnedDraws& noise, int own, int own_total) const {
    const int z = own + own_total * noise.draw;
    const bool by_noise = flips_noise(traits_) || noise.in_law || traits_.keeps_law;
    const int minus = by_noise ? own_total * noise.total - 1 - z : z;
    if (!(traits_.involution && traits_.volume) && !traits_.keeps_law) {
      const int from =
          from_ == 0 ? n_ - 1 : from_;  // nothing is declared, so the map need not be a permutation
      return random_permutation(mixed(noise.seed, at(z)), n_)[at(from)];
    }
    const std::uint64_t seed = mixed(noise.seed, at(std::min(z, minus)));
    if (z == minus) return turned(random_involution(seed, n_)[at(from_)]);
    const Permutation f = random_permutation(seed, n_);
    if (z < minus) return f[at(from_)];
    return turned(static_cast<int>(std::ranges::find(f, turned(from_)) - f.begin()));
  }

  TableOutcomes proposed() const {
    const TurnedDraws noise = noises();
    const int own_total = edges_.fresh.empty() ? 1 : call_.draws();
    TableOutcomes all;
    for (int own = 0; own < own_total; ++own)
      all.push_back(moved_to(image(noise, own, own_total), {{1, at(own_total)}}));
    return all;
  }

  // ---- kernels

  /// The shares of an opaque kernel. If another operation handed on a draw, this draw decides one
  /// Metropolis step.
  std::vector<Share> opaque() const {
    const std::vector<std::uint64_t> w = weights();
    if (!*traits_.invariant) return always(w.size(), random_permutation(seed_, n_)[at(from_)]);
    if (edges_.handed.empty()) return two_metropolis_steps(w, from_, seed_);
    const int to = random_involution(mixed(seed_, 1), n_)[at(from_)];
    if (to == from_) return always(w.size(), to);
    const int draw = call_.in[edges_.handed[0]];
    const std::uint64_t here = w[at(from_)], there = std::min(w[at(to)], here);
    std::vector<Share> shares(w.size(), Share{0, 1});
    shares[at(to)] = share_of_part(draw, call_.draws(), 0, there, here);
    shares[at(from_)] = share_of_part(draw, call_.draws(), there, here, here);
    return shares;
  }

  /// The weights of the law that a scheme leaves invariant as its step goes to 0. A scheme that
  /// declares no order, or has two couplings or two matrices, has the weights of another law. A
  /// trajectory of fixed length keeps these weights although its gradient has noise, because the
  /// noise averages out.
  std::vector<std::uint64_t> of_flow() const {
    const auto one_value = [&](Role a, Role b) {
      return input_of(call_.who, a) == input_of(call_.who, b);
    };
    const bool follows = traits_.order > 0 && one_value(Role::drift, Role::diffusion) &&
                         one_value(Role::position_coupling, Role::momentum_coupling);
    return follows ? weights() : std::vector<std::uint64_t>(at(n_), 1);
  }

  /// Whether the drift contains the whole divergence of the diffusion's matrix.
  bool is_corrected() const {
    const Value matrix = input_of(call_.who, Role::drift);
    const Value correction = input_of(call_.who, Role::drift_correction);
    const OperationInfo* const by = correction ? maker(graph_, correction) : nullptr;
    return by != nullptr && by->traits.total && matrix == input_of(call_.who, Role::diffusion) &&
           std::ranges::any_of(by->inputs, [&](const Input& i) { return i.value == matrix; });
  }

  /// To first order, a small step is a sum over its possible effects. With the right correction,
  /// the step leaves its laws invariant for every matrix.
  TableOutcomes small_step() const {
    const std::vector<std::uint64_t> w = of_flow();
    const std::uint64_t seed = call_.fixed(edges_.moved.size(), is_corrected());
    const int to = random_involution(mixed(seed, 1), n_)[at(from_)];
    const Share taken{std::min(w[at(to)], w[at(from_)]), w[at(from_)]};
    TableOutcomes all{moved_to(from_, {}), moved_to(to, {taken, true}),
                      moved_to(from_, {taken, true, true})};
    for (const std::size_t k : edges_.laws) add_gradient_noise(call_.input(k), call_.in[k], all);
    return all;
  }

  /// Adds terms that move a share to other places, depending on the draw in the law's number. The
  /// last draw takes back the shares of all other draws, so the noise has mean zero.
  void add_gradient_noise(Value law, int number, TableOutcomes& all) const {
    TurnedDraws noise{.seed = seed_};
    spread(law, number, noise);
    const OperationInfo* const by = maker(graph_, law);
    if (by != nullptr && by->traits.cycle > 0) {
      throw NoReading("the gradient of `" + by->name +
                      "` is unbiased only on average over several sweeps");
    }
    if (by == nullptr || !by->traits.unbiased || noise.total == 1) return;
    const int last = noise.total - 1;
    for (int draw = 0; draw < last; ++draw) {
      if (noise.draw != last && noise.draw != draw) continue;
      const bool minus = noise.draw == last;
      for (int y = 0; y < n_; ++y) {
        if (y == from_) continue;
        const std::uint64_t entry = mixed(mixed(noise.seed, at(draw)), at(100 * from_ + y));
        const Share share{1 + (entry >> 9) % 7, 16};
        all.push_back(moved_to(y, {share, true, minus}));
        all.push_back(moved_to(from_, {share, true, !minus}));
      }
    }
  }

  const TableCall& call_;
  const KernelGraph& graph_;
  const Traits& traits_;
  const EdgeRoles& edges_;
  std::uint64_t seed_;
  Radix radix_;
  int n_ = 1;
  int from_ = 0;
};

}  // namespace

TableOutcomes outcomes_of_move(const TableCall& call) { return MoveTable(call).outcomes(); }

}  // namespace mixwell::worlds
