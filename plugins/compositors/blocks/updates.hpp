// Updates of parts of a position, for compositor `blocks` and kernel `blocks`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../kernels/model-part/model_part.hpp"
#include "../parts.hpp"
#include "marginal.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::blocks {

struct Update {
  std::vector<std::string> parameters;
  std::vector<std::string> without;
  std::shared_ptr<const Kernel> kernel;
  std::int64_t every = 1;
  double weight = 1.0;

  void declare(Fields& fields) {
    fields.texts("parameters", parameters)
        .required()
        .selects_coordinates()
        .help(
            "parameters to move: names, elements z[3] or z[Ulm] (a label), and slices z[0:10], "
            "w[3,:]");
    fields.texts("without", without)
        .help(
            "parameters to integrate out of this update's target density, if the model can do so");
    fields.component("kernel", kernel)
        .or_default("nuts")
        .help("the kernel that moves these parameters");
    fields.integer("every", every)
        .at_least(1)
        .at_most(1e9)
        .help("period n: run this update in every n-th sweep (only with scan = fixed)");
    fields.number("weight", weight)
        .above(0)
        .help("relative probability of this update (only with scan = random)");
  }
};

/// The keys of both compositor and kernel `blocks`.
struct Params {
  std::shared_ptr<const Model> model;
  std::deque<Update> updates;
  std::string scan = "fixed";
  std::vector<std::string> fixed;

  void declare(Fields& fields) {
    fields.component("model", model).help("the model to sample");
    fields.tables("update", updates).required().help("the updates, in the order of a sweep");
    fields.text("scan", scan)
        .one_of({"fixed", "random", "simultaneous"})
        .help(
            "which updates a sweep runs: all in their order, one at random, or all simultaneously");
    fields.texts("fixed", fixed)
        .selects_coordinates()
        .help("parameters that stay at their initial values; by default none");
  }
};

/// The kernel or compositor that has the updates.
struct Owner {
  std::string key;  ///< key of the owner in the manifest: "compositor.main"
  /// The site of the owner. Its law and memory are for whole positions; its slot is not used.
  Site site;
  std::vector<Variable> slots;
};

enum class Scan { fixed, random, simultaneous };

class Updates {
 public:
  explicit Updates(const Params& params)
      : model_(params.model),
        updates_(params.updates),
        scan_(scan_of(params.scan)),
        labels_(labels_of(params.updates)) {
    select(params);
    check_all_moved();
    for (std::size_t k = 0; k < updates_.size(); ++k) check_turn(k);
    if (scan_ == Scan::simultaneous) check_apart();
    integrate_out();
  }

  const std::shared_ptr<const Model>& model() const noexcept { return model_; }
  /// The blocks of the updates, then the fixed block if there is one, then the blocks that updates
  /// integrate out. Each block has its own slots.
  const std::vector<PositionBlock>& blocks() const noexcept { return blocks_; }

  /// Adds all updates and their statistics. Returns U after the last update, or an empty value if U
  /// is not known.
  Value describe(KernelGraph& graph, const Owner& owner) const {
    const Guard outer = graph.set_guard();
    const std::vector<Guard> guards = turns(graph, owner.site, outer);
    std::vector<Site> sites;
    std::map<std::vector<std::int32_t>, Variable> joined;
    for (std::size_t k = 0; k < updates_.size(); ++k) {
      sites.push_back(site(graph, k, owner, joined));
      if (scan_ == Scan::simultaneous) set_law(graph, k, owner, sites[k]);
    }
    for (std::size_t k = 0; k < updates_.size(); ++k) update(graph, k, owner, guards[k], sites[k]);
    parts::record_whole(graph, owner.site, labels_, guards);
    graph.set_guard(outer);
    return last_potential(graph, guards, sites);
  }

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

  /// Coordinates of one name or slice. `key` is the key that holds the text.
  std::vector<Index> coordinates_of(const std::string& text, const std::string& key) const {
    try {
      return select_coordinates(model_->parameters(), text);
    } catch (const InputError& fault) {
      throw ParameterError(key, fault.what());
    }
  }

  /// All coordinates that the texts of a list select. A coordinate may occur only once.
  std::vector<Index> coordinates_of(const std::vector<std::string>& texts,
                                    const std::string& key) const {
    std::vector<Index> all;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string at = key + "[" + std::to_string(i) + "]";
      for (const Index c : coordinates_of(texts[i], at)) {
        const auto place = std::lower_bound(all.begin(), all.end(), c);
        if (place != all.end() && *place == c) {
          throw ParameterError(
              at, "names " + name_of(c) + ", which is already in this list. Name it only once.");
        }
        all.insert(place, c);
      }
    }
    return all;
  }

  std::string name_of(Index coordinate) const {
    return "`" + coordinate_names(model_->parameters())[static_cast<std::size_t>(coordinate)] + "`";
  }

  void select(const Params& params) {
    for (std::size_t k = 0; k < updates_.size(); ++k) {
      const auto& names = updates_[k].parameters;
      blocks_.push_back(
          {model_part::joined(names), labels_[k], coordinates_of(names, key_of(k, "parameters"))});
    }
    if (params.fixed.empty()) return;
    PositionBlock fixed{model_part::joined(params.fixed), "",
                        coordinates_of(params.fixed, "fixed")};
    for (const PositionBlock& moved : blocks_) {
      for (const Index c : fixed.coordinates) {
        if (!std::binary_search(moved.coordinates.begin(), moved.coordinates.end(), c)) continue;
        throw ParameterError("fixed", name_of(c) + " is moved by the update of `" + moved.name +
                                          "`. Remove it from `fixed` or from that update.");
      }
    }
    blocks_.push_back(std::move(fixed));
  }

  void check_all_moved() const {
    std::vector<bool> known(static_cast<std::size_t>(model_->dimension()), false);
    for (const PositionBlock& one : blocks_) {
      for (const Index c : one.coordinates) known[static_cast<std::size_t>(c)] = true;
    }
    const auto missing = std::find(known.begin(), known.end(), false);
    if (missing == known.end()) return;
    throw ParameterError(
        "update", "no update moves " + name_of(missing - known.begin()) +
                      ". Add it to an update, or to `fixed` if it must keep its initial value.");
  }

  void check_turn(std::size_t k) const {
    if (scan_ != Scan::fixed && updates_[k].every != 1) {
      throw ParameterError(key_of(k, "every"),
                           "works only with scan = \"fixed\". Leave it out here; with scan = "
                           "\"random\" set `weight` instead.");
    }
    if (scan_ != Scan::random && updates_[k].weight != 1.0) {
      throw ParameterError(key_of(k, "weight"),
                           "works only with scan = \"random\". Leave it out here; with scan = "
                           "\"fixed\" set `every` instead.");
    }
  }

  void check_apart() const {
    for (std::size_t k = 0; k < updates_.size(); ++k) {
      for (std::size_t i = 0; i < k; ++i) {
        std::vector<Index> both;
        std::set_intersection(blocks_[i].coordinates.begin(), blocks_[i].coordinates.end(),
                              blocks_[k].coordinates.begin(), blocks_[k].coordinates.end(),
                              std::back_inserter(both));
        if (both.empty()) continue;
        throw ParameterError(key_of(k, "parameters"),
                             name_of(both.front()) + " is moved by update[" + std::to_string(i) +
                                 "] at the same time. With scan = \"simultaneous\" each parameter "
                                 "may be in only one update. Remove the parameter from one of the "
                                 "two updates, or use scan = \"fixed\".");
      }
    }
  }

  void integrate_out() {
    marginals_.resize(updates_.size());
    for (std::size_t k = 0; k < updates_.size(); ++k) {
      const auto& names = updates_[k].without;
      if (names.empty()) continue;
      const std::string key = key_of(k, "without");
      PositionBlock out{model_part::joined(names), labels_[k] + " without",
                        coordinates_of(names, key)};
      for (const Index c : out.coordinates) {
        if (!holds(k, c)) continue;
        throw ParameterError(key, name_of(c) +
                                      " is moved by this update, so this update cannot integrate "
                                      "it out. Name parameters that this update does not move.");
      }
      marginals_[k] = Marginal{offered(out.coordinates, key), blocks_.size()};
      blocks_.push_back(std::move(out));
    }
  }

  bool holds(std::size_t block, Index coordinate) const {
    const auto& all = blocks_[block].coordinates;
    return std::binary_search(all.begin(), all.end(), coordinate);
  }

  /// The index of the model's marginal law that integrates out exactly these coordinates.
  std::size_t offered(const std::vector<Index>& coordinates, const std::string& key) const {
    const MarginalLaws* const laws = model_->offers<MarginalLaws>();
    if (laws == nullptr) {
      throw ParameterError(key, "model `" + model_->name() +
                                    "` has no target density with parameters " +
                                    "integrated out. Remove `without`.");
    }
    const auto all = laws->integrable();
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (select_coordinates(model_->parameters(), all[k]) == coordinates) return k;
    }
    throw ParameterError(key, "model `" + model_->name() + "` can only integrate out " +
                                  model_part::listed(all) +
                                  ". Choose from these, or remove `without`.");
  }

  /// The guard of each update, which says when the update runs. `outer` is the guard of all updates
  /// together.
  std::vector<Guard> turns(KernelGraph& graph, const Site& of, const Guard& outer) const {
    std::vector<Guard> guards(updates_.size(), outer);
    if (scan_ == Scan::random && updates_.size() > 1) {
      std::vector<double> weights;
      for (const Update& one : updates_) weights.push_back(one.weight);
      const Value drawn = parts::draw_branch(graph, of, parts::ends_of_shares(std::move(weights)));
      const Value choice = parts::within(graph, parts::operation_at(of, "choose"), outer, drawn);
      parts::record_branch(graph, of, choice);
      for (std::size_t k = 0; k < guards.size(); ++k) guards[k] = {choice, static_cast<Index>(k)};
    }
    for (std::size_t k = 0; k < guards.size(); ++k) {
      if (updates_[k].every == 1) continue;
      const std::string path = parts::operation_at(of, labels_[k] + "/turn");
      guards[k] = {parts::within(graph, path, outer, turn(graph, path, updates_[k].every)), 0};
    }
    return guards;
  }

  /// 0 in every n-th sweep, otherwise 1.
  static Value turn(KernelGraph& graph, const std::string& path, std::int64_t n) {
    const auto every = static_cast<std::uint64_t>(n);
    return add_operation(
               graph, path, OperationKind::pure, {},
               [every](Columns& block, edge::Out<parts::Branch> out) {
                 out.setConstant(block.sweep() % every == 0 ? 0.0 : 1.0);
               },
               Write<parts::Branch>{Output::derived(path, 1)})
        .value;
  }

  /// The slots that make up block k.
  std::vector<Variable> slots_of_block(const KernelGraph& graph, std::size_t k,
                                       const Owner& owner) const {
    std::vector<Variable> own;
    for (const Variable slot : owner.slots) {
      if (holds(k, held_coordinates(graph[slot]).front())) own.push_back(slot);
    }
    return own;
  }

  /// The site of update k. Its slot is the slot that the update moves. If the update moves several
  /// slots, a new variable joins them.
  Site site(KernelGraph& graph, std::size_t k, const Owner& owner,
            std::map<std::vector<std::int32_t>, Variable>& joined) const {
    const std::vector<Variable> own = slots_of_block(graph, k, owner);
    const Site& of = owner.site;
    Site site{.path = parts::operation_at(of, labels_[k]),
              .label = recorded_name(of, labels_[k]),
              .slot = own.front(),
              .number = of.number,
              .target = of.target,
              .phase = of.phase};
    if (own.size() == 1) return site;
    std::vector<std::int32_t> ids;
    for (const Variable v : own) ids.push_back(v.id);
    const auto [known, is_new] = joined.try_emplace(std::move(ids));
    if (is_new) known->second = graph.joined(parts::operation_at(of, blocks_[k].name), own);
    site.slot = known->second;
    return site;
  }

  /// Sets the conditional law of the update given the current values of all other slots, except the
  /// slots that the update integrates out.
  void set_law(KernelGraph& graph, std::size_t k, const Owner& owner, Site& site) const {
    const auto& marginal = marginals_[k];
    std::vector<Value> rest;
    for (const Variable slot : owner.slots) {
      const Index first = held_coordinates(graph[slot]).front();
      if (holds(k, first) || (marginal && holds(marginal->block, first))) continue;
      rest.push_back(graph.current(slot));
    }
    if (rest.empty() && !marginal) return;
    const Value law = marginal ? marginal_of(graph, k, owner, site) : site.target;
    site.part = {law, rest};
    site.target = conditional_law(graph, site.path + "/given-the-rest", law, site.slot, rest);
  }

  /// A model can integrate parameters out of its own law, but not out of a power of this law.
  Value marginal_of(KernelGraph& graph, std::size_t k, const Owner& owner, const Site& site) const {
    const auto law = graph.potential(site.target);
    if (law == nullptr || law->as_model() != model_.get()) {
      throw ParameterError(owner.key + "." + key_of(k, "without"),
                           "the target density of `" + site.path +
                               "` is not the model's own, so the parameters cannot be integrated "
                               "out. Remove `without`.");
    }
    return marginal_law(graph, site.path + "/marginal", site.target, model_, marginals_[k]->which);
  }

  void update(KernelGraph& graph, std::size_t k, const Owner& owner, const Guard& guard,
              Site& site) const {
    const bool is_joined = !graph[site.slot].parts.empty();
    if (is_joined) graph.gather(site.slot);
    graph.set_guard(guard);
    if (scan_ != Scan::simultaneous) set_law(graph, k, owner, site);
    site.memory = memory_of(graph, k, site.path, owner.site.memory);
    describe_kernel(graph, k, owner, site);
    graph.set_guard();
    if (is_joined) graph.scatter(site.slot);
  }

  /// If the kernel refuses the site, the error names the update that asks for the kernel.
  void describe_kernel(KernelGraph& graph, std::size_t k, const Owner& owner,
                       const Site& site) const {
    try {
      updates_[k].kernel->describe(graph, site);
    } catch (const WiringError&) {
      throw;
    } catch (const InputError& refusal) {
      throw ParameterError(owner.key + "." + key_of(k, "kernel"), refusal.what());
    }
  }

  /// The memory of block k: the rows of this block from the points and gradients of the whole
  /// memory.
  MemoryValues memory_of(KernelGraph& graph, std::size_t k, const std::string& path,
                         MemoryValues memory) const {
    const auto restrict = [&](std::vector<Value>& values, const std::string& what) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = rows_of(graph, path + "/memory/" + what + std::to_string(i), values[i],
                            blocks_[k].coordinates);
      }
    };
    restrict(memory.points, "point");
    restrict(memory.gradients, "gradient");
    return memory;
  }

  struct WholeRows : edge::Numbers<Role::parameter> {};
  struct SomeRows : edge::Numbers<Role::parameter> {};

  static Value rows_of(KernelGraph& graph, const std::string& path, Value whole,
                       const std::vector<Index>& rows) {
    return add_operation(
               graph, path, OperationKind::pure, {.continuous = true},
               [rows](WholeRows from, edge::Out<SomeRows> out) {
                 for (Index j = 0; j < out.cols(); ++j) {
                   for (Index i = 0; i < out.rows(); ++i) {
                     out(i, j) = from(rows[static_cast<std::size_t>(i)], j);
                   }
                 }
               },
               Edge<WholeRows>{whole}, Write<SomeRows>{Output::derived(path, std::ssize(rows))})
        .value;
  }

  /// U after the last update, or an empty value if U is not known. U is known only if the last
  /// update runs in every sweep, uses the newest values of all other parameters, and keeps its U.
  Value last_potential(const KernelGraph& graph, const std::vector<Guard>& guards,
                       const std::vector<Site>& sites) const {
    if (scan_ == Scan::simultaneous || guards.back() || marginals_.back()) return {};
    return graph.cached(sites.back().target, sites.back().slot).u;
  }

  /// The parameters that an update integrates out.
  struct Marginal {
    std::size_t which = 0;  ///< index among the model's marginal laws
    std::size_t block = 0;  ///< index of the block of these parameters
  };

  std::shared_ptr<const Model> model_;
  std::deque<Update> updates_;
  Scan scan_;
  std::vector<std::string> labels_;
  std::vector<PositionBlock> blocks_;
  std::vector<std::optional<Marginal>> marginals_;  ///< one for each update
};

/// The common part of the details of compositor and kernel `blocks`.
inline const std::string details =
    "In each table of `update`, `parameters` lists names and slices of the model's parameters "
    "(indices count from 0), and `kernel` is the kernel that moves these parameters. The kernel's "
    "target density is the model's density given the current values of all other parameters. Each "
    "kernel has its own estimator and oracle, and adapts separately. Blocks may overlap. If an "
    "update integrates out the parameters in `without`, a different update with kernel "
    "`conditional` must redraw these parameters before they are used. With scan = \"fixed\" a "
    "sweep runs all updates in their order. An update with `every` = n runs in every n-th sweep. "
    "With scan = \"random\" a sweep runs one update, chosen with probability proportional to "
    "`weight`. With scan = \"simultaneous\" a sweep runs all updates, each given the values from "
    "before the sweep. This scan is only for comparison, because its draws are biased unless the "
    "blocks are independent. To update one block, Mixwell normally evaluates the whole U. If the "
    "model declares which terms of U depend on the block, Mixwell evaluates only these terms. The "
    "statistics of each kernel are recorded with the kernel's name as prefix, as in "
    "hmc_acceptance_rate. The statistics without a prefix combine all kernels: acceptance_rate is "
    "the mean, and diverging is true if any kernel diverged.";

}  // namespace mixwell::blocks
