// A preconditioned Crank-Nicolson step, and one mistake of choice; all declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"
#include "wrong/prior_of.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// x* = m + sqrt(1 - b^2) (x - m) + b L z, taken by the ratio of likelihoods.
class Step {
 public:
  Step(wrong::PriorOf prior, double b, wrong::Mistake mistake)
      : prior_(std::move(prior)), b_(b), mistake_(std::move(mistake)) {}

  void operator()(Columns& block, edge::Position theta, edge::Law law, edge::Noise noise,
                  edge::Out<edge::Position> next) const {
    edge::begin(theta, next);
    Workspace& scratch = block.scratch();
    MatrixMap at = scratch.matrix(next.rows(), next.cols());
    MatrixMap mean = scratch.matrix(next.rows(), next.cols());
    MatrixMap to = scratch.matrix(next.rows(), next.cols());
    at = next;
    prior_->prior_mean(at, mean);
    const MatrixMap z = noise.normals(next.rows(), next.cols());
    prior_->prior_factor(at, z, to, scratch);
    if (mistake_.is("factor-forgotten")) to = z;
    if (mistake_.is("mean-forgotten")) mean.setZero();
    const double kept = mistake_.is("without-root") ? 1.0 - b_ : std::sqrt(1.0 - b_ * b_);
    to = mean + kept * (at - mean) + b_ * to;
    decide(law, at, to, noise, next, scratch);
  }

 private:
  void decide(const edge::Law& law, const MatrixMap& at, const MatrixMap& to,
              const edge::Noise& noise, edge::Out<edge::Position>& next, Workspace& scratch) const {
    RowMap before = scratch.row(next.cols());
    RowMap after = scratch.row(next.cols());
    RowMap uniform = scratch.row(next.cols());
    potential(law, at, before, scratch);
    potential(law, to, after, scratch);
    noise.uniforms(uniform, 1);
    for (Index j = 0; j < next.cols(); ++j) {
      if (std::log(uniform(j)) < before(j) - after(j)) next.col(j) = to.col(j);
    }
  }

  void potential(const edge::Law& law, const MatrixMap& at, RowMap& u, Workspace& scratch) const {
    if (mistake_.is("whole-density")) {
      law.evaluate(at, Evaluation::of_potential(u.data(), at, scratch));
    } else {
      prior_->likelihood_potential(at, u, scratch);
    }
  }

  wrong::PriorOf prior_;
  double b_;
  wrong::Mistake mistake_;
};

class WrongPcn final : public TransitionKernel {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      mistake.declare(fields,
                      {"whole-density", "without-root", "mean-forgotten", "factor-forgotten"});
    }
  };
  explicit WrongPcn(const Params& params) : mistake_(params.mistake) {}

 protected:
  void transition(Transition& t) const override {
    t.add("step", OperationKind::move, wrong::claims_exact(),
          Step(wrong::PriorOf(t, name()), 0.6, mistake_), t.position(), t.target(), t.noise("step"),
          t.next());
  }

 private:
  wrong::Mistake mistake_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongPcn>(
      {.id = "wrong-pcn", .summary = "a Crank-Nicolson step with a mistake of choice"});
}
