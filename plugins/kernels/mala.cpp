// The Metropolis-adjusted Langevin algorithm.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

/// N(theta - eps^2 / 2 grad U, eps^2 I).
class LangevinStep final : public AsymmetricProposal {
 public:
  static constexpr const char* advice = "0.574 suits high dimensions";

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

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<AsymmetricKernel<LangevinStep>>(
      {.id = "mala",
       .summary = "Langevin steps with a Metropolis-Hastings decision (MALA)",
       .details =
           "The kernel proposes theta* ~ q(. | theta) = N(theta - eps^2 / 2 grad U(theta), eps^2 "
           "I), and accepts theta* with probability min(1, exp(U(theta) - U(theta*)) q(theta | "
           "theta*) / q(theta* | theta)). Kernel `metropolis-gaussian` with mean = \"newton\" "
           "makes the same steps with a preconditioner. A transition costs one gradient.",
       .sources = {"Roberts & Tweedie 1996, Bernoulli 2",
                   "Roberts & Rosenthal 1998, J. R. Stat. Soc. B 60 (0.574)"}});
}
