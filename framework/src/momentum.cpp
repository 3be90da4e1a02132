// The law of a momentum.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/columns.hpp>
#include <mixwell/momentum.hpp>

namespace mixwell {
namespace {

/// Inputs: law, noise. Output: the momentum's next version.
class RefreshBody final : public Body {
 public:
  void run(Block& block) const override {
    const auto& law = static_cast<const MomentumLaw&>(block.function(0));
    MatrixMap p = block.out(0);
    if (law.is_standard()) {
      block.normals(1, p);
      return;
    }
    MatrixMap z = block.scratch().matrix(p.rows(), p.cols());
    block.normals(1, z);
    law.draw(block.in(0), z, p, block.scratch());
  }
};

}  // namespace

MomentumLaw::MomentumLaw(Coupling coupling, std::shared_ptr<const Representation> curvature)
    : standard_(coupling != Coupling::mass || curvature->is_identity()),
      curvature_(std::move(curvature)) {}

void MomentumLaw::draw(const Numbers& numbers, ConstBatch z, Batch out, Workspace& scratch) const {
  if (standard_) {
    flat(out) = flat(z);
  } else {
    curvature_->C(numbers, z, out, scratch);
  }
}

void MomentumLaw::kinetic(const Numbers& numbers, ConstBatch p, Row out, Workspace& scratch) const {
  if (standard_) {
    column_dots(p, p, out);
    out *= 0.5;
    return;
  }
  const Workspace::Frame frame(scratch);
  MatrixMap velocity = scratch.matrix(p.rows(), p.cols());
  curvature_->H(numbers, p, velocity, scratch);
  column_dots(p, velocity, out);
  out *= 0.5;
}

void MomentumLaw::evaluate(const Numbers& numbers, ConstBatch p, const Evaluation& out) const {
  Batch velocity = out.gradient;
  if (standard_) {
    flat(velocity) = flat(p);
  } else {
    curvature_->H(numbers, p, velocity, out.scratch);
  }
  if (!out.wants_potential()) return;
  column_dots(p, velocity, out.u());
  out.u() *= 0.5;
}

void add_momentum_refresh(KernelGraph& graph, const std::string& name, Variable momentum,
                          Value law) {
  const Value noise = graph.noise(name);
  Traits traits;
  traits.keeps_law = true;
  traits.full = true;
  graph.add(name, OperationKind::refresh, traits, {{law, Role::law}, {noise, Role::noise}},
            {Output::next(momentum)}, std::make_shared<RefreshBody>());
}

}  // namespace mixwell
