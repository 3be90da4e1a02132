// Pieces that kernels and compositors share.
// SPDX-License-Identifier: Apache-2.0
#include "law/model_terms.hpp"

#include <mixwell/error.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/operation.hpp>
#include <mixwell/oracle.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mixwell {
namespace {

class ModelPotential final : public Potential {
 public:
  explicit ModelPotential(std::shared_ptr<const Model> model) : model_(std::move(model)) {
    if (model_->as_sum() != nullptr) terms_.emplace(*model_);
  }
  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    model_->evaluate(theta, out);
  }
  bool evaluates_potential_alone() const noexcept override { return true; }
  const Model* as_model() const noexcept override { return model_.get(); }
  const Metric* as_metric() const noexcept override { return model_->as_metric(); }
  const SumOfTerms* as_sum() const noexcept override { return terms_ ? &*terms_ : nullptr; }
  bool has_constant_hessian() const noexcept override { return model_->has_constant_hessian(); }
  GradientGrowth gradient_growth() const noexcept override { return model_->gradient_growth(); }

 private:
  std::shared_ptr<const Model> model_;
  std::optional<ModelTerms> terms_;
};

/// What is recorded of a slot.
struct RecordedNumbers : edge::Numbers<Role::parameter> {
  using Numbers::Numbers;
};

void record_parameters(KernelGraph& graph, const std::vector<Parameter>& parameters, Value value,
                       Index slot) {
  Index row = 0;
  for (const Parameter& parameter : parameters) {
    Record record;
    record.name = parameter.name;
    record.shape = parameter.shape;
    record.slot = slot;
    record.value = value;
    record.first_row = row;
    row += parameter.size();
    graph.record(std::move(record));
  }
}

Index total_size(const std::vector<Parameter>& parameters) {
  Index sum = 0;
  for (const Parameter& parameter : parameters) sum += parameter.size();
  return sum;
}

}  // namespace

Kernel::~Kernel() = default;
Compositor::~Compositor() = default;
Oracle::~Oracle() = default;

Value Oracle::law_for(KernelGraph& graph, const Site& site) const {
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
    throw WiringError(
        fmt::format("kernel `{}` records the statistic `{}` twice", site.path, recorded));
  }
  graph.record({RecordGroup::sample_stats,
                recorded,
                {},
                type,
                std::move(unit),
                std::move(help),
                site.number,
                value,
                0});
}

void require_whole_position(const VariableInfo& slot, const Model& model) {
  if (slot.rows == model.dimension()) return;
  throw InputError(fmt::format(
      "slot `{}` has {} rows and the model {} coordinates: positions are started, recorded and "
      "verified whole, so that a slot must hold all coordinates of the model and nothing else",
      slot.name, slot.rows, model.dimension()));
}

void record_slot(KernelGraph& graph, Variable slot, Index number,
                 std::shared_ptr<const Model> model, Value law) {
  require_whole_position(graph[slot], *model);
  const std::string path = fmt::format("record {}", graph[slot].name);
  const Value theta = graph.current(slot);
  const auto parameters = model->parameters();
  const bool as_they_are =
      std::all_of(parameters.begin(), parameters.end(),
                  [](const Parameter& p) { return p.transform == Transform::identity; });
  const auto write = [&](const std::string& name, Index rows) {
    return Write<RecordedNumbers>{Output::derived(path + "/" + name, rows)};
  };
  const Edge<edge::Position> position{theta};
  const Value recorded = as_they_are
                             ? theta
                             : add_operation(
                                   graph, path, OperationKind::pure, {},
                                   [parameters](edge::Position at, edge::Out<RecordedNumbers> out) {
                                     to_recorded(parameters, at, out);
                                   },
                                   position, write("values", graph[slot].rows))
                                   .value;
  record_parameters(graph, parameters, recorded, number);
  if (const Derived* derived = model->as_derived()) {
    const auto quantities = derived->quantities();
    const auto values = add_operation(
        graph, path + "/derive", OperationKind::pure, {},
        [model](edge::Position at, edge::Out<RecordedNumbers> out) {
          model->as_derived()->derive(at, out);
        },
        position, write("derived", total_size(quantities)));
    record_parameters(graph, quantities, values.value, number);
  }
  const Cached at = graph.evaluation(law, slot);
  const Value lp =
      add_operation(
          graph, path + "/negate", OperationKind::pure, {},
          [](edge::Potential<edge::Here> u, edge::Out<RecordedNumbers> out) { out = -u; },
          Edge<edge::Potential<edge::Here>>{at.u}, write("lp", 1))
          .value;
  graph.record({RecordGroup::sample_stats,
                "lp",
                {},
                RecordType::real,
                "nats",
                "log density up to a constant: -U",
                number,
                lp,
                0});
}

}  // namespace mixwell
