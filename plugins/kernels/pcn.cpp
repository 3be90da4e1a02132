// The preconditioned Crank-Nicolson proposal for parameters with a Gaussian prior.
// SPDX-License-Identifier: Apache-2.0
#include "gaussian-prior/prior_part.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace mixwell;
using gaussian_prior::Likelihood;
using gaussian_prior::PriorPart;
using gaussian_prior::StepLaw;
using gaussian_prior::StepNumbers;

enum class Decision { acceptance };

constexpr StatisticTable<Decision, 1> decisions{
    {{Decision::acceptance,
      {"acceptance_rate", RecordType::real, "", "Metropolis acceptance probability"}}}};

/// Proposes x* = m + sqrt(1 - b^2) (x - m) + b L z and accepts x* with probability min(1, exp(l(x)
/// - l(x*))), where l is the likelihood's part of U. The step is in detailed balance with the prior
/// for every b. Here b = eps / sqrt(1 + eps^2), which is below 1 for every step size. Makes two
/// evaluations of the likelihood.
class CrankNicolson {
 public:
  explicit CrankNicolson(PriorPart part) : part_(std::move(part)) {}
  const Component& acts_for() const noexcept { return *part_.part().model(); }

  void operator()(Columns& block, edge::Position theta, edge::Law law, Likelihood likelihood,
                  edge::StepSize eps, edge::Noise noise, edge::Out<edge::Position> next,
                  edge::Statistics<Decision> out) const {
    edge::begin(theta, next);
    Workspace& scratch = block.scratch();
    const Index w = next.cols();
    MatrixMap position = part_.part().position(law.numbers(), next, scratch);
    MatrixMap mean = scratch.matrix(next.rows(), w);
    MatrixMap to = scratch.matrix(next.rows(), w);
    part_.mean(position, mean);
    part_.deviation(position, noise, to, scratch);
    for (Index j = 0; j < w; ++j) {
      const double b = eps(j) / std::hypot(1.0, eps(j));
      const double rho = 1.0 / std::hypot(1.0, eps(j));
      to.col(j) = mean.col(j) + rho * (next.col(j) - mean.col(j)) + b * to.col(j);
    }
    RowMap before = scratch.row(w);
    RowMap after = scratch.row(w);
    likelihood.evaluate(position, Evaluation::of_potential(before.data(), position, scratch));
    part_.part().put(to, position);
    likelihood.evaluate(position, Evaluation::of_potential(after.data(), position, scratch));
    RowMap uniform = scratch.row(w);
    noise.uniforms(uniform, 1);
    for (Index j = 0; j < w; ++j) {
      const double ratio = std::exp(std::min(0.0, before(j) - after(j)));
      const double probability = std::isfinite(after(j)) && std::isfinite(ratio) ? ratio : 0.0;
      out[Decision::acceptance](j) = probability;
      if (uniform(j) < probability) next.col(j) = to.col(j);
    }
  }

 private:
  PriorPart part_;
};

class Pcn final : public TransitionKernel {
 public:
  struct Params {
    StepSizeSettings step_size{};
    EstimateSettings estimate{};

    void declare(Fields& fields) {
      step_size.declare_with_target(fields, "0.25 suits high dimensions");
      estimate.declare(fields);
    }
  };
  explicit Pcn(const Params& params) : params_(params) { params_.step_size.check(); }

 protected:
  void transition(Transition& t) const override {
    t.take_estimates(params_.estimate);
    const PriorPart part(t, name());
    const auto eps = t.step_size(params_.step_size);
    if (t.takes_estimate_of(t.target())) return step_by_estimate(t, part, eps);
    const auto [next, written] = t.add(
        "step", OperationKind::move, {.invariant = true}, CrankNicolson(part), t.position(),
        t.target(), part.likelihood(t), eps, t.noise("step"), t.next(), t.statistics(decisions));
    t.learn_from(written[Decision::acceptance]);
  }

 private:
  /// The likelihood is known only through an estimate of the posterior density. The step's density
  /// at both ends removes the prior from the ratio, and `metropolis` keeps the estimate.
  void step_by_estimate(Transition& t, const PriorPart& part, Edge<edge::StepSize> eps) const {
    const auto function = std::make_shared<StepLaw>(part.prior(), t.dimension(), name());
    SharedOperation from{gaussian_prior::WriteStepLaw()};
    t.metropolis(t.target(),
                 propose_from<StepLaw>(
                     t, t.target(), [&](const std::string& path, const EvaluatedPoint& at) {
                       const std::string law = path + "/step-law";
                       return from
                           .add(t.graph(), law, OperationKind::pure, {},
                                Edge<edge::PointPosition>{at.theta}, eps,
                                Write<StepNumbers>{
                                    Output::derived(law, StepLaw::rows(t.dimension()), function)})
                           .value;
                     }));
  }

  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Pcn>(
      {.id = "pcn",
       .summary = "Preconditioned Crank-Nicolson steps for parameters with a Gaussian prior",
       .details =
           "The model must offer its Gaussian prior N(m, L L') separately from its likelihood "
           "(interface `GaussianPrior`). In compositor `blocks` this is the prior given the other "
           "parameters. The kernel proposes x* = m + sqrt(1 - b^2) (x - m) + b L z, where z ~ N(0, "
           "I). The acceptance probability depends only on the ratio of the likelihoods. b = eps / "
           "sqrt(1 + eps^2), so eps may be any positive number (eps = 1 gives b = 0.71). The "
           "acceptance rate does not fall as the number of coordinates grows. A transition costs "
           "two evaluations of the likelihood. If the model only offers an unbiased estimate of "
           "its density, the current estimate is stored with the state (pseudo-marginal), and a "
           "transition costs one estimate.",
       .sources = {"Cotter, Roberts, Stuart & White 2013, Stat. Sci. 28, 424-446",
                   "Andrieu & Roberts 2009, Ann. Stat. 37 (estimates)",
                   "Deligiannidis, Doucet & Pitt 2018, J. R. Stat. Soc. B 80 (correlation)"}});
}
