// The law of a momentum.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/columns.hpp>
#include <mixwell/momentum.hpp>

#include <cmath>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

/// Writes fresh momenta of the law at input 0 from the noise at input 1.
void draw_fresh(Block& block, MatrixMap p) {
  const auto& law = block.function<MomentumLaw>(0);
  if (law.is_standard()) {
    block.normals(1, p);
    return;
  }
  MatrixMap z = block.scratch().matrix(p.rows(), p.cols());
  block.normals(1, z);
  law.draw(block.in(0), z, p, block.scratch());
}

/// Inputs: law, noise. Output: the momentum's next version.
class RefreshBody final : public Body {
 public:
  void run(Block& block) const override { draw_fresh(block, block.out(0)); }
};

/// Inputs: law, noise, momentum. Output: the momentum's next version. A momentum of 0 has never
/// been drawn: the sweep is the first one, or the first in which a mixture comes to this kernel.
class PartialRefreshBody final : public Body {
 public:
  explicit PartialRefreshBody(const Redraw& redraw) : redraw_(redraw) {}
  void run(Block& block) const override {
    MatrixMap p = block.out(0);
    const ConstMatrixMap before = block.in(2);
    const bool due = block.sweep() % static_cast<std::uint64_t>(redraw_.every) == 0;
    if (!due && !any_new(before)) {
      if (p.data() != before.data()) flat(p) = flat(before);
      return;
    }
    MatrixMap fresh = block.scratch().matrix(p.rows(), p.cols());
    draw_fresh(block, fresh);
    const double rest = std::sqrt(1.0 - redraw_.persistence * redraw_.persistence);
    for (Index j = 0; j < p.cols(); ++j) {
      if (is_new(before, j)) {
        p.col(j) = fresh.col(j);
      } else if (due) {
        p.col(j) = redraw_.persistence * before.col(j) + rest * fresh.col(j);
      } else {
        p.col(j) = before.col(j);
      }
    }
  }

 private:
  static bool is_new(ConstMatrixMap momentum, Index j) {
    return (momentum.col(j).array() == 0.0).all();
  }
  static bool any_new(ConstMatrixMap momentum) {
    for (Index j = 0; j < momentum.cols(); ++j) {
      if (is_new(momentum, j)) return true;
    }
    return false;
  }

  Redraw redraw_;
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

Value add_momentum_law(KernelGraph& graph, const std::string& name, Coupling coupling,
                       std::shared_ptr<const Representation> representation, Value curvature) {
  auto law = std::make_shared<MomentumLaw>(coupling, std::move(representation));
  if (law->is_standard()) return graph.constant(name, std::move(law));
  return graph.view(name, std::move(law), curvature);
}

void add_momentum_refresh(KernelGraph& graph, const std::string& name, Variable momentum, Value law,
                          const Redraw& redraw) {
  Traits traits;
  traits.keeps_law = true;
  traits.full = !redraw.carries();
  traits.renews = redraw.persistence < 1.0;
  std::vector<Input> inputs{{law, Role::law}, {graph.noise(name), Role::noise}};
  std::shared_ptr<const Body> body;
  if (traits.full) {
    body = std::make_shared<RefreshBody>();
  } else {
    inputs.push_back({graph.current(momentum), Role::state});
    body = std::make_shared<PartialRefreshBody>(redraw);
  }
  graph.add(name, OperationKind::refresh, traits, std::move(inputs), {Output::next(momentum)},
            std::move(body));
}

}  // namespace mixwell
