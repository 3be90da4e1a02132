// Barker's proposal: steps that turn downhill by chance, coordinate by coordinate.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>

namespace {

using namespace mixwell;

/// theta_i + b_i eps z_i with b_i = 1 with probability 1 / (1 + exp(eps z_i dU/dtheta_i)), else -1:
/// the density is twice that of N(theta, eps^2 I) over 1 + exp((y - theta)_i dU/dtheta_i), for each
/// coordinate.
class BarkerStep final : public AsymmetricProposal {
 public:
  static constexpr const char* advice = "0.4 suits many coordinates";

  void draw(const From& from, const edge::Noise& noise, Batch y) const override {
    noise.normals(y, 0);
    MatrixMap turn = from.scratch.matrix(y.rows(), y.cols());
    noise.uniforms(turn, 1);
    for (Index j = 0; j < y.cols(); ++j) {
      for (Index i = 0; i < y.rows(); ++i) {
        const double step = from.eps(j) * y(i, j);
        const bool onwards = turn(i, j) * (1.0 + std::exp(step * from.g(i, j))) < 1.0;
        y(i, j) = from.theta(i, j) + (onwards ? step : -step);
      }
    }
  }

  void energy(const From& from, ConstBatch y, Row out) const override {
    for (Index j = 0; j < y.cols(); ++j) {
      double sum = 0.0;
      for (Index i = 0; i < y.rows(); ++i) {
        const double step = y(i, j) - from.theta(i, j);
        sum += 0.5 * (step / from.eps(j)) * (step / from.eps(j)) +
               log_one_plus_exp(step * from.g(i, j));
      }
      out(j) = sum;
    }
  }

 private:
  /// Without overflow.
  static double log_one_plus_exp(double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
  }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<AsymmetricKernel<BarkerStep>>(
      {.id = "barker",
       .summary = "random-walk steps that turn downhill by chance, accepted by Metropolis",
       .details =
           "theta*_i = theta_i + b_i eps z_i, z_i ~ N(0, 1), b_i = 1 with probability 1 / (1 + "
           "exp(eps z_i dU/dtheta_i)), else -1; accepted with probability min(1, exp(U - U*) "
           "prod_i (1 + exp((theta* - theta)_i g_i)) / (1 + exp((theta - theta*)_i g*_i))). A step "
           "that is too long costs acceptance, but, unlike MALA's, never sends the chain far off: "
           "eps may be wrong by much. Costs one gradient a transition.",
       .sources = {"Livingstone & Zanella 2022, J. R. Stat. Soc. B 84"}});
}
