// Rule 2a checks whether `law` becomes `law_at_proposal` when the proposal replaces the state.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace mixwell {
namespace {

class Mirror {
 public:
  Mirror(const Analysis& a, std::size_t t) : a_(a), t_(t) {
    const std::vector<Value> states = values_of(a.info(t), Role::state);
    const std::vector<Value> proposals = values_of(a.info(t), Role::proposed);
    for (std::size_t k = 0; k < std::min(states.size(), proposals.size()); ++k) {
      proposed_.emplace(states[k].id, proposals[k]);
    }
  }

  bool compare(Value here, Value there) {
    const auto key = std::make_pair(here.id, there.id);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    return known_[key] = decide(here, there);
  }

 private:
  bool decide(Value here, Value there) {
    const auto own = proposed_.find(here.id);
    if (own != proposed_.end()) {
      return own->second == there || a_.graph[own->second].storage == there;
    }
    if (here == there) return !depends_on_state(here);
    const ValueInfo& h = a_.graph[here];
    const ValueInfo& t = a_.graph[there];
    if (h.evaluated_law && t.evaluated_law) {
      return is_potential(here) == is_potential(there) &&
             compare(h.evaluated_law, t.evaluated_law) && compare(h.evaluated_at, t.evaluated_at);
    }
    return is_pure(a_.graph, here) && is_pure(a_.graph, there) && !h.evaluated_law &&
           !t.evaluated_law && same_operation(here, there);
  }

  /// For a stage, the state is the trial, not the slot that the trial copies. The stages began at
  /// the slot, and the reversed proposal begins at another point.
  bool depends_on_state(Value v) const {
    return any(a_.cones.leaves(v), [&](Value leaf) {
      return proposed_.contains(leaf.id) ||
             (a_.is(leaf, VariableKind::slot) && a_.moves(t_, a_.graph[leaf].variable));
    });
  }

  /// Evaluations come in pairs, the potential first.
  bool is_potential(Value v) const {
    const ValueInfo& info = a_.graph[v];
    for (const Value out : a_.operation(info.producer).outputs) {
      const ValueInfo& other = a_.graph[out];
      if (other.evaluated_law == info.evaluated_law && other.evaluated_at == info.evaluated_at) {
        return out == v;
      }
    }
    return false;
  }

  bool same_operation(Value here, Value there) {
    const OperationInfo& h = a_.operation(a_.graph[here].producer);
    const OperationInfo& t = a_.operation(a_.graph[there].producer);
    if (h.body != t.body || a_.graph[here].function != a_.graph[there].function ||
        h.inputs.size() != t.inputs.size() ||
        place_among_outputs(a_.graph, here) != place_among_outputs(a_.graph, there)) {
      return false;
    }
    for (std::size_t k = 0; k < h.inputs.size(); ++k) {
      if (h.inputs[k].role != t.inputs[k].role) return false;
      if (!compare(h.inputs[k].value, t.inputs[k].value)) return false;
    }
    return true;
  }

  const Analysis& a_;
  std::size_t t_;
  std::map<std::int32_t, Value> proposed_;
  std::map<std::pair<std::int32_t, std::int32_t>, bool> known_;
};

}  // namespace

bool mirrors(const Analysis& a, std::size_t t, Value here, Value there) {
  return Mirror(a, t).compare(here, there);
}

}  // namespace mixwell
