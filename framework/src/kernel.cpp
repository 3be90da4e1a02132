// Pieces that kernels and compositors share.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/error.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/oracle.hpp>
#include <mixwell/warmup_windows.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mixwell {
namespace {

class ModelPotential final : public Potential {
 public:
  explicit ModelPotential(std::shared_ptr<const Model> model) : model_(std::move(model)) {}
  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    model_->evaluate(theta, out);
  }

 private:
  std::shared_ptr<const Model> model_;
};

/// Inputs: points, then as many gradients, then as many potentials if the estimator reads them.
/// Output: the curvature's numbers.
class FitBody final : public Body {
 public:
  FitBody(std::shared_ptr<const Estimator> estimator, std::size_t points, Index dimension)
      : estimator_(std::move(estimator)), points_(points), dimension_(dimension) {}
  void run(Block& block) const override {
    thread_local std::vector<const double*> from;  // grows once: no allocation in a transition
    from.clear();
    const std::size_t kinds = estimator_->reads_potentials() ? 3 : 2;
    for (std::size_t k = 0; k < kinds * points_; ++k) from.push_back(block.in(k).data());
    const std::span<const double* const> all(from);
    estimator_->fit({dimension_, block.columns(), all.first(points_), all.subspan(points_, points_),
                     all.subspan(2 * points_)},
                    block.out(0), block.scratch());
  }

 private:
  std::shared_ptr<const Estimator> estimator_;
  std::size_t points_;
  Index dimension_;
};

/// Inputs: register, position. Output: the register's next version.
class LearnCurvatureBody final : public Body {
 public:
  explicit LearnCurvatureBody(std::shared_ptr<const Estimator> estimator)
      : estimator_(std::move(estimator)) {}
  void run(Block& block) const override {
    MatrixMap state = block.out(0);
    if (state.data() != block.in(0).data()) state = block.in(0);
    const WarmupWindows windows(block.warmup());
    if (!windows.collects(block.sweep())) return;
    const CurvatureLearner& learner = *estimator_->as_learner();
    learner.observe(state, block.in(1));
    if (!windows.closes(block.sweep())) return;
    learner.close_window(state, block.in(1).rows(), block.scratch());
  }

 private:
  std::shared_ptr<const Estimator> estimator_;
};

std::vector<Input> fit_inputs(const Site& site, const Estimator& estimator) {
  const MemoryValues& memory = site.memory;
  std::vector<Input> inputs;
  for (const Value v : memory.points) inputs.push_back({v, Role::parameter});
  for (const Value v : memory.gradients) inputs.push_back({v, Role::parameter});
  if (!estimator.reads_potentials()) return inputs;
  if (memory.potentials.size() != memory.points.size()) {
    throw InputError(fmt::format(
        "estimator `{}` sorts points by their potentials, and the memory of `{}` has none; use an "
        "estimator that takes them as they come (`sort = false`) or another compositor",
        estimator.name(), site.path));
  }
  for (const Value v : memory.potentials) inputs.push_back({v, Role::parameter});
  return inputs;
}

Value fit(KernelGraph& graph, const Site& site, std::shared_ptr<const Estimator> estimator,
          Index dimension) {
  const MemoryValues& memory = site.memory;
  std::vector<Input> inputs = fit_inputs(site, *estimator);
  const auto points = static_cast<Index>(memory.points.size());
  return graph
      .add(site.path + "/fit", OperationKind::pure, estimator->traits(), std::move(inputs),
           {Output::derived(site.path + "/curvature", estimator->rows(dimension, points),
                            estimator->representation())},
           std::make_shared<FitBody>(estimator, memory.points.size(), dimension))
      .front();
}

/// Input: a slot's position. Output: what is recorded of it.
class TransformBody final : public Body {
 public:
  explicit TransformBody(const Model& model) : parameters_(model.parameters()) {}
  void run(Block& block) const override { to_recorded(parameters_, block.in(0), block.out(0)); }

 private:
  std::vector<Parameter> parameters_;
};

class DeriveBody final : public Body {
 public:
  explicit DeriveBody(std::shared_ptr<const Model> model) : model_(std::move(model)) {}
  void run(Block& block) const override { model_->as_derived()->derive(block.in(0), block.out(0)); }

 private:
  std::shared_ptr<const Model> model_;
};

class NegateBody final : public Body {
 public:
  void run(Block& block) const override { flat(block.out(0)) = -flat(block.in(0)); }
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

Value target_law(KernelGraph& graph, std::string name, std::shared_ptr<const Model> model) {
  return graph.constant(std::move(name), std::make_shared<ModelPotential>(std::move(model)));
}

SiteCurvature::SiteCurvature(KernelGraph& graph, const Site& site,
                             std::shared_ptr<const Estimator> estimator)
    : estimator_(std::move(estimator)) {
  const Index d = graph[site.slot].rows;
  const std::string name = site.path + "/curvature";
  if (const CurvatureLearner* learner = estimator_->as_learner()) {
    learnt_ = graph.history(site.path + "/curvature-learner", learner->initial(d),
                            learner->forgets(), learner->scope());
    value_ = graph.view(name, estimator_->representation(), graph.current(learnt_));
  } else if (estimator_->uses_memory()) {
    value_ = fit(graph, site, estimator_, d);
  } else {
    value_ = graph.constant(name, estimator_->representation());
  }
}

void SiteCurvature::learn(KernelGraph& graph, const Site& site) const {
  if (!learns() || site.phase != PhaseKind::warmup) return;
  const Guard branch = graph.set_guard();  // windows count sweeps, whichever branch they chose
  graph.add(site.path + "/learn-curvature", OperationKind::observe, {},
            {{graph.current(learnt_), Role::state}, {graph.current(site.slot), Role::parameter}},
            {Output::next(learnt_)}, std::make_shared<LearnCurvatureBody>(estimator_));
  graph.set_guard(branch);
}

void SiteCurvature::record(KernelGraph& graph, const Site& site) const {
  if (!learns()) return;
  graph.record({.group = RecordGroup::sample_stats,
                .name = recorded_name(site, "inv_metric"),
                .shape = estimator_->as_learner()->shape(graph[site.slot].rows),
                .unit = "theta^2",
                .help = "learnt curvature H; the inverse of the mass where coupling is mass",
                .slot = site.number,
                .value = value_,
                .once = true});
}

std::string recorded_name(const Site& site, const std::string& name) {
  return site.label.empty() ? name : site.label + "_" + name;
}

void record_statistic(KernelGraph& graph, const Site& site, std::string name, Value value,
                      RecordType type, std::string unit, std::string help) {
  graph.record({RecordGroup::sample_stats,
                recorded_name(site, name),
                {},
                type,
                std::move(unit),
                std::move(help),
                site.number,
                value,
                0});
}

void record_slot(KernelGraph& graph, Variable slot, Index number,
                 std::shared_ptr<const Model> model, Value law) {
  const std::string path = fmt::format("record {}", graph[slot].name);
  const Value theta = graph.current(slot);
  const auto parameters = model->parameters();
  const bool as_they_are =
      std::all_of(parameters.begin(), parameters.end(),
                  [](const Parameter& p) { return p.transform == Transform::identity; });
  const Value recorded = as_they_are
                             ? theta
                             : graph
                                   .add(path, OperationKind::pure, {}, {{theta, Role::state}},
                                        {Output::derived(path + "/values", graph[slot].rows)},
                                        std::make_shared<TransformBody>(*model))
                                   .front();
  record_parameters(graph, parameters, recorded, number);
  if (const Derived* derived = model->as_derived()) {
    const auto quantities = derived->quantities();
    const Value values = graph
                             .add(path + "/derive", OperationKind::pure, {}, {{theta, Role::state}},
                                  {Output::derived(path + "/derived", total_size(quantities))},
                                  std::make_shared<DeriveBody>(model))
                             .front();
    record_parameters(graph, quantities, values, number);
  }
  const Cached at = graph.evaluation(law, slot);
  const Value lp = graph
                       .add(path + "/negate", OperationKind::pure, {}, {{at.u, Role::evaluation}},
                            {Output::derived(path + "/lp", 1)}, std::make_shared<NegateBody>())
                       .front();
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
