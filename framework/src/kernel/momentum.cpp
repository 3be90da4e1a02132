// The distribution of a momentum.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/columns.hpp>
#include <mixwell/graph/operation.hpp>
#include <mixwell/kernel/momentum.hpp>

#include <cmath>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

/// Draws new momenta.
void draw_fresh(Columns& block, const edge::MomentumLaw& law, const edge::Noise& noise,
                MatrixMap p) {
  if (law.function.is_standard()) return noise.normals(p);
  law.function.draw(law.numbers(), noise.normals(p.rows(), p.cols()), p, block.scratch());
}

/// A momentum of 0 has never been drawn: this is the first sweep, or the first sweep in which a
/// mixture chooses this kernel.
class RedrawInPart {
 public:
  explicit RedrawInPart(const Redraw& redraw) : redraw_(redraw) {}

  void operator()(Columns& block, edge::MomentumLaw law, edge::Noise noise, edge::Momentum before,
                  edge::Out<edge::Momentum> p) const {
    const bool due = block.sweep() % static_cast<std::uint64_t>(redraw_.every) == 0;
    if (!due && !any_new(before)) return edge::begin(before, p);
    MatrixMap fresh = block.scratch().matrix(p.rows(), p.cols());
    draw_fresh(block, law, noise, fresh);
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
  static bool is_new(const ConstMatrixMap& momentum, Index j) {
    return (momentum.col(j).array() == 0.0).all();
  }
  static bool any_new(const ConstMatrixMap& momentum) {
    for (Index j = 0; j < momentum.cols(); ++j) {
      if (is_new(momentum, j)) return true;
    }
    return false;
  }

  Redraw redraw_;
};

}  // namespace

MomentumLaw::MomentumLaw(Coupling coupling, std::shared_ptr<const Representation> preconditioner)
    : standard_(coupling != Coupling::mass || preconditioner->is_identity()),
      preconditioner_(std::move(preconditioner)) {}

void MomentumLaw::draw(const Numbers& numbers, ConstBatch z, Batch out, Workspace& scratch) const {
  if (standard_) {
    flat(out) = flat(z);
  } else {
    preconditioner_->C(numbers, z, out, scratch);
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
  preconditioner_->H(numbers, p, velocity, scratch);
  column_dots(p, velocity, out);
  out *= 0.5;
}

void MomentumLaw::evaluate(const Numbers& numbers, ConstBatch p, const Evaluation& out) const {
  if (!out.wants_gradient()) return kinetic(numbers, p, out.u(), out.scratch);
  Batch velocity = out.gradient;
  if (standard_) {
    flat(velocity) = flat(p);
  } else {
    preconditioner_->H(numbers, p, velocity, out.scratch);
  }
  if (!out.wants_potential()) return;
  column_dots(p, velocity, out.u());
  out.u() *= 0.5;
}

Edge<edge::MomentumLaw> add_momentum_law(KernelGraph& graph, const std::string& name,
                                         Coupling coupling,
                                         std::shared_ptr<const Representation> representation,
                                         Value preconditioner) {
  auto law = std::make_shared<MomentumLaw>(coupling, std::move(representation));
  if (law->is_standard()) return {graph.constant(name, std::move(law))};
  return {graph.view(name, std::move(law), preconditioner)};
}

Edge<edge::Momentum> add_momentum_refresh(KernelGraph& graph, const std::string& name,
                                          Variable momentum, Edge<edge::MomentumLaw> law,
                                          const Redraw& redraw) {
  Traits traits;
  traits.keeps_law = true;
  traits.full = !redraw.carries();
  traits.renews = redraw.persistence < 1.0;
  const Edge<edge::Noise> noise{graph.noise(name)};
  const Write<edge::Momentum> next{Output::next(momentum)};
  if (traits.full) {
    return add_operation(
        graph, name, OperationKind::refresh, traits,
        [](Columns& block, edge::MomentumLaw of, edge::Noise fresh, edge::Out<edge::Momentum> p) {
          draw_fresh(block, of, fresh, p);
        },
        law, noise, next);
  }
  return add_operation(graph, name, OperationKind::refresh, traits, RedrawInPart(redraw), law,
                       noise, Edge<edge::Momentum>{graph.current(momentum)}, next);
}

}  // namespace mixwell
