// Rule G: updates by a law with other slots integrated out, and in which order they are right.
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
  CollapsedRules(const Analysis& a, const Factor& factor)
      : a_(a), all_(a.graph.variables().size()) {
    for (const Variable slot : factor.slots) all_.set(index(slot));
    for (std::size_t t = 0; t < a.all.size(); ++t) {
      if (const auto update = update_of(t, factor)) updates_.push_back(*update);
    }
  }

  Verdict judge() const {
    Verdict v =
        fine(Rule::collapsed, "what an update integrates out is drawn anew before it is read");
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

  /// A parameter that follows what the law leaves out makes the kernel one given that, too.
  Verdict parameters() const {
    Verdict v = fine(Rule::collapsed, "no parameter follows what is integrated out");
    for (const CollapsedUpdate& u : updates_) {
      for (const auto& [part, input] : a_.inputs(u.transition)) {
        if (!is_parameter(input.role)) continue;
        const Slots beyond = slots_behind(input.value) - u.moved - u.given;
        if (beyond.none()) continue;
        join(v, collapsed(u.transition,
                          fmt::format("a parameter reads `{}`, which the law of the update "
                                      "integrates out",
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
      const Slots after = u.moved | u.given;
      const Slots lacking = (u.redraws ? u.given : after) - right;
      if (lacking.any()) return Fault{u.transition, misread(u, lacking, updates_[left_by])};
      if (after != all_) left_by = k;
      right = u.always ? after : right & after;
    }
    if (right == all_) return std::nullopt;
    const CollapsedUpdate& by = updates_[left_by];
    return Fault{by.transition,
                 fmt::format("`{}` is integrated out of the update `{}`, and not drawn anew before "
                             "the sweep ends",
                             first_name(all_ - right), label(by))};
  }

  std::string misread(const CollapsedUpdate& u, const Slots& lacking,
                      const CollapsedUpdate& by) const {
    return fmt::format(
        "the update `{}` {} `{}`, which was integrated out of the update `{}` and has not been "
        "drawn anew since",
        label(u), u.moved.test(lacking.find_first()) ? "starts from" : "reads", first_name(lacking),
        label(by));
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
