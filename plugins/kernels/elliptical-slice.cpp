// Elliptical slice sampling of parameters with a Gaussian prior.
// SPDX-License-Identifier: Apache-2.0
#include "gaussian-prior/prior_part.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace {

using namespace mixwell;
using gaussian_prior::Likelihood;
using gaussian_prior::PriorPart;

/// Largest number of cuts of a bracket. After this many cuts a bracket contains only its start.
constexpr std::uint32_t most_cuts = 200;

/// The bracket of the angles that are still possible in one column.
struct Bracket {
  double level, low, high, angle;
  bool done;

  void cut() { (angle < 0.0 ? low : high) = angle; }
};

enum class Count { evaluations };

constexpr StatisticTable<Count, 1> counts{{{Count::evaluations,
                                            {"slice_evaluations", RecordType::integer, "",
                                             "evaluations of the likelihood in the transition"}}}};

/// x* = m + (x - m) cos a + v sin a with v = L z. All columns run together: in each round, every
/// column that is not done evaluates one angle. A round copies d + 3 b numbers for each column.
class EllipticalSlice {
 public:
  explicit EllipticalSlice(PriorPart part) : part_(std::move(part)) {}
  const Component& acts_for() const noexcept { return *part_.part().model(); }

  void operator()(Columns& block, edge::Position theta, edge::Law law, Likelihood likelihood,
                  edge::Noise noise, edge::Out<edge::Position> next,
                  edge::Statistics<Count> out) const {
    edge::begin(theta, next);
    Workspace& scratch = block.scratch();
    const Index w = next.cols();
    MatrixMap position = part_.part().position(law.numbers(), next, scratch);
    MatrixMap mean = scratch.matrix(next.rows(), w);
    MatrixMap v = scratch.matrix(next.rows(), w);
    part_.mean(position, mean);
    part_.deviation(position, noise, v, scratch);
    auto* const brackets = scratch.objects<Bracket>(w);
    begin(brackets, position, likelihood, noise, scratch);
    out[Count::evaluations].setOnes();
    for (std::uint32_t round = 0; round < most_cuts; ++round) {
      if (!advance({brackets, position, mean, v}, likelihood, noise, round, next, out, scratch)) {
        break;
      }
    }
  }

 private:
  struct Ellipses {
    Bracket* brackets;
    const MatrixMap& position;
    const MatrixMap& mean;
    const MatrixMap& v;
  };

  /// Draws the level, and a first bracket that begins and ends at the first angle.
  void begin(Bracket* brackets, const MatrixMap& position, const Likelihood& likelihood,
             const edge::Noise& noise, Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    RowMap u = scratch.row(position.cols());
    likelihood.evaluate(position, Evaluation::of_potential(u.data(), position, scratch));
    MatrixMap uniform = scratch.matrix(2, position.cols());
    noise.uniforms(uniform, 1);
    for (Index j = 0; j < position.cols(); ++j) {
      Bracket& one = brackets[j];
      one.level = u(j) - std::log(uniform(0, j));
      one.angle = 2.0 * std::numbers::pi * uniform(1, j);
      one.low = one.angle - 2.0 * std::numbers::pi;
      one.high = one.angle;
      one.done = !std::isfinite(one.level);
    }
  }

  /// Tries one angle in every column that is not done. Returns false if all columns are done.
  bool advance(const Ellipses& of, const Likelihood& likelihood, const edge::Noise& noise,
               std::uint32_t round, edge::Out<edge::Position>& next, edge::Statistics<Count>& out,
               Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const Index w = next.cols();
    auto* const who = scratch.objects<Index>(w);
    Index active = 0;
    for (Index j = 0; j < w; ++j) {
      if (!of.brackets[j].done) who[active++] = j;
    }
    if (active == 0) return false;
    MatrixMap trials = scratch.matrix(next.rows(), active);
    MatrixMap positions = scratch.matrix(of.position.rows(), active);
    for (Index k = 0; k < active; ++k) {
      const Index j = who[k];
      const double a = of.brackets[j].angle;
      trials.col(k) =
          of.mean.col(j) + std::cos(a) * (next.col(j) - of.mean.col(j)) + std::sin(a) * of.v.col(j);
      positions.col(k) = of.position.col(j);
    }
    part_.part().put(trials, positions);
    RowMap u = scratch.row(active);
    likelihood.evaluate(positions, Evaluation::of_potential(u.data(), positions, scratch));
    RowMap uniform = scratch.row(w);
    noise.uniforms(uniform, 2 + round);
    for (Index k = 0; k < active; ++k) {
      const Index j = who[k];
      Bracket& one = of.brackets[j];
      out[Count::evaluations](j) += 1.0;
      one.done = u(k) < one.level;
      if (one.done) {
        next.col(j) = trials.col(k);
      } else {
        one.cut();
        one.angle = one.low + (one.high - one.low) * uniform(j);
      }
    }
    return true;
  }

  PriorPart part_;
};

class EllipticalSliceKernel final : public TransitionKernel {
 public:
  struct Params {
    void declare(Fields&) {}
  };
  explicit EllipticalSliceKernel(const Params&) {}

 protected:
  void transition(Transition& t) const override {
    const PriorPart part(t, name());
    t.add("ellipse", OperationKind::move, {.invariant = true}, EllipticalSlice(part), t.position(),
          t.target(), part.likelihood(t), t.noise("ellipse"), t.next(), t.statistics(counts));
  }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<EllipticalSliceKernel>(
      {.id = "elliptical-slice",
       .summary = "Elliptical slice sampling of parameters with a Gaussian prior",
       .details =
           "The prior is N(m, L L'), and v = L z with z ~ N(0, I). The kernel draws an angle a "
           "from a bracket, and evaluates the likelihood at the point m + (x - m) cos a + v sin a "
           "of an ellipse through the current position x. If the likelihood is not above a random "
           "level, the kernel shrinks the bracket and draws another angle from it. The kernel has "
           "nothing to tune, rejects nothing and needs no gradient. The model must offer its "
           "Gaussian prior separately from its likelihood (interface `GaussianPrior`). In "
           "compositor `blocks` this is the prior given the other parameters. Each angle that the "
           "kernel tries costs one evaluation of the likelihood, which `slice_evaluations` counts.",
       .sources = {"Murray, Adams & MacKay 2010, AISTATS, JMLR W&CP 9, figure 2"}});
}
