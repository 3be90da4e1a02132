// Finds updates that depend on each other because noise of one affects a parameter of the other.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/noise_flow.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace mixwell {
namespace {

/// An edge leads to an update of the same sweep (`here`) or of a later sweep (`later`), or from a
/// history to updates of any earlier sweep (`past`).
enum class Way : std::size_t { here, later, past };
constexpr std::array ways_there_are{Way::here, Way::later, Way::past};

/// For each kind of edge: which update comes directly before which, and the updates that a search
/// reaches.
using Edges = std::array<std::vector<IdSet>, 3>;
using Reached = std::array<IdSet, 3>;

template <class Of>
auto& by(Of& of, Way way) {
  return of[static_cast<std::size_t>(way)];
}

/// A history holds values of all sweeps, so a path through a history leads to any sweep.
Way together(Way one, Way next) { return std::max(one, next); }

class NoiseOrder {
 public:
  NoiseOrder(const Analysis& a, const std::vector<NoiseWays>& ways,
             const std::vector<std::vector<std::size_t>>& tellers, const std::vector<IdSet>& behind)
      : a_(a), ways_(ways), tellers_(tellers), behind_(behind) {
    for (auto& edges : before_) edges.assign(a.all.size(), IdSet(a.all.size()));
    for (std::size_t t = 0; t < a_.all.size(); ++t) add_noises(t);
  }

  std::vector<IdSet> entangled(const std::vector<IdSet>& reads) {
    std::vector<IdSet> found(a_.all.size(), IdSet(a_.all.size()));
    if (uses_.empty()) return found;
    for (std::size_t t = 0; t < a_.all.size(); ++t) {
      if (is_decision(t)) add_reads(t, reads[t]);
    }
    add_successions();
    after_ = reversed(before_);
    for (const auto& [t, teller] : uses_) {
      each(between(teller, t), [&, user = t](std::int32_t one) {
        found[user].set(index(one));
        found[index(one)].set(user);
      });
    }
    return found;
  }

 private:
  bool is_decision(std::size_t t) const { return a_.all[t].decided_by == t; }
  bool is_register(std::size_t t) const { return a_.info(t).kind == OperationKind::observe; }

  /// A full redraw does not depend on its parameters, unless another update uses the noise that it
  /// draws with: given that noise, the draw depends on the parameters.
  void add_noises(std::size_t t) {
    if (!is_decision(t) || (redraws(a_.info(t), {}) && !shares_its_noise(t))) return;
    const IdSet& used = is_register(t) ? ways_[t].own : behind_[t];
    each(used, [&](std::int32_t n) {
      for (const std::size_t s : tellers_[index(n)]) {
        const std::size_t teller = a_.all[s].decided_by;
        if (teller == t || is_register(teller)) continue;
        by(before_, Way::here)[t].set(teller);
        if (!is_register(t)) uses_.emplace(t, teller);
      }
    });
  }

  bool shares_its_noise(std::size_t t) const {
    for (std::size_t other = 0; other < a_.all.size(); ++other) {
      if (other != t && ways_[other].used().intersects(ways_[t].own)) return true;
    }
    return false;
  }

  void add_reads(std::size_t t, const IdSet& read) {
    each(read, [&](std::int32_t v) {
      const ValueInfo& version = a_.graph[Value{v}];
      const auto& writers = a_.writers[index(version.variable)];
      if (a_.is(version.variable, VariableKind::history)) {
        for (const std::size_t w : writers) by(before_, Way::past)[t].set(w);
        return;
      }
      if (a_.is(version.variable, VariableKind::auxiliary)) add_movers(t, Value{v});
      add_replacement(t, version, false);
    });
  }

  /// An auxiliary depends on the variables that were moved beside it while it stayed unchanged, and
  /// on the values from which its law was made.
  void add_movers(std::size_t t, Value auxiliary) {
    const auto add_all = [&](Way way, const std::vector<Value>& versions) {
      for (const Value at : versions) {
        for (const std::size_t u : a_.starters(at)) add(way, t, a_.all[u].decided_by);
        if (a_.maker(at) != nullptr) add_law(t, *a_.maker(at), way == Way::past);
      }
    };
    const Past past = a_.past(auxiliary, {});
    add_all(Way::here, past.here);
    add_all(Way::past, past.before);
  }

  void add_law(std::size_t t, const OperationInfo& by, bool is_of_last_sweep) {
    for (const Value law : a_.auxiliary_laws(by)) {
      each(a_.cones.versions(law), [&](std::int32_t leaf) {
        const ValueInfo& v = a_.graph[Value{leaf}];
        if (!a_.is(v.variable, VariableKind::history) && a_.is_written(v.variable))
          add_replacement(t, v, is_of_last_sweep);
      });
    }
  }

  /// An update that replaces a version on which `t` depends comes after `t`. The first writer of a
  /// sweep replaces a version of the last sweep.
  void add_replacement(std::size_t t, const ValueInfo& version, bool is_of_last_sweep) {
    const auto& writers = a_.writers[index(version.variable)];
    if (!is_of_last_sweep && version.replaced_by) {
      if (const auto next = a_.staleness.writer(version.replaced_by)) add(Way::here, t, *next);
    } else if (!writers.empty()) {
      add(is_of_last_sweep ? Way::here : Way::later, t, a_.all[writers.front()].decided_by);
    }
  }

  /// A full redraw does not depend on the value that it replaces.
  void add(Way way, std::size_t t, std::size_t next) {
    if (next != t && !starts_again(next)) by(before_, way)[t].set(next);
  }

  bool starts_again(std::size_t t) const {
    const auto& writes = a_.all[t].writes;
    return redraws(a_.info(t), {}) &&
           std::ranges::none_of(writes, [&](Variable v) { return has_a_law(v); });
  }

  /// Whether a variable is one of several slots of a factor, so a new draw of it depends on the
  /// other slots.
  bool has_a_law(Variable v) const {
    const auto& factors = a_.graph.factors();
    return std::ranges::any_of(
        factors, [&](const Factor& f) { return f.slots.size() > 1 && contains(f.slots, v); });
  }

  /// Orders the updates of one variable, or of the slots of one factor, over all sweeps.
  void add_successions() {
    const std::vector<std::int32_t> groups = joint_variables();
    std::vector<std::optional<std::size_t>> first(groups.size()), last(groups.size());
    for (std::size_t t = 0; t < a_.all.size(); ++t) {
      if (!is_decision(t) || is_register(t)) continue;
      for (const Variable v : moved_or_judged(t)) {
        const auto group = static_cast<std::size_t>(groups[index(v)]);
        if (last[group]) add(Way::here, *last[group], t);
        if (!first[group]) first[group] = t;
        last[group] = t;
      }
    }
    for (std::size_t group = 0; group < groups.size(); ++group) {
      if (last[group]) add(Way::later, *last[group], *first[group]);
    }
  }

  /// By variable: one representative of all variables to which factors join it.
  std::vector<std::int32_t> joint_variables() const {
    std::vector<std::int32_t> group(a_.graph.variables().size());
    std::iota(group.begin(), group.end(), 0);
    for (const std::vector<Variable>& slots : joint_slots(a_.graph))
      for (const Variable slot : slots) group[index(slot)] = slots.front().id;
    return group;
  }

  /// The variables that a transition writes, and the auxiliaries from which it starts.
  std::vector<Variable> moved_or_judged(std::size_t t) const {
    std::vector<Variable> found = a_.all[t].writes;
    for (const std::size_t one : a_.unit(t))
      for (const OperationInfo* part : a_.parts(one))
        for (const Value v : a_.auxiliaries(*part)) found.push_back(a_.graph[v].variable);
    return found;
  }

  static Edges reversed(const Edges& edges) {
    Edges found;
    for (const Way way : ways_there_are) {
      const auto& forward = by(edges, way);
      auto& backward = by(found, way);
      backward.assign(forward.size(), IdSet(forward.size()));
      for (std::size_t from = 0; from < forward.size(); ++from) {
        each(forward[from], [&](std::int32_t to) { backward[index(to)].set(from); });
      }
    }
    return found;
  }

  /// The updates that paths from `first` reach. No path continues beyond `last`.
  static Reached reached(std::size_t first, std::size_t last, const Edges& edges) {
    const std::size_t count = edges.front().size();
    Reached found{IdSet(count), IdSet(count), IdSet(count)};
    std::vector<std::pair<std::size_t, Way>> open{{first, Way::here}};
    while (!open.empty()) {
      const auto [at, way] = open.back();
      open.pop_back();
      if (by(found, way).test_set(at) || at == last) continue;
      for (const Way step : ways_there_are) {
        each(by(edges, step)[at], [&, before = way](std::int32_t next) {
          open.emplace_back(index(next), together(before, step));
        });
      }
    }
    return found;
  }

  /// Updates on the paths from `teller` to `user` in one sweep, or through a history.
  IdSet between(std::size_t teller, std::size_t user) const {
    const Reached ahead = reached(teller, user, before_);
    const Reached behind = reached(user, teller, after_);
    const auto any = [](const Reached& of) { return of[0] | of[1] | of[2]; };
    IdSet found = (by(ahead, Way::here) & by(behind, Way::here)) |
                  (by(ahead, Way::past) & any(behind)) | (any(ahead) & by(behind, Way::past));
    found.reset(user);
    for (std::size_t t = 0; t < a_.all.size(); ++t) {
      if (is_register(t)) found.reset(t);
    }
    return found;
  }

  const Analysis& a_;
  const std::vector<NoiseWays>& ways_;
  const std::vector<std::vector<std::size_t>>& tellers_;
  const std::vector<IdSet>& behind_;
  Edges before_;
  Edges after_;
  std::set<std::pair<std::size_t, std::size_t>>
      uses_;  ///< the update whose parameter is made from a noise, and the teller of the noise
};

}  // namespace

std::vector<IdSet> entangled_updates(const Analysis& a, const std::vector<NoiseWays>& ways,
                                     const std::vector<std::vector<std::size_t>>& tellers,
                                     const std::vector<IdSet>& behind,
                                     const std::vector<IdSet>& reads) {
  return NoiseOrder(a, ways, tellers, behind).entangled(reads);
}

}  // namespace mixwell
