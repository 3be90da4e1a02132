// The Metropolis-adjusted Langevin algorithm.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <memory>

namespace {

using namespace mixwell;

/// N(theta - eps^2 / 2 grad U, eps^2 I).
class LangevinStep final : public AsymmetricProposal {
 public:
  void draw(const From& from, const edge::Noise& noise, Batch y) const override {
    noise.normals(y);
    for (Index j = 0; j < y.cols(); ++j) {
      const double eps = from.eps(j);
      y.col(j) = from.theta.col(j) - 0.5 * eps * eps * from.g.col(j) + eps * y.col(j);
    }
  }

  void energy(const From& from, ConstBatch y, Row out) const override {
    for (Index j = 0; j < y.cols(); ++j) {
      const double eps = from.eps(j);
      out(j) = 0.5 / (eps * eps) *
               (y.col(j) - from.theta.col(j) + 0.5 * eps * eps * from.g.col(j)).squaredNorm();
    }
  }
};

class Mala final : public TransitionKernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    StepSizeSettings step_size{};

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
      step_size.declare_with_target(fields, "0.574 suits many coordinates");
    }
  };
  explicit Mala(const Params& params) : params_(params) { params.step_size.check(); }

 protected:
  void transition(Transition& t) const override {
    const auto law = t.law(params_.oracle);
    const auto eps = t.step_size(params_.step_size);
    t.metropolis(law, propose_asymmetric(t, law, eps, std::make_shared<LangevinStep>()));
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Mala>(
      {.id = "mala",
       .summary = "Langevin steps accepted by Metropolis and Hastings (MALA)",
       .details =
           "theta* ~ q(. | theta) = N(theta - eps^2 / 2 grad U(theta), eps^2 I), accepted with "
           "probability min(1, exp(U - U*) q(theta | theta*) / q(theta* | theta)). The same steps "
           "with a curvature are kernel `metropolis-gaussian` with mean = \"newton\". Costs one "
           "gradient a transition.",
       .sources = {"Roberts & Tweedie 1996, Bernoulli 2",
                   "Roberts & Rosenthal 1998, J. R. Stat. Soc. B 60 (0.574)"}});
}
