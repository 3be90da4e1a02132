// Rule G: updates by a law with other slots integrated out, and in which order they are right.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

using Slots = std::set<std::int32_t>;

bool is_subset(const Slots& part, const Slots& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

Slots minus(const Slots& all, const Slots& without) {
  Slots left;
  std::set_difference(all.begin(), all.end(), without.begin(), without.end(),
                      std::inserter(left, left.end()));
  return left;
}

Slots both(const Slots& a, const Slots& b) {
  Slots all = a;
  all.insert(b.begin(), b.end());
  return all;
}

/// One update of slots of a factor.
struct CollapsedUpdate {
  std::size_t transition = 0;
  Slots moved;
  Slots given;           ///< what its law reads of the other slots
  bool redraws = false;  ///< whatever the moved slots were
  bool always = true;    ///< in every sweep and column
};

/// The slots whose joint law is right. Before an update of W given R it must hold R, and W unless
/// the update draws W anew; a kernel that keeps the law of W given R then keeps that of W and R
/// together, and what it integrated out belongs to values of W that are gone. Hence after it W and
/// R, and nothing else, are right. At the end of a sweep all must be.
class CollapsedRules {
 public:
  CollapsedRules(const Analysis& a, const Factor& factor) : a_(a) {
    for (const Variable slot : factor.slots) all_.insert(slot.id);
    for (std::size_t t = 0; t < a.all.size(); ++t) {
      if (const auto update = update_of(t, factor)) updates_.push_back(*update);
    }
  }

  Verdict judge() const {
    Verdict v =
        fine(Rule::collapsed, "what an update integrates out is drawn anew before it is read");
    const bool collapses = std::any_of(updates_.begin(), updates_.end(), [&](const auto& u) {
      return both(u.moved, u.given) != all_;
    });
    if (!collapses) return v;
    v.citation = theorem;
    join(v, parameters());
    std::vector<std::size_t> order(updates_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (const auto fault = first_fault(order))
      join(v, collapsed(fault->at, fault->what + "; " + cure()));
    return v;
  }

 private:
  struct Fault {
    std::size_t at;
    std::string what;
  };

  static constexpr std::size_t most_ordered = 8;
  static constexpr const char* theorem =
      "van Dyk & Park 2008, J. Am. Stat. Ass. 103 (partially collapsed Gibbs samplers)";

  std::optional<CollapsedUpdate> update_of(std::size_t t, const Factor& factor) const {
    CollapsedUpdate update{.transition = t, .moved = {}, .given = {}};
    for (const Variable v : a_.all[t].writes) {
      if (all_.count(v.id) != 0) update.moved.insert(v.id);
    }
    if (update.moved.empty()) return std::nullopt;
    const OperationInfo& who = a_.info(t);
    for (const Input& input : who.inputs) {
      if (input.role != Role::law) continue;
      const auto made_from = a_.factors_of(input.value);
      if (std::find(made_from.begin(), made_from.end(), factor.law) == made_from.end()) continue;
      update.given = both(update.given, slots_behind(input.value));
    }
    update.given = minus(update.given, update.moved);
    update.redraws = who.kind == OperationKind::refresh && who.traits.full;
    update.always = !who.guard;
    return update;
  }

  Slots slots_behind(Value value) const {
    Slots found;
    each(a_.leaves(value), [&](std::int32_t leaf) {
      if (!a_.is_slot(leaf)) return;
      const std::int32_t slot = a_.graph[Value{leaf}].variable.id;
      if (all_.count(slot) != 0) found.insert(slot);
    });
    return found;
  }

  /// A parameter that follows what the law leaves out makes the kernel one given that, too.
  Verdict parameters() const {
    Verdict v = fine(Rule::collapsed, "no parameter follows what is integrated out");
    for (const CollapsedUpdate& u : updates_) {
      for (const OperationInfo* part : a_.parts(u.transition)) {
        for (const Input& input : part->inputs) {
          if (!is_parameter(input.role)) continue;
          const Slots beyond = minus(slots_behind(input.value), both(u.moved, u.given));
          if (beyond.empty()) continue;
          join(v, collapsed(u.transition,
                            fmt::format("a parameter reads `{}`, which the law of the update "
                                        "integrates out",
                                        name(*beyond.begin()))));
        }
      }
    }
    return v;
  }

  Verdict collapsed(std::size_t t, std::string reason) const {
    return cited(biased(Rule::collapsed, a_.info(t).name, true, std::move(reason)), theorem);
  }

  const std::string& name(std::int32_t slot) const { return a_.graph[Variable{slot}].name; }

  /// As messages say it: the operation's path without its last part.
  std::string label(const CollapsedUpdate& u) const {
    const std::string& operation = a_.info(u.transition).name;
    return operation.substr(0, operation.find('/'));
  }

  std::optional<Fault> first_fault(const std::vector<std::size_t>& order) const {
    Slots right = all_;
    std::size_t left_by = 0;
    for (const std::size_t k : order) {
      const CollapsedUpdate& u = updates_[k];
      const Slots needed = u.redraws ? u.given : both(u.given, u.moved);
      if (!is_subset(needed, right)) {
        return Fault{u.transition, misread(u, *minus(needed, right).begin(), updates_[left_by])};
      }
      const Slots after = both(u.moved, u.given);
      if (after != all_) left_by = k;
      right = u.always ? after : both_right(right, after);
    }
    if (right == all_) return std::nullopt;
    const CollapsedUpdate& by = updates_[left_by];
    return Fault{by.transition,
                 fmt::format("`{}` is integrated out of the update `{}`, and not drawn anew before "
                             "the sweep ends",
                             name(*minus(all_, right).begin()), label(by))};
  }

  static Slots both_right(const Slots& a, const Slots& b) {
    Slots common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                          std::inserter(common, common.end()));
    return common;
  }

  std::string misread(const CollapsedUpdate& u, std::int32_t slot,
                      const CollapsedUpdate& by) const {
    return fmt::format(
        "the update `{}` {} `{}`, which was integrated out of the update `{}` and has not been "
        "drawn anew since",
        label(u), u.moved.count(slot) != 0 ? "starts from" : "reads", name(slot), label(by));
  }

  std::string cure() const {
    const std::string lacking =
        "draw what is integrated out from its law given the rest, right after it";
    if (updates_.size() > most_ordered) return lacking;
    std::vector<std::size_t> order(updates_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      if (first_fault(order)) continue;
      std::vector<std::string> names;
      for (const std::size_t k : order) names.push_back(label(updates_[k]));
      return fmt::format("a right order is {}", fmt::join(names, ", "));
    } while (std::next_permutation(order.begin(), order.end()));
    return "no order of these updates is right: " + lacking;
  }

  const Analysis& a_;
  Slots all_;
  std::vector<CollapsedUpdate> updates_;
};

}  // namespace

Verdict judge_collapsed(const Analysis& a, const Factor& factor) {
  return CollapsedRules(a, factor).judge();
}

}  // namespace mixwell
