// Elliptical slice sampling, and one mistake of choice; all declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"
#include "wrong/prior_of.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace {

using namespace mixwell;

/// x* = m + (x - m) cos a + L z sin a, column by column; the bracket of angles is cut at a towards
/// the start, a = 0.
class Ellipse {
 public:
  Ellipse(wrong::PriorOf prior, wrong::Mistake mistake)
      : prior_(std::move(prior)), mistake_(std::move(mistake)) {}

  void operator()(Columns& block, edge::Position theta, edge::Law law, edge::Noise noise,
                  edge::Out<edge::Position> next) const {
    edge::begin(theta, next);
    Workspace& scratch = block.scratch();
    const MatrixMap z = noise.normals(next.rows(), next.cols());
    MatrixMap uniform = scratch.matrix(most_rounds + 2, next.cols());
    noise.uniforms(uniform, 1);
    for (Index j = 0; j < next.cols(); ++j) {
      const Workspace::Frame frame(scratch);
      MatrixMap x(next.col(j).data(), next.rows(), 1);
      move(law, x, ConstMatrixMap(z.col(j).data(), z.rows(), 1), uniform.col(j).data(), scratch);
    }
  }

 private:
  static constexpr Index most_rounds = 60;

  /// Of the likelihood, or by mistake of the whole density.
  double potential(const edge::Law& law, const MatrixMap& at, Workspace& scratch) const {
    RowMap u = scratch.row(1);
    if (mistake_.is("whole-density")) {
      law.evaluate(at, Evaluation::of_potential(u.data(), at, scratch));
    } else {
      prior_->likelihood_potential(at, u, scratch);
    }
    return u(0);
  }

  void move(const edge::Law& law, MatrixMap& x, ConstMatrixMap z, const double* uniform,
            Workspace& scratch) const {
    MatrixMap mean = scratch.matrix(x.rows(), 1);
    MatrixMap v = scratch.matrix(x.rows(), 1);
    MatrixMap to = scratch.matrix(x.rows(), 1);
    prior_->prior_mean(x, mean);
    prior_->prior_factor(x, z, v, scratch);
    if (mistake_.is("mean-forgotten")) mean.setZero();
    if (mistake_.is("factor-forgotten")) v = z;
    const double fall = mistake_.is("level") ? 2.0 : 1.0;
    const double level = potential(law, x, scratch) - fall * std::log(uniform[0]);
    double angle = 2.0 * std::numbers::pi * uniform[1];
    double low = angle - 2.0 * std::numbers::pi;
    double high = angle;
    for (Index k = 0; k < most_rounds; ++k) {
      to = mean + std::cos(angle) * (x - mean) + std::sin(angle) * v;
      if (potential(law, to, scratch) < level) {
        x = to;
        return;
      }
      (angle < 0.0 ? low : high) = angle;
      angle = low + (high - low) * uniform[2 + k];
    }
  }

  wrong::PriorOf prior_;
  wrong::Mistake mistake_;
};

class WrongEllipticalSlice final : public TransitionKernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      mistake.declare(fields, {"mean-forgotten", "factor-forgotten", "level", "whole-density"});
    }
  };
  explicit WrongEllipticalSlice(const Params& params) : mistake_(params.mistake) {}

 protected:
  void transition(Transition& t) const override {
    t.add("ellipse", OperationKind::move, wrong::claims_exact(),
          Ellipse(wrong::PriorOf(t, name()), mistake_), t.position(), t.target(),
          t.noise("ellipse"), t.next());
  }

 private:
  wrong::Mistake mistake_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongEllipticalSlice>(
      {.id = "wrong-elliptical-slice",
       .summary = "elliptical slice sampling with a mistake of choice"});
}
