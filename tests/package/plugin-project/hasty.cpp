// Kernel `hasty`: a step of Langevin dynamics that nothing corrects, and that claims to be exact.
// What a certificate cannot know, `mixwell verify` finds.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

/// Inputs: theta, law, gradient, noise. Output: theta. theta+ = theta - eps grad U + sqrt(2 eps) z.
class StepBody final : public mixwell::Body {
 public:
  explicit StepBody(double eps) : eps_(eps) {}

  void run(mixwell::ColumnBlock& block) const override {
    const mixwell::ConstMatrixMap theta = block.in(0);
    mixwell::MatrixMap z = block.scratch().matrix(theta.rows(), theta.cols());
    block.normals(3, z);
    block.out(0) = theta - eps_ * block.in(2) + std::sqrt(2.0 * eps_) * z;
  }

 private:
  double eps_;
};

class Hasty final : public mixwell::Kernel {
 public:
  struct Params {
    double step_size = 0.1;
    void declare(mixwell::Fields& fields) {
      fields.number("step_size", step_size)
          .above(0)
          .refines(mixwell::Refines::step_size)
          .help("eps");
    }
  };
  explicit Hasty(const Params& params) : step_size_(params.step_size) {}

  void describe(mixwell::KernelGraph& graph, const mixwell::Site& site) const override {
    using mixwell::Role;
    mixwell::Traits traits;
    traits.invariant = true;
    const mixwell::Cached at = graph.evaluation(site.target, site.slot);
    graph.add(site.path + "/step", mixwell::OperationKind::move, traits,
              {{graph.current(site.slot), Role::state},
               {site.target, Role::law},
               {at.g, Role::evaluation},
               {graph.noise(site.path + "/step"), Role::noise}},
              {mixwell::Output::next(site.slot)}, std::make_shared<StepBody>(step_size_));
  }

 private:
  double step_size_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Hasty>({.id = "hasty", .summary = "Langevin steps, said to be exact"});
}
