// Random-walk Metropolis: a Gaussian step, accepted or rejected according to the density ratio.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

class RandomWalkMetropolis final : public TransitionKernel {
 public:
  struct Params : EstimatedTransitionParams {
    Params() {
      about_estimator =
          "H in the covariance eps^2 H of the steps theta* = theta + eps S z, where S S' = H";
      advice = "0.234 suits high dimensions, 0.44 suits d = 1";
    }
  };
  explicit RandomWalkMetropolis(const Params& params) : params_(params) { params_.check(); }

 protected:
  void transition(Transition& t) const override {
    t.take_estimates(params_.estimate);
    const auto H = t.preconditioner(params_.estimator);
    const auto law = t.law(params_.oracle);
    const auto eps = t.step_size(params_.step_size);
    const auto end = t.propose_symmetric(
        [](edge::Position theta, edge::StepSize scale, edge::Preconditioner shape,
           edge::Noise noise, edge::ProposedPosition to) {
          shape.scale(noise.normals(to.rows(), to.cols()), to);
          for (Index j = 0; j < to.cols(); ++j) to.col(j) *= scale(j);
          to += theta;
        },
        t.position(), eps, H, t.noise("propose"));
    t.metropolis(law, end);
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<RandomWalkMetropolis>(
      {.id = "random-walk-metropolis",
       .summary = "Gaussian steps, accepted or rejected according to the density ratio",
       .details =
           "The kernel proposes theta* = theta + eps S z, where z ~ N(0, I) and S S' = H. It "
           "accepts theta* with probability min(1, exp(U(theta) - U(theta*))). With estimator "
           "`identity`, H is I. With estimator `diagonal` or `dense`, Mixwell adapts H in warmup. "
           "eps = 2.38 / sqrt(d) is best for a Gaussian target if H is its covariance. A "
           "transition costs one evaluation of U. If the model only offers an unbiased estimate of "
           "its density, the current estimate is stored with the state (pseudo-marginal).",
       .sources = {"Metropolis et al. 1953, J. Chem. Phys. 21",
                   "Roberts, Gelman & Gilks 1997, Ann. Appl. Prob. 7",
                   "Andrieu & Roberts 2009, Ann. Stat. 37 (estimates)",
                   "Deligiannidis, Doucet & Pitt 2018, J. R. Stat. Soc. B 80 (correlation)"}});
}
