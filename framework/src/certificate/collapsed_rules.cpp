// Rule G: updates whose law has slots integrated out, and the valid orders of such updates.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

using Slots = IdSet;  ///< by variable

/// One update of slots of a factor.
struct CollapsedUpdate {
  std::size_t transition = 0;
  Slots moved;
  Slots given;           ///< the other slots that the law of the update reads
  bool redraws = false;  ///< whether the old values of the moved slots have no effect
  bool always = true;    ///< whether the update runs in every sweep and column
};

/// The slots whose joint law is right. Before an update of W given R, the set must include R. It
/// must also include W unless the update draws W again. A kernel that leaves the law of W given R
/// invariant then also leaves the joint law of W and R invariant. The slots that the kernel
/// integrated out still belong to the old values of W. So after the update only W and R are right.
/// At the end of a sweep all slots must be right.
class CollapsedRules {
 public:
  CollapsedRules(const Analysis& a, const Factor& factor)
      : a_(a), all_(a.graph.variables().size()) {
    for (const Variable slot : factor.slots) all_.set(index(slot));
    for (std::size_t t = 0; t < a.all.size(); ++t) {
      if (const auto update = update_of(t, factor)) updates_.push_back(*update);
    }
  }

  Verdict judge() const {
    Verdict v = fine(Rule::collapsed,
                     "slots that an update integrates out are drawn again before they are read");
    const bool collapses =
        std::ranges::any_of(updates_, [&](const auto& u) { return (u.moved | u.given) != all_; });
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
    CollapsedUpdate update{.transition = t, .moved = Slots(all_.size()), .given = {}};
    for (const Variable v : a_.all[t].writes) update.moved.set(index(v));
    update.moved &= all_;
    if (update.moved.none()) return std::nullopt;
    update.given = Slots(all_.size());
    const OperationInfo& who = a_.info(t);
    for (const Value law : a_.laws_with(factor, who)) update.given |= slots_behind(law);
    update.given -= update.moved;
    update.redraws = who.kind == OperationKind::refresh && who.traits.full;
    update.always = !who.guard;
    return update;
  }

  Slots slots_behind(Value value) const { return a_.slots_among(a_.leaves(value)) & all_; }

  /// If a parameter depends on a slot that the law leaves out, the kernel is conditional on this
  /// slot too.
  Verdict parameters() const {
    Verdict v = fine(
        Rule::collapsed,
        "no parameter of an update depends on a slot that is integrated out of the update's law");
    for (const CollapsedUpdate& u : updates_) {
      for (const auto& [part, input] : a_.inputs(u.transition)) {
        if (!is_parameter(input.role)) continue;
        const Slots beyond = slots_behind(input.value) - u.moved - u.given;
        if (beyond.none()) continue;
        join(v,
             collapsed(u.transition, fmt::format("a parameter of the update depends on `{}`, which "
                                                 "is integrated out of the law of the update",
                                                 first_name(beyond))));
      }
    }
    return v;
  }

  Verdict collapsed(std::size_t t, std::string reason) const {
    return cited(biased(Rule::collapsed, a_.info(t).name, true, std::move(reason)), theorem);
  }

  const std::string& first_name(const Slots& of) const {
    return a_.graph.variables()[of.find_first()].name;
  }

  /// The name of an update in messages: the first part of the operation's path.
  std::string label(const CollapsedUpdate& u) const {
    const std::string& operation = a_.info(u.transition).name;
    return operation.substr(0, operation.find('/'));
  }

  std::optional<Fault> first_fault(const std::vector<std::size_t>& order) const {
    Slots right = all_;
    std::size_t left_by = 0;
    for (const std::size_t k : order) {
      const CollapsedUpdate& u = updates_[k];
      const Slots after = u.moved | u.given;
      const Slots lacking = (u.redraws ? u.given : after) - right;
      if (lacking.any()) return Fault{u.transition, misread(u, lacking, updates_[left_by])};
      if (after != all_) left_by = k;
      right = u.always ? after : right & after;
    }
    if (right == all_) return std::nullopt;
    const CollapsedUpdate& by = updates_[left_by];
    return Fault{by.transition, fmt::format("`{}` is integrated out of the law of the update `{}` "
                                            "and is not drawn again before the sweep ends",
                                            first_name(all_ - right), label(by))};
  }

  std::string misread(const CollapsedUpdate& u, const Slots& lacking,
                      const CollapsedUpdate& by) const {
    return fmt::format(
        "the update `{}` {} `{}`. This slot was integrated out of the law of the update `{}` and "
        "has not been drawn again since",
        label(u), u.moved.test(lacking.find_first()) ? "starts from" : "reads", first_name(lacking),
        label(by));
  }

  std::string cure() const {
    const std::string lacking =
        "draw integrated-out slots from their law given all other slots, directly after the update "
        "that integrates them out";
    if (updates_.size() > most_ordered) return lacking;
    std::vector<std::size_t> order(updates_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      if (first_fault(order)) continue;
      std::vector<std::string> names;
      for (const std::size_t k : order) names.push_back(label(updates_[k]));
      return fmt::format("the updates are valid in the order {}", fmt::join(names, ", "));
    } while (std::next_permutation(order.begin(), order.end()));
    return "these updates are not valid in any order: " + lacking;
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
