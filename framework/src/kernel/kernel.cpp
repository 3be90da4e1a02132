// Functions that kernels and compositors share.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/estimated_metropolis.hpp"
#include "law/model_terms.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/compositor.hpp>
#include <mixwell/graph/operation.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/kernel/position.hpp>
#include <mixwell/law/capabilities.hpp>
#include <mixwell/law/constrained_model.hpp>
#include <mixwell/oracle.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mixwell {
namespace {

class ModelPotential final : public Potential {
 public:
  explicit ModelPotential(std::shared_ptr<const Model> model) : model_(std::move(model)) {
    if (model_->offers<SumOfTerms>() != nullptr) terms_.emplace(*model_);
  }
  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    model_->evaluate(theta, out);
  }
  bool evaluates_potential_alone() const noexcept override { return true; }
  const Model* as_model() const noexcept override { return model_.get(); }
  bool has_constant_hessian() const noexcept override { return model_->has_constant_hessian(); }
  GradientGrowth gradient_growth() const noexcept override { return model_->gradient_growth(); }

 private:
  void offer(Offer& offer) const noexcept override {
    offer.forward<Metric, EstimatedDensity>(*model_);
    offer.set<SumOfTerms>(terms_ ? &*terms_ : nullptr);
  }

  std::shared_ptr<const Model> model_;
  std::optional<ModelTerms> terms_;
};

/// The recorded numbers of a slot.
struct RecordedNumbers : edge::Numbers<Role::parameter> {};

void record_parameters(KernelGraph& graph, const std::vector<Parameter>& parameters, Value value,
                       Index slot) {
  Index row = 0;
  for (const Parameter& parameter : parameters) {
    graph.record({.group = parameter.group,
                  .name = parameter.name,
                  .shape = parameter.shape,
                  .type = parameter.whole ? RecordType::integer : RecordType::real,
                  .slot = slot,
                  .value = value,
                  .first_row = row,
                  .dims = parameter.dims});
    row += parameter.size();
  }
}

Index total_size(const std::vector<Parameter>& parameters) {
  Index sum = 0;
  for (const Parameter& parameter : parameters) sum += parameter.size();
  return sum;
}

/// Adds the records of one position.
class PositionRecords {
 public:
  /// `theta`: the whole position.
  PositionRecords(KernelGraph& graph, const std::string& position, Value theta, Index number,
                  std::shared_ptr<const Model> model)
      : graph_(graph),
        number_(number),
        model_(std::move(model)),
        path_("record " + position),
        theta_(theta) {}

  /// `potential()` returns the value of U at the position, or none if U is not recorded.
  template <class PotentialThere>
  void all(const PotentialThere& potential) const {
    const Derived* const derives = model_->offers<Derived>();
    if (derives == nullptr || !derives->replaces_parameters()) parameters();
    if (derives != nullptr) derived();
    if (model_->offers<Generated>() != nullptr) generated();
    if (const Value u = potential()) log_density(u);
  }

 private:
  void parameters() const {
    const ConstraintMap map(model_->parameters());
    const Value recorded = map.is_identity()
                               ? theta_
                               : add_operation(
                                     graph_, path_, OperationKind::pure, {},
                                     [map](edge::Position at, edge::Out<RecordedNumbers> out) {
                                       map.constrain(at, out);
                                     },
                                     Edge<edge::Position>{theta_}, write("values", map.values()))
                                     .value;
    record_parameters(graph_, map.parameters(), recorded, number_);
  }

  /// Whether at least one of these quantities is recorded. They are computed together.
  bool is_any_recorded(const std::vector<Parameter>& quantities) const {
    return std::any_of(quantities.begin(), quantities.end(),
                       [&](const Parameter& one) { return !graph_.leaves_out(one.group); });
  }

  void derived() const {
    const auto quantities = model_->offers<Derived>()->quantities();
    if (!is_any_recorded(quantities)) return;
    const auto values = add_operation(
        graph_, path_ + "/derive", OperationKind::pure, {},
        [model = model_, derives = model_->offers<Derived>()](
            edge::Position at, edge::Out<RecordedNumbers> out) { derives->derive(at, out); },
        Edge<edge::Position>{theta_}, write("derived", total_size(quantities)));
    record_parameters(graph_, quantities, values.value, number_);
  }

  void generated() const {
    const auto quantities = model_->offers<Generated>()->generated();
    if (!is_any_recorded(quantities)) return;
    const auto values = add_operation(
        graph_, path_ + "/generate", OperationKind::pure, {},
        [model = model_, generates = model_->offers<Generated>()](
            edge::Position at, edge::Noise noise, edge::Out<RecordedNumbers> out) {
          generates->generate(at, noise.stream(), noise.address(), out);
        },
        Edge<edge::Position>{theta_}, Edge<edge::Noise>{graph_.noise(path_ + "/generate/noise")},
        write("generated", total_size(quantities)));
    record_parameters(graph_, quantities, values.value, number_);
  }

  void log_density(Value potential) const {
    const Value lp = add_operation(
                         graph_, path_ + "/negate", OperationKind::pure, {},
                         [](edge::Potential<edge::Here> u, edge::Out<RecordedNumbers> out) {
                           RowMap(out.data(), out.size()) = -u;
                         },
                         Edge<edge::Potential<edge::Here>>{potential}, write("lp", 1))
                         .value;
    graph_.record({.group = RecordGroup::sample_stats,
                   .name = "lp",
                   .unit = "nats",
                   .help = "log density up to a constant: -U",
                   .slot = number_,
                   .value = lp});
  }

  Write<RecordedNumbers> write(const std::string& name, Index rows) const {
    return {Output::derived(path_ + "/" + name, rows)};
  }

  KernelGraph& graph_;
  Index number_;
  std::shared_ptr<const Model> model_;
  std::string path_;
  Value theta_;
};

/// Averages over draws rebuild the position from its recorded parameters.
void require_recorded_position(const Model& model) {
  if (model.offers<Derived>() == nullptr || !model.offers<Derived>()->replaces_parameters()) return;
  if (model.offers<Prediction>() == nullptr) return;
  throw InputError(
      fmt::format("model `{}` records derived quantities instead of its parameters and also offers "
                  "predictions, but predictions need recorded parameters. In the model's source, "
                  "let replaces_parameters() return false, or do not offer predictions.",
                  model.name()));
}

/// The number of times that the slots of a position hold each coordinate of the model. The last
/// entry counts rows beyond the coordinates.
std::vector<int> times_held(const KernelGraph& graph, const std::string& position,
                            Index dimension) {
  std::vector<int> times(static_cast<std::size_t>(dimension) + 1, 0);
  for (const Variable slot : slots_of(graph, position)) {
    for (const Index c : held_coordinates(graph[slot]))
      ++times[static_cast<std::size_t>(std::min(c, dimension))];
  }
  return times;
}

/// Uhat of the estimate that is stored with the slot, if there is one.
std::optional<Value> kept_potential(KernelGraph& graph, Variable slot) {
  const auto kept = kept_estimate(graph, slot);
  if (!kept) return std::nullopt;
  const std::string name = "record " + graph[*kept].name;
  return add_operation(
             graph, name, OperationKind::pure, {},
             [](edge::PointPosition of, edge::Out<edge::PointPotential> u) { u = of.row(0); },
             Edge<edge::PointPosition>{*kept},
             Write<edge::PointPotential>{Output::derived(name + "/u", 1)})
      .value;
}

/// U (1 x w), without its gradient, of a law of the whole position at a value of the position.
Value potential_at(KernelGraph& graph, const std::string& name, Value law, Value position) {
  return add_operation(
             graph, name, OperationKind::pure, {},
             [](Columns& block, edge::Law of, edge::PointPosition at,
                edge::Out<edge::PointPotential> u) {
               of.evaluate(at, Evaluation::of_potential(u.data(), at, block.scratch()));
             },
             Edge<edge::Law>{law}, Edge<edge::PointPosition>{position},
             Write<edge::PointPotential>{Output::derived(name + "/u", 1)})
      .value;
}

}  // namespace

Kernel::~Kernel() = default;
Compositor::~Compositor() = default;
Oracle::~Oracle() = default;

Value Oracle::law_for(KernelGraph& graph, const Site& site) const {
  // For a part of a position, the law is conditional on the rest of the position.
  if (site.part.law) return law_for_part(graph, site, *this);
  return law(graph, site.path + "/oracle", site.target);
}

Value target_law(KernelGraph& graph, std::string name, std::shared_ptr<const Model> model) {
  return graph.constant(std::move(name), std::make_shared<ModelPotential>(std::move(model)));
}

std::string recorded_name(const Site& site, const std::string& name) {
  return site.label.empty() ? name : site.label + "_" + name;
}

void record_statistic(KernelGraph& graph, const Site& site, std::string name, Value value,
                      RecordType type, std::string unit, std::string help) {
  const std::string recorded = recorded_name(site, name);
  for (const Record& other : graph.records()) {
    if (other.group != RecordGroup::sample_stats || other.name != recorded) continue;
    if (other.slot != site.number) continue;
    throw WiringError(fmt::format(
        "kernel `{}` records the statistic `{}` twice. Give each statistic its own name.",
        site.path, recorded));
  }
  graph.record({.group = RecordGroup::sample_stats,
                .name = recorded,
                .type = type,
                .unit = std::move(unit),
                .help = std::move(help),
                .slot = site.number,
                .value = value});
}

void require_whole_position(const KernelGraph& graph, const std::string& position,
                            const Model& model) {
  const std::vector<int> times = times_held(graph, position, model.dimension());
  const bool once = std::all_of(times.begin(), times.end() - 1, [](int n) { return n == 1; });
  if (once && times.back() == 0) return;
  Index rows = 0;
  for (const Variable slot : slots_of(graph, position)) rows += graph[slot].rows;
  throw InputError(fmt::format(
      "slot `{}` has {} rows, but the model has {} coordinates. Mixwell initialises, "
      "records and verifies only whole positions. Together, the slots of a position must "
      "hold each coordinate of the model exactly once, and nothing else. To add "
      "a slot that holds only some coordinates, call KernelGraph::part.",
      position, rows, model.dimension()));
}

void record_slot(KernelGraph& graph, Variable slot, Index number,
                 std::shared_ptr<const Model> model, Value law) {
  require_whole_position(graph, graph[slot].name, *model);
  require_recorded_position(*model);
  PositionRecords(graph, graph[slot].name, graph.current(slot), number, model).all([&] {
    const auto kept = kept_potential(graph, slot);
    if (kept) return *kept;
    return law ? graph.evaluation(law, slot).u : Value();
  });
}

void record_position(KernelGraph& graph, const std::string& position, Index number,
                     std::shared_ptr<const Model> model, Value law, Value u) {
  require_whole_position(graph, position, *model);
  require_recorded_position(*model);
  const Value theta = whole_position(graph, position);
  const std::vector<Variable> slots = slots_of(graph, position);
  PositionRecords(graph, position, theta, number, model).all([&] {
    const auto kept = slots.size() == 1 ? kept_potential(graph, slots.front()) : std::nullopt;
    if (kept) return *kept;
    return u ? u : potential_at(graph, "record " + position + "/evaluate", law, theta);
  });
}

void record_position(KernelGraph& graph, const PositionSlots& at, Index number,
                     std::shared_ptr<const Model> model, Value law) {
  if (at.slots.size() == 1) return record_slot(graph, at.whole, number, std::move(model), law);
  const std::string position = graph[at.whole].position;
  record_position(graph, position, number, std::move(model), law, graph.cached(law, at.whole).u);
}

}  // namespace mixwell
