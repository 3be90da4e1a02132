// Updates of parts of a position, one after another: what compositor and kernel `blocks` are made
// of. SPDX-License-Identifier: Apache-2.0
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
            "what it moves: names, elements z[3] (or z[Ulm] by label) or slices z[0:10], w[3,:], "
            "from 0 as in Python");
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

/// The keys of both.
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
    fields.texts("fixed", fixed)
        .selects_coordinates()
        .help("what stays where it is; by default nothing");
  }
};

/// Where the updates stand: the place of a kernel, or of the compositor itself.
struct Place {
  std::string key;  ///< of their owner in the manifest: "compositor.main"
  /// Its law and its memory are of whole positions; its slot is not looked at.
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
  /// Those of the updates, then what is fixed, if anything is, then what updates integrate out:
  /// slots of their own.
  const std::vector<PositionBlock>& blocks() const noexcept { return blocks_; }

  /// All updates, and what they record. Returns U after the last one, if that is known.
  Value describe(KernelGraph& graph, const Place& place) const {
    const Guard outer = graph.set_guard();
    const std::vector<Guard> guards = turns(graph, place.site, outer);
    std::vector<Site> sites;
    std::map<std::vector<std::int32_t>, Variable> joined;
    for (std::size_t k = 0; k < updates_.size(); ++k) {
      sites.push_back(site(graph, k, place, joined));
      if (scan_ == Scan::simultaneous) set_law(graph, k, place, sites[k]);
    }
    for (std::size_t k = 0; k < updates_.size(); ++k) update(graph, k, place, guards[k], sites[k]);
    parts::record_whole(graph, place.site, labels_, guards);
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
                                          "`; leave it out here or there");
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
        std::set_intersection(blocks_[i].coordinates.begin(), blocks_[i].coordinates.end(),
                              blocks_[k].coordinates.begin(), blocks_[k].coordinates.end(),
                              std::back_inserter(both));
        if (both.empty()) continue;
        throw ParameterError(key_of(k, "parameters"),
                             name_of(both.front()) + " is moved by update[" + std::to_string(i) +
                                 "] at the same time; with scan = \"simultaneous\" an element is "
                                 "in one update, with \"fixed\" in any number");
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
                                      " is moved by this update, which cannot integrate "
                                      "it out; name other parameters");
      }
      marginals_[k] = Marginal{offered(out.coordinates, key), blocks_.size()};
      blocks_.push_back(std::move(out));
    }
  }

  bool holds(std::size_t block, Index coordinate) const {
    const auto& all = blocks_[block].coordinates;
    return std::binary_search(all.begin(), all.end(), coordinate);
  }

  /// Which of the model's marginal laws is without exactly these.
  std::size_t offered(const std::vector<Index>& coordinates, const std::string& key) const {
    const MarginalLaws* const laws = model_->offers<MarginalLaws>();
    if (laws == nullptr) {
      throw ParameterError(key, "model `" + model_->name() + "` knows no law with parameters " +
                                    "integrated out; leave `without` out");
    }
    const auto all = laws->integrable();
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (select_coordinates(model_->parameters(), all[k]) == coordinates) return k;
    }
    throw ParameterError(key, "model `" + model_->name() + "` can integrate out " +
                                  model_part::listed(all) + ", and nothing else");
  }

  /// When each update runs. `outer`: when all of them do.
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

  /// 0 in every n-th sweep, else 1.
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

  /// The slots that block k is made of.
  std::vector<Variable> slots_of_block(const KernelGraph& graph, std::size_t k,
                                       const Place& place) const {
    std::vector<Variable> own;
    for (const Variable slot : place.slots) {
      if (holds(k, held_coordinates(graph[slot]).front())) own.push_back(slot);
    }
    return own;
  }

  /// Its slot is that of the update, or what joins its slots.
  Site site(KernelGraph& graph, std::size_t k, const Place& place,
            std::map<std::vector<std::int32_t>, Variable>& joined) const {
    const std::vector<Variable> own = slots_of_block(graph, k, place);
    const Site& of = place.site;
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

  /// Its law given all other slots as they are now, but for those that it integrates out.
  void set_law(KernelGraph& graph, std::size_t k, const Place& place, Site& site) const {
    const auto& marginal = marginals_[k];
    std::vector<Value> rest;
    for (const Variable slot : place.slots) {
      const Index first = held_coordinates(graph[slot]).front();
      if (holds(k, first) || (marginal && holds(marginal->block, first))) continue;
      rest.push_back(graph.current(slot));
    }
    if (rest.empty() && !marginal) return;
    const Value law = marginal ? marginal_of(graph, k, place, site) : site.target;
    site.part = {law, rest};
    site.target = conditional_law(graph, site.path + "/given-the-rest", law, site.slot, rest);
  }

  /// A model integrates its own law, and no power of it.
  Value marginal_of(KernelGraph& graph, std::size_t k, const Place& place, const Site& site) const {
    const auto law = graph.potential(site.target);
    if (law == nullptr || law->as_model() != model_.get()) {
      throw ParameterError(place.key + "." + key_of(k, "without"),
                           "the law of `" + site.path +
                               "` is not the model's own, and what integrates out of it is not "
                               "known; leave `without` out");
    }
    return marginal_law(graph, site.path + "/marginal", site.target, model_, marginals_[k]->which);
  }

  void update(KernelGraph& graph, std::size_t k, const Place& place, const Guard& guard,
              Site& site) const {
    const bool is_joined = !graph[site.slot].parts.empty();
    if (is_joined) graph.gather(site.slot);
    graph.set_guard(guard);
    if (scan_ != Scan::simultaneous) set_law(graph, k, place, site);
    site.memory = memory_of(graph, k, site.path, place.site.memory);
    describe_kernel(graph, k, place, site);
    graph.set_guard();
    if (is_joined) graph.scatter(site.slot);
  }

  /// What a kernel asks for in vain is told with the update that wants it.
  void describe_kernel(KernelGraph& graph, std::size_t k, const Place& place,
                       const Site& site) const {
    try {
      updates_[k].kernel->describe(graph, site);
    } catch (const WiringError&) {
      throw;
    } catch (const InputError& refusal) {
      throw ParameterError(place.key + "." + key_of(k, "kernel"), refusal.what());
    }
  }

  /// The rows of block k of what the position's memory holds: points that others are at, and the
  /// gradients there.
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

  /// U after the last update, if that runs in every sweep, sees the newest rest, and leaves its U.
  Value last_potential(const KernelGraph& graph, const std::vector<Guard>& guards,
                       const std::vector<Site>& sites) const {
    if (scan_ == Scan::simultaneous || guards.back() || marginals_.back()) return {};
    return graph.cached(sites.back().target, sites.back().slot).u;
  }

  /// What an update integrates out.
  struct Marginal {
    std::size_t which = 0;  ///< of the model's marginal laws
    std::size_t block = 0;  ///< of the parameters
  };

  std::shared_ptr<const Model> model_;
  std::deque<Update> updates_;
  Scan scan_;
  std::vector<std::string> labels_;
  std::vector<PositionBlock> blocks_;
  std::vector<std::optional<Marginal>> marginals_;  ///< by update
};

/// What both say of themselves.
inline const std::string details =
    "Each table of `update` has `parameters`, names and slices of the model's parameters, and the "
    "`kernel` that moves them: its law is U of the model with all other parameters at their "
    "current values. Kernels have estimators and oracles of their own, and learn for themselves; "
    "blocks may overlap. A sweep is all updates in their order (scan = \"fixed\", an update with "
    "`every` = n in every n-th sweep) or one of them, chosen with probabilities proportional to "
    "`weight` (\"random\"). An evaluation of a block is one of the whole U, or of what changes "
    "with the block where the model knows it. Statistics are recorded as KERNEL_NAME, and for all "
    "of them acceptance_rate (mean) and diverging (any).";

}  // namespace mixwell::blocks
