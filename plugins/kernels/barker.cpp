// Barker's proposal: each coordinate takes a step with a random sign that favours lower U.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>

namespace {

using namespace mixwell;

/// theta_i + b_i eps z_i with b_i = 1 with probability 1 / (1 + exp(eps z_i dU/dtheta_i)), else -1.
/// For each coordinate, the density is twice the density of N(theta, eps^2 I) over
/// 1 + exp((y - theta)_i dU/dtheta_i).
class BarkerStep final : public AsymmetricProposal {
 public:
  static constexpr const char* advice = "0.4 suits high dimensions";

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
  /// log(1 + exp(x)) without overflow.
  static double log_one_plus_exp(double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
  }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<AsymmetricKernel<BarkerStep>>(
      {.id = "barker",
       .summary =
           "Random-walk steps that favour lower U (Barker's proposal), with Metropolis-Hastings",
       .details = "The proposal is theta*_i = theta_i + b_i eps z_i with z_i ~ N(0, 1). The sign "
                  "b_i is 1 with probability 1 / (1 + exp(eps z_i dU/dtheta_i)), else -1. With g = "
                  "grad U(theta), g* = grad U(theta*) and U* = U(theta*), the proposal is accepted "
                  "with probability min(1, exp(U - U*) prod_i (1 + exp((theta* - theta)_i g_i)) / "
                  "(1 + exp((theta - theta*)_i g*_i))). A large eps lowers the acceptance rate. "
                  "Unlike in MALA, the length of a step does not depend on the gradient, so eps "
                  "need not be well tuned. A transition costs one gradient.",
       .sources = {"Livingstone & Zanella 2022, J. R. Stat. Soc. B 84"}});
}
