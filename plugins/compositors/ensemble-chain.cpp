// Compositor `ensemble-chain`: each slot has a preconditioner fitted to the values of the others.
// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"
#include "provided_memory.hpp"

#include <mixwell/plugin.hpp>

#include <string>
#include <vector>

namespace {

using namespace mixwell;

enum class Schedule { sequential, two_groups, simultaneous };
enum class Fitted { to_others, to_all, to_own_history, to_updates };

class EnsembleChain final : public Compositor {
 public:
  struct Params {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Kernel> kernel;
    std::int64_t slots = 5;
    std::string schedule = "sequential";
    std::string memory = "others";
    std::int64_t history = 10;
    bool freeze_after_warmup = false;

    void declare(Fields& fields) {
      fields.component("model", model).help("the model that every slot samples");
      fields.component("kernel", kernel).help("the kernel that moves each slot");
      fields.integer("slots", slots)
          .at_least(1)
          .at_most(1000)
          .help("K, the size of the ensemble; each slot is one chain of the results");
      fields.text("schedule", schedule)
          .one_of({"sequential", "two-groups", "simultaneous"})
          .only_with("memory", {"others", "all"})
          .help(
              "which values of the slots an update uses (`simultaneous` gives biased draws; only "
              "for comparison)");
      fields.text("memory", memory)
          .one_of({"others", "all", "own-history", "published"})
          .help(
              "points to which a slot's preconditioner is fitted (`all` gives biased draws; only "
              "for comparison)");
      fields.integer("history", history)
          .at_least(2)
          .at_most(10000)
          .only_with("memory", {"own-history", "published"})
          .help("number of points to keep; with memory = published, the number of pairs plus 1");
      fields.flag("freeze_after_warmup", freeze_after_warmup)
          .help("freeze the memory of every slot at the end of warmup");
    }
  };
  explicit EnsembleChain(const Params& params)
      : model_(params.model),
        kernel_(params.kernel),
        slots_(static_cast<Index>(params.slots)),
        schedule_(params.schedule == "two-groups"     ? Schedule::two_groups
                  : params.schedule == "simultaneous" ? Schedule::simultaneous
                                                      : Schedule::sequential),
        fitted_(params.memory == "all"           ? Fitted::to_all
                : params.memory == "own-history" ? Fitted::to_own_history
                : params.memory == "published"   ? Fitted::to_updates
                                                 : Fitted::to_others),
        history_(static_cast<Index>(params.history)),
        freezes_(params.freeze_after_warmup),
        memory_key_(params.memory != "others"         ? "memory"
                    : params.schedule != "sequential" ? "schedule"
                    : params.freeze_after_warmup      ? "freeze_after_warmup"
                                                      : "") {
    if (slots_ == 1 && params.memory == "others") {
      throw ParameterError("slots",
                           "must be at least 2 for memory = \"others\", because a single slot has "
                           "no other slots.");
    }
  }

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    if (!memory_key_.empty())
      provided_memory::require_reader(memory_key_, {kernel_}, model_, phase);
    const Value target = target_law(graph, model_->name(), model_);
    std::vector<PositionSlots> slots;
    for (const std::string& name : this->slots()) {
      slots.push_back(add_position(graph, name, *model_, {kernel_}));
      graph.factor(target, slots.back().slots);
      gather_position(graph, slots.back());
    }
    MemoryValues before;
    if (schedule_ == Schedule::simultaneous) before = memory_of(graph, target, slots, all_slots());
    for (Index i = 0; i < slots_; ++i) {
      const PositionSlots& own = slots[static_cast<std::size_t>(i)];
      Site site = parts::site(*kernel_, own.whole, i, target, phase);
      if (fitted_ == Fitted::to_own_history) {
        see_own_history(graph, site);
      } else if (fitted_ == Fitted::to_updates) {
        see_own_updates(site);
      } else {
        const std::vector<Index> seen = seen_by(i);
        site.memory = schedule_ == Schedule::simultaneous ? chosen(before, seen)
                                                          : memory_of(graph, target, slots, seen);
        if (freezes_) freeze_memory(graph, site);
      }
      kernel_->describe(graph, site);
      scatter_position(graph, own);
      gather_position(graph, own);
    }
    for (Index i = 0; i < slots_; ++i) {
      record_position(graph, slots[static_cast<std::size_t>(i)], i, model_, target);
    }
  }
  const Model& model() const noexcept override { return *model_; }
  std::vector<std::string> slots() const override { return parts::numbered(slots_); }

 private:
  std::vector<Index> all_slots() const {
    std::vector<Index> all;
    for (Index i = 0; i < slots_; ++i) all.push_back(i);
    return all;
  }

  /// Whether slot i is in the first half of the ensemble.
  bool in_first_group(Index i) const { return i < slots_ / 2; }

  /// The slots whose values the update of slot i uses, in the order of their last updates. The slot
  /// updated longest ago is first.
  std::vector<Index> seen_by(Index i) const {
    std::vector<Index> seen;
    for (Index k = 1; k <= slots_; ++k) {
      const Index j = (i + k) % slots_;
      if (j == i && fitted_ != Fitted::to_all) continue;
      if (schedule_ == Schedule::two_groups && j != i && in_first_group(i) == in_first_group(j)) {
        continue;
      }
      seen.push_back(j);
    }
    return seen;
  }

  static MemoryValues memory_of(KernelGraph& graph, Value target,
                                const std::vector<PositionSlots>& slots,
                                const std::vector<Index>& seen) {
    MemoryValues memory;
    for (const Index j : seen)
      provided_memory::see(graph, target, slots[static_cast<std::size_t>(j)].whole, memory);
    return memory;
  }

  static MemoryValues chosen(const MemoryValues& all, const std::vector<Index>& seen) {
    MemoryValues memory;
    for (const Index j : seen) {
      memory.points.push_back(all.points[static_cast<std::size_t>(j)]);
      memory.gradients.push_back(all.gradients[static_cast<std::size_t>(j)]);
      memory.potentials.push_back(all.potentials[static_cast<std::size_t>(j)]);
    }
    return memory;
  }

  /// A window of points from accepted trajectories.
  void see_own_history(KernelGraph& graph, Site& site) const {
    site.history = add_point_history(graph, site.path + "/history", model_->dimension(), history_);
    site.fit_to = FitTo::history;
    if (site.phase == PhaseKind::warmup || !freezes_) site.remember = Remember::path;
  }

  /// The matrix B of QNHMC (Algorithm 2 and section 3.5). An accepted trajectory updates B, and a
  /// rejected trajectory leaves B unchanged.
  void see_own_updates(Site& site) const {
    site.history.points = history_;
    site.fit_to = FitTo::updates;
    if (site.phase == PhaseKind::warmup || !freezes_) site.remember = Remember::updates;
  }

  static void freeze_memory(KernelGraph& graph, Site& site) {
    const auto points = static_cast<Index>(site.memory.points.size());
    site.history = add_point_history(graph, site.path + "/memory", graph[site.slot].rows, points);
    if (site.phase == PhaseKind::warmup) {
      site.remember = Remember::memory;
    } else {
      site.fit_to = FitTo::history;
    }
  }

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Kernel> kernel_;
  Index slots_;
  Schedule schedule_;
  Fitted fitted_;
  Index history_;
  bool freezes_;
  std::string memory_key_;  ///< the first key that asks for a memory other than the default
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<EnsembleChain>(
      {.id = "ensemble-chain",
       .summary =
           "K slots, each moved with a preconditioner that is fitted to the values of the others",
       .details =
           "The joint target is the product of K copies of the model's density pi. The update of "
           "slot i uses the current values of other slots. Their positions and gradients are the "
           "memory to which an estimator fits the preconditioner. The update does not change this "
           "memory, so the memory only selects one kernel among kernels that all leave pi "
           "invariant. With schedule = \"sequential\" the memory is the current values of all "
           "other slots, whether they were already updated in this sweep or not. With "
           "\"two-groups\" the slots form two halves, and the preconditioners of one half are "
           "fitted to the values of the other half. So the updates of one half are independent of "
           "each other and could run in parallel. With \"simultaneous\" all slots use the values "
           "from before the sweep. Each draw of the ensemble gives one draw for each of K chains, "
           "where chain = replicate * K + slot. With memory = \"all\" the memory includes the "
           "slot's own value. With memory = \"own-history\" or \"published\" a slot does not use "
           "the values of other slots, and its preconditioner depends on its own past. With "
           "\"own-history\" the memory is the last points of the slot's accepted trajectories, or "
           "only their end points if the number of steps varies. With \"published\" the estimator "
           "`bfgs` keeps one matrix, and updates it with each step of an accepted trajectory. A "
           "limited-memory estimator uses the last accepted positions instead. The published proof "
           "that such a kernel leaves pi invariant is wrong: on U = theta^4 / 4 the chain freezes "
           "near the mode. If the preconditioner is frozen after warmup, the kernel leaves pi "
           "invariant, but the chain may remain near the mode. The estimator's key `eigenvalues` "
           "limits the spectrum of the preconditioner, which helps to avoid this.",
       .sources = {"Zhang & Sutton 2011, NIPS 24 (ensemble chain adaptation)",
                   "Fu, Luo & Zhang 2016, AAAI, Algorithm 2 and section 3.5 (memory = "
                   "\"published\"). The paper prints the acceptance ratio upside down. Mixwell "
                   "leaves out the update before the first step, because no step has given a pair "
                   "yet."},
       .provides_memory = true,
       .memory_of_one_chain = "slots = 1, memory = \"own-history\", freeze_after_warmup = true"});
}
