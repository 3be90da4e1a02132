// A random walk whose decision is wrong, or is another right one.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"
#include "wrong/walk.hpp"

#include <mixwell/kernel/position.hpp>
#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// Inputs: theta, law, noise. Outputs: theta*, u*, g*.
class ProposeBody final : public Body {
 public:
  explicit ProposeBody(double eps) : eps_(eps) {}
  void run(ColumnBlock& block) const override {
    block.normals(2, block.out(0));
    flat(block.out(0)) = flat(block.in(0)) + eps_ * flat(block.out(0));
    block.law(1).evaluate(block.out(0), {block.out(1).data(), block.out(2), block.scratch()});
  }

 private:
  double eps_;
};

class DecideBody final : public Body, wrong::Decision {
 public:
  explicit DecideBody(wrong::Mistake mistake) : mistake_(std::move(mistake)) {}

  void run(ColumnBlock& block) const override {
    const Index w = block.columns();
    RowMap uniform = block.scratch().row(w);
    block.uniforms(chance, uniform);
    const NextState next{
        block.in(theta).rows(),
        w,
        {block.in(theta).data(), block.in(u).data(), block.in(g).data()},
        {block.in(theta_end).data(), block.in(u_end).data(), block.in(g_end).data()},
        {block.out(next_theta).data(), block.out(next_u).data(), block.out(next_g).data()}};
    for (Index j = 0; j < w; ++j) {
      next.column(j, uniform(j) < probability(block.in_row(u)(j) - block.in_row(u_end)(j)));
    }
  }

 private:
  double probability(double log_r) const {
    if (mistake_.is("barker")) return 1.0 / (1.0 + std::exp(-log_r));
    if (mistake_.is("flattened")) log_r *= 0.97;
    return std::exp(std::min(0.0, log_r));
  }

  wrong::Mistake mistake_;
};

class WrongAccept final : public Kernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    double step_size = 1.0;
    void declare(Fields& fields) {
      mistake.declare(fields, {"flattened", "barker", "not-negated"});
      fields.number("step_size", step_size).above(0).refines(Refines::step_size).help("eps");
    }
  };
  explicit WrongAccept(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    const std::string& path = site.path;
    const Value law = site.target;
    const Index d = graph[site.slot].rows;
    Traits traits;
    traits.involution = true;
    traits.flips = params_.mistake.is("not-negated") ? Flips::nothing : Flips::noise;
    traits.volume = true;
    const auto end = graph.add(path + "/propose", OperationKind::move, traits,
                               {{graph.current(site.slot), Role::state},
                                {law, Role::law},
                                {graph.noise(path + "/propose"), Role::noise}},
                               {Output::derived(path + "/theta*", d),
                                Output::derived(path + "/u*", 1), Output::derived(path + "/g*", d)},
                               std::make_shared<ProposeBody>(params_.step_size));
    wrong::add_decision(graph, site, law, end, {graph.noise(path + "/accept"), Role::noise},
                        std::make_shared<DecideBody>(params_.mistake));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongAccept>(
      {.id = "wrong-accept", .summary = "a random walk that decides wrongly"});
}
