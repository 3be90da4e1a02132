// Updates that know of one another by a noise that one of them has as a parameter.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/noise_order.hpp"

#include <set>
#include <utility>

namespace mixwell {
namespace {

class NoiseOrder {
 public:
  NoiseOrder(const Analysis& a, const std::vector<NoiseWays>& ways,
             const std::vector<std::vector<std::size_t>>& tellers, const std::vector<IdSet>& reads)
      : a_(a),
        ways_(ways),
        tellers_(tellers),
        writes_(a.all.size(), IdSet(a.all.size())),
        must_precede_(writes_) {
    for (std::size_t t = 0; t < a_.all.size(); ++t) {
      if (a_.all[t].decided_by == t) add_reads(t, reads[t]);
    }
    for (std::size_t t = 0; t < a_.all.size(); ++t) add_noises(t);
    written_by_ = reversed(writes_);
    must_follow_ = reversed(must_precede_);
  }

  std::vector<IdSet> entangled() const {
    std::vector<IdSet> found(a_.all.size(), IdSet(a_.all.size()));
    for (const auto& [t, teller] : uses_) {
      each(between(teller, t), [&, t = t](std::int32_t one) {
        found[t].set(static_cast<std::size_t>(one));
        found[static_cast<std::size_t>(one)].set(t);
      });
    }
    return found;
  }

 private:
  void add_reads(std::size_t t, const IdSet& read) {
    each(read, [&](std::int32_t v) {
      const Value version{v};
      if (const auto by = a_.staleness.writer(version)) writes_[*by].set(t);
      const Value next = a_.graph[version].replaced_by;
      if (const auto by = next ? a_.staleness.writer(next) : std::nullopt) before(t, *by);
      const Variable variable = a_.graph[version].variable;
      if (a_.graph[variable].kind != VariableKind::history) return;
      for (const Variable seen : a_.behind(variable)) {
        if (a_.graph[seen].kind == VariableKind::history) continue;
        for (const std::size_t by : a_.writers[static_cast<std::size_t>(seen.id)]) before(t, by);
      }
    });
  }

  void before(std::size_t t, std::size_t replacer) {
    if (a_.all[replacer].decided_by != t) must_precede_[t].set(a_.all[replacer].decided_by);
  }

  /// A full redraw leaves nothing of its parameters in what it draws.
  void add_noises(std::size_t t) {
    const OperationInfo& who = a_.info(t);
    if (a_.all[t].decided_by != t || redraws(who, {})) return;
    each(ways_[t].parameters, [&](std::int32_t n) {
      for (const std::size_t s : tellers_[static_cast<std::size_t>(n)]) {
        const std::size_t teller = a_.all[s].decided_by;
        if (teller == t) continue;
        must_precede_[t].set(teller);
        uses_.emplace(t, teller);
      }
    });
  }

  using Edges = std::vector<IdSet>;
  /// Updates that are reached: by a way of reads only, and by one on which some update must
  /// precede the next.
  struct Reached {
    IdSet by_reads;
    IdSet strictly;
  };

  static Edges reversed(const Edges& edges) {
    Edges found(edges.size(), IdSet(edges.size()));
    for (std::size_t from = 0; from < edges.size(); ++from) {
      each(edges[from], [&](std::int32_t to) { found[static_cast<std::size_t>(to)].set(from); });
    }
    return found;
  }

  /// `last` is where a way ends.
  static Reached reached(std::size_t first, std::size_t last, const Edges& writes,
                         const Edges& must_precede) {
    Reached found{IdSet(writes.size()), IdSet(writes.size())};
    std::vector<std::pair<std::size_t, bool>> open{{first, false}};
    while (!open.empty()) {
      const auto [at, strictly] = open.back();
      open.pop_back();
      if ((strictly ? found.strictly : found.by_reads).test_set(at) || at == last) continue;
      each(writes[at], [&, strictly = strictly](std::int32_t next) {
        open.emplace_back(static_cast<std::size_t>(next), strictly);
      });
      each(must_precede[at],
           [&](std::int32_t next) { open.emplace_back(static_cast<std::size_t>(next), true); });
    }
    return found;
  }

  /// Updates on the ways from `teller` to `user` on which some update must precede the next.
  IdSet between(std::size_t teller, std::size_t user) const {
    const Reached ahead = reached(teller, user, writes_, must_precede_);
    if (!ahead.strictly.test(user)) return IdSet(a_.all.size());
    const Reached behind = reached(user, teller, written_by_, must_follow_);
    return ((ahead.by_reads & behind.strictly) |
            (ahead.strictly & (behind.by_reads | behind.strictly)))
        .reset(user);
  }

  const Analysis& a_;
  const std::vector<NoiseWays>& ways_;
  const std::vector<std::vector<std::size_t>>& tellers_;
  Edges writes_;        ///< by transition: those that read what it writes
  Edges must_precede_;  ///< by transition
  Edges written_by_;
  Edges must_follow_;
  std::set<std::pair<std::size_t, std::size_t>> uses_;  ///< user of a parameter, teller
};

}  // namespace

std::vector<IdSet> entangled_updates(const Analysis& a, const std::vector<NoiseWays>& ways,
                                     const std::vector<std::vector<std::size_t>>& tellers,
                                     const std::vector<IdSet>& reads) {
  return NoiseOrder(a, ways, tellers, reads).entangled();
}

}  // namespace mixwell
