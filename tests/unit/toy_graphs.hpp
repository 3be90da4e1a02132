// Small graphs for the tests of graphs, plans and certificates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph/graph.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace toy {

using namespace mixwell;

/// U = sum theta_i^2 / 2.
class Bowl final : public Potential {
 public:
  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    g = theta;
    if (out.wants_potential()) out.u() = 0.5 * theta.colwise().squaredNorm();
  }
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }
};

/// First output = scale * first input + shift, element by element.
class Affine final : public Body {
 public:
  Affine(double scale, double shift) : scale_(scale), shift_(shift) {}
  void run(ColumnBlock& block) const override {
    flat(block.out(0)) = scale_ * flat(block.in(0)) + shift_;
  }

 private:
  double scale_;
  double shift_;
};

/// First output = second input.
class Take final : public Body {
 public:
  void run(ColumnBlock& block) const override { flat(block.out(0)) = flat(block.in(1)); }
};

inline std::shared_ptr<const Body> affine(double scale, double shift) {
  return std::make_shared<Affine>(scale, shift);
}

inline Traits reversible() {
  Traits t;
  t.involution = true;
  t.volume = true;
  t.order = 2;
  return t;
}

inline Traits full_refresh() {
  Traits t;
  t.keeps_law = true;
  t.full = true;
  return t;
}

class Nothing final : public Body {
 public:
  void run(ColumnBlock&) const override {}
};

/// A Metropolis update of one slot with the pieces a test may bend. Its bodies are null or do
/// nothing: these graphs are certified, not run.
struct Update {
  Variable slot;
  Value law;                        ///< in flow and ratio
  std::vector<Value> parameters{};  ///< of the flow
  bool metropolis = true;
  Traits move = reversible();
  Value refresh_law{};  ///< of the momentum; its own if empty
  Value ratio_law{};    ///< in the ratio; `law` if empty
  std::shared_ptr<const Body> body{};
};

inline Value add_update(KernelGraph& graph, const std::string& path, const Update& u) {
  const Variable p = graph.auxiliary(path + "/p", graph[u.slot].rows);
  const Value kinetic = graph.constant(path + "/kinetic", std::make_shared<Bowl>());
  graph.add(path + "/refresh", OperationKind::refresh, full_refresh(),
            {{u.refresh_law ? u.refresh_law : kinetic, Role::law},
             {graph.noise(path + "/refresh"), Role::noise}},
            {Output::next(p)}, u.body);
  std::vector<Input> inputs = {
      {graph.current(u.slot), Role::state}, {graph.current(p), Role::state}, {u.law, Role::law}};
  for (const Value v : u.parameters) inputs.push_back({v, Role::parameter});
  if (u.move.invariant) inputs.push_back({kinetic, Role::law});
  if (!u.metropolis) {
    return graph
        .add(path + "/move", OperationKind::move, u.move, inputs, {Output::next(u.slot)}, u.body)
        .front();
  }
  const Index rows = graph[u.slot].rows;
  const auto end = graph.add(
      path + "/move", OperationKind::move, u.move, inputs,
      {Output::derived(path + "/theta*", rows), Output::derived(path + "/p*", rows)}, u.body);
  return graph
      .add(path + "/accept", OperationKind::accept, {},
           {{graph.current(u.slot), Role::state},
            {graph.current(p), Role::state},
            {end[0], Role::proposed},
            {end[1], Role::proposed},
            {u.ratio_law ? u.ratio_law : u.law, Role::law},
            {kinetic, Role::law},
            {graph.noise(path + "/accept"), Role::noise}},
           {Output::next(u.slot), Output::derived(path + "/probability", 1)}, u.body)
      .at(1);
}

/// K slots, each with its own constant factor.
struct Slots {
  std::vector<Variable> slot;
  std::vector<Value> law;
};

inline Slots add_slots(KernelGraph& graph, int count) {
  Slots s;
  for (int k = 0; k < count; ++k) {
    const std::string name = "x" + std::to_string(k);
    s.slot.push_back(graph.slot(name, 2));
    s.law.push_back(graph.constant("U" + std::to_string(k), std::make_shared<Bowl>()));
    graph.factor(s.law.back(), {s.slot.back()});
  }
  return s;
}

/// A density made from `factor` and further inputs by a pure operation.
inline Value made_law(KernelGraph& graph, const std::string& name, const Traits& traits,
                      Value factor, std::vector<Input> more = {}) {
  more.insert(more.begin(), {factor, Role::law});
  return graph
      .add(name, OperationKind::pure, traits, std::move(more),
           {Output::derived(name + "/U", 3, std::make_shared<Bowl>())}, nullptr)
      .front();
}

/// A pure value of some points, which the certificate sees like a fitted preconditioner.
inline Value fit(KernelGraph& graph, const std::string& name, const std::vector<Value>& points) {
  std::vector<Input> inputs;
  for (const Value v : points) inputs.push_back({v, Role::parameter});
  return graph
      .add(name, OperationKind::pure, {}, std::move(inputs), {Output::derived(name + "/H", 4)},
           nullptr)
      .front();
}

}  // namespace toy
