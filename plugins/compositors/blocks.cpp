// Kernels on parts of a model, each given the rest.
// SPDX-License-Identifier: Apache-2.0
#include "blocks/marginal.hpp"
#include "blocks/partition.hpp"
#include "parts.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace mixwell;
using blocks::Partition;
using blocks::Selection;

const std::string position_name = "theta";

struct Update {
  std::vector<std::string> parameters;
  std::vector<std::string> without;
  std::shared_ptr<const Kernel> kernel;
  std::int64_t every = 1;
  double weight = 1.0;

  void declare(Fields& fields) {
    fields.texts("parameters", parameters)
        .required()
        .help("what it moves: names, elements z[3] or slices z[0:10], w[3,:], from 0 as in Python");
    fields.texts("without", without)
        .help(
            "parameters that its law integrates out, where the model offers that; they must be "
            "drawn anew (kernel conditional) before anything reads them");
    fields.component("kernel", kernel).or_default("nuts").help("the transition that moves it");
    fields.integer("every", every)
        .at_least(1)
        .at_most(1e9)
        .help("it runs in every n-th sweep; scan = fixed");
    fields.number("weight", weight)
        .above(0)
        .help("how often it is chosen, up to a common factor; scan = random");
  }
};

enum class Scan { fixed, random, simultaneous };

class Blocks final : public Compositor {
 public:
  struct Params {
    std::shared_ptr<const Model> model;
    std::deque<Update> updates;
    std::string scan = "fixed";
    std::vector<std::string> fixed;

    void declare(Fields& fields) {
      fields.component("model", model).help("what to sample");
      fields.tables("update", updates).required().help("the updates, in the order of a sweep");
      fields.text("scan", scan)
          .one_of({"fixed", "random", "simultaneous"})
          .help(
              "fixed: all updates in their order; random: one of them in each sweep; simultaneous: "
              "all given what the rest was before the sweep, which is wrong unless blocks are "
              "independent, for comparison");
      fields.texts("fixed", fixed).help("what stays where it starts; by default nothing");
    }
  };

  explicit Blocks(const Params& params)
      : model_(params.model),
        updates_(params.updates),
        scan_(scan_of(params.scan)),
        labels_(labels_of(params.updates)) {
    select(params);
    check_all_moved();
    for (std::size_t k = 0; k < updates_.size(); ++k) check_turn(k);
    if (scan_ == Scan::simultaneous) check_apart();
    integrate_out();
    partition_ = blocks::partition(selections_);
  }

  void compose(KernelGraph& graph, PhaseKind phase) const override {
    const Value target = target_law(graph, model_->name(), model_);
    const std::vector<Variable> slots = add_slots(graph);
    graph.factor(target, slots);
    const std::vector<Guard> guards = turns(graph);
    std::vector<Site> sites;
    std::map<std::vector<std::size_t>, Variable> joined;
    for (std::size_t k = 0; k < updates_.size(); ++k) {
      sites.push_back(site(graph, k, target, slots, joined, phase));
      if (scan_ == Scan::simultaneous) set_law(graph, k, slots, sites[k]);
    }
    for (std::size_t k = 0; k < updates_.size(); ++k) update(graph, k, slots, guards[k], sites[k]);
    parts::record_whole(graph, labels_, guards);
    record_position(graph, position_name, 0, model_, target, last_potential(graph, guards, sites));
  }
  const Model& model() const noexcept override { return *model_; }
  std::vector<std::string> slots() const override { return {position_name}; }

 private:
  static Scan scan_of(const std::string& word) {
    if (word == "fixed") return Scan::fixed;
    return word == "random" ? Scan::random : Scan::simultaneous;
  }

  static std::vector<std::string> labels_of(const std::deque<Update>& updates) {
    std::vector<std::shared_ptr<const Kernel>> kernels;
    for (const Update& update : updates) kernels.push_back(update.kernel);
    return parts::labels(kernels);
  }

  static std::string key_of(std::size_t update, const std::string& key) {
    return "update[" + std::to_string(update) + "]." + key;
  }

  /// Coordinates of one name or slice; the key is that of the text.
  std::vector<Index> coordinates_of(const std::string& text, const std::string& key) const {
    try {
      return select_coordinates(model_->parameters(), text);
    } catch (const InputError& fault) {
      throw ParameterError(key, fault.what());
    }
  }

  /// All of a list, each coordinate once.
  std::vector<Index> coordinates_of(const std::vector<std::string>& texts,
                                    const std::string& key) const {
    std::vector<Index> all;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string at = key + "[" + std::to_string(i) + "]";
      for (const Index c : coordinates_of(texts[i], at)) {
        const auto place = std::lower_bound(all.begin(), all.end(), c);
        if (place != all.end() && *place == c) {
          throw ParameterError(at, "names " + name_of(c) + ", which stands in this list already");
        }
        all.insert(place, c);
      }
    }
    return all;
  }

  std::string name_of(Index coordinate) const {
    return "`" + coordinate_names(model_->parameters())[static_cast<std::size_t>(coordinate)] + "`";
  }

  static std::string joined_text(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
    return all;
  }

  void select(const Params& params) {
    for (std::size_t k = 0; k < updates_.size(); ++k) {
      const auto& names = updates_[k].parameters;
      selections_.push_back(
          {joined_text(names), labels_[k], coordinates_of(names, key_of(k, "parameters"))});
    }
    if (params.fixed.empty()) return;
    Selection fixed{joined_text(params.fixed), "", coordinates_of(params.fixed, "fixed")};
    for (const Selection& moved : selections_) {
      for (const Index c : fixed.coordinates) {
        if (!std::binary_search(moved.coordinates.begin(), moved.coordinates.end(), c)) continue;
        throw ParameterError("fixed", name_of(c) + " is moved by the update of `" + moved.name +
                                          "`; leave it out here or there");
      }
    }
    selections_.push_back(std::move(fixed));
  }

  void check_all_moved() const {
    std::vector<bool> known(static_cast<std::size_t>(model_->dimension()), false);
    for (const Selection& one : selections_) {
      for (const Index c : one.coordinates) known[static_cast<std::size_t>(c)] = true;
    }
    const auto missing = std::find(known.begin(), known.end(), false);
    if (missing == known.end()) return;
    throw ParameterError("update", "no update moves " + name_of(missing - known.begin()) +
                                       "; add it to one, or to `fixed` if it is to stay where it "
                                       "starts");
  }

  void check_turn(std::size_t k) const {
    if (scan_ != Scan::fixed && updates_[k].every != 1) {
      throw ParameterError(key_of(k, "every"),
                           "counts sweeps of a fixed order; with this `scan` "
                           "leave it out (random: give `weight`)");
    }
    if (scan_ != Scan::random && updates_[k].weight != 1.0) {
      throw ParameterError(key_of(k, "weight"),
                           "is for scan = \"random\"; in an order that is given use `every`");
    }
  }

  void check_apart() const {
    for (std::size_t k = 0; k < updates_.size(); ++k) {
      for (std::size_t i = 0; i < k; ++i) {
        std::vector<Index> both;
        std::set_intersection(selections_[i].coordinates.begin(), selections_[i].coordinates.end(),
                              selections_[k].coordinates.begin(), selections_[k].coordinates.end(),
                              std::back_inserter(both));
        if (both.empty()) continue;
        throw ParameterError(key_of(k, "parameters"),
                             name_of(both.front()) + " is moved by update[" + std::to_string(i) +
                                 "] at the same time; with scan = \"simultaneous\" an element is "
                                 "in one update, with \"fixed\" in any number");
      }
    }
  }

  /// What updates integrate out are slots of their own.
  void integrate_out() {
    marginals_.resize(updates_.size());
    for (std::size_t k = 0; k < updates_.size(); ++k) {
      const auto& names = updates_[k].without;
      if (names.empty()) continue;
      const std::string key = key_of(k, "without");
      Selection out{joined_text(names), labels_[k] + " without", coordinates_of(names, key)};
      for (const Index c : out.coordinates) {
        const auto& moved = selections_[k].coordinates;
        if (!std::binary_search(moved.begin(), moved.end(), c)) continue;
        throw ParameterError(key, name_of(c) +
                                      " is moved by this update, which cannot integrate "
                                      "it out; name other parameters");
      }
      marginals_[k] = Marginal{offered(out.coordinates, key), selections_.size()};
      selections_.push_back(std::move(out));
    }
  }

  /// Which of the model's marginal laws is without exactly these.
  std::size_t offered(const std::vector<Index>& coordinates, const std::string& key) const {
    const MarginalLaws* const laws = model_->as_marginal_laws();
    if (laws == nullptr) {
      throw ParameterError(key, "model `" + model_->name() + "` knows no law with parameters " +
                                    "integrated out; leave `without` out");
    }
    const auto all = laws->integrable();
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (select_coordinates(model_->parameters(), all[k]) == coordinates) return k;
    }
    throw ParameterError(key, "model `" + model_->name() + "` can integrate out " +
                                  blocks::listed(all) + ", and nothing else");
  }

  std::vector<Variable> add_slots(KernelGraph& graph) const {
    std::vector<Variable> slots;
    for (const blocks::SlotPlan& plan : partition_.slots) {
      slots.push_back(graph.part(plan.name, position_name, plan.coordinates, plan.fixed));
    }
    return slots;
  }

  /// When each update runs.
  std::vector<Guard> turns(KernelGraph& graph) const {
    std::vector<Guard> guards(updates_.size());
    if (scan_ == Scan::random && updates_.size() > 1) {
      std::vector<double> weights;
      for (const Update& one : updates_) weights.push_back(one.weight);
      const Value choice = parts::draw_branch(graph, parts::ends_of_shares(std::move(weights)));
      parts::record_branch(graph, choice);
      for (std::size_t k = 0; k < guards.size(); ++k) guards[k] = {choice, static_cast<Index>(k)};
    }
    for (std::size_t k = 0; k < guards.size(); ++k) {
      if (updates_[k].every > 1) guards[k] = {turn(graph, k), 0};
    }
    return guards;
  }

  /// 0 in every n-th sweep, else 1.
  Value turn(KernelGraph& graph, std::size_t k) const {
    const auto every = static_cast<std::uint64_t>(updates_[k].every);
    return add_operation(
               graph, labels_[k] + "/turn", OperationKind::pure, {},
               [every](Columns& block, edge::Out<parts::Branch> out) {
                 out.setConstant(block.sweep() % every == 0 ? 0.0 : 1.0);
               },
               Write<parts::Branch>{Output::derived(labels_[k] + "/turn", 1)})
        .value;
  }

  /// The slot of update k, or what joins its slots.
  Site site(KernelGraph& graph, std::size_t k, Value target, const std::vector<Variable>& slots,
            std::map<std::vector<std::size_t>, Variable>& joined, PhaseKind phase) const {
    const std::vector<std::size_t>& own = partition_.of_selection[k];
    Site site;
    site.path = labels_[k];
    site.label = labels_[k];
    site.phase = phase;
    site.target = target;
    site.slot = slots[own.front()];
    if (own.size() == 1) return site;
    const auto known = joined.find(own);
    if (known != joined.end()) {
      site.slot = known->second;
      return site;
    }
    std::vector<Variable> parts;
    for (const std::size_t s : own) parts.push_back(slots[s]);
    site.slot = graph.joined(selections_[k].name, std::move(parts));
    joined.emplace(own, site.slot);
    return site;
  }

  /// Slot s is moved by update k, or integrated out of its law.
  bool is_left_out(std::size_t k, std::size_t s) const {
    const auto holds = [&](std::size_t selection) {
      const auto& own = partition_.of_selection[selection];
      return std::find(own.begin(), own.end(), s) != own.end();
    };
    return holds(k) || (marginals_[k] && holds(marginals_[k]->selection));
  }

  /// Its law given all other slots as they are now, but for those that it integrates out.
  void set_law(KernelGraph& graph, std::size_t k, const std::vector<Variable>& slots,
               Site& site) const {
    std::vector<Value> rest;
    for (std::size_t s = 0; s < slots.size(); ++s) {
      if (!is_left_out(k, s)) rest.push_back(graph.current(slots[s]));
    }
    Value law = site.target;
    if (const auto& marginal = marginals_[k]) {
      law = blocks::marginal_law(graph, labels_[k] + "/marginal", law, model_, marginal->which);
    } else if (rest.empty()) {
      return;
    }
    site.part = {law, rest};
    site.target = conditional_law(graph, labels_[k] + "/given-the-rest", law, site.slot, rest);
  }

  void update(KernelGraph& graph, std::size_t k, const std::vector<Variable>& slots,
              const Guard& guard, Site& site) const {
    const bool is_joined = !graph[site.slot].parts.empty();
    if (is_joined) graph.gather(site.slot);
    graph.set_guard(guard);
    if (scan_ != Scan::simultaneous) set_law(graph, k, slots, site);
    updates_[k].kernel->describe(graph, site);
    graph.set_guard();
    if (is_joined) graph.scatter(site.slot);
  }

  /// U after the last update, if that runs in every sweep, sees the newest rest, and leaves its U.
  Value last_potential(const KernelGraph& graph, const std::vector<Guard>& guards,
                       const std::vector<Site>& sites) const {
    if (scan_ == Scan::simultaneous || guards.back() || marginals_.back()) return {};
    return graph.cached(sites.back().target, sites.back().slot).u;
  }

  /// What an update integrates out.
  struct Marginal {
    std::size_t which;      ///< of the model's marginal laws
    std::size_t selection;  ///< of the parameters
  };

  std::shared_ptr<const Model> model_;
  std::deque<Update> updates_;
  Scan scan_;
  std::vector<std::string> labels_;
  /// Of the updates, then what is fixed, if anything is, then what updates integrate out.
  std::vector<Selection> selections_;
  std::vector<std::optional<Marginal>> marginals_;  ///< by update
  Partition partition_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Blocks>(
      {.id = "blocks",
       .summary = "kernels on parts of a model, one after another, each given the rest",
       .details =
           "Each table [[compositor.NAME.update]] has `parameters`, names and slices of the "
           "model's "
           "parameters, and the `kernel` that moves them: its law is U of the model with all "
           "other parameters at their current values. Kernels have estimators and oracles of their "
           "own, and learn for themselves; blocks may overlap. A sweep is all updates in their "
           "order (scan = \"fixed\", an update with `every` = n in every n-th sweep) or one of "
           "them, chosen with probabilities proportional to `weight` (\"random\"). An evaluation "
           "of a block is one of the whole U. Statistics are recorded as KERNEL_NAME, and for the "
           "sweep as a whole acceptance_rate (mean) and diverging (any).",
       .sources = {"Geman & Geman 1984, IEEE Trans. PAMI 6", "Tierney 1994, Ann. Stat. 22"}});
}
