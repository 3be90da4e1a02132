// The mode of a surrogate's Laplace approximation, and points that are not modes.
// SPDX-License-Identifier: Apache-2.0
#include "../../plugins/oracles/surrogate/laplace.hpp"
#include "composing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <string>

using namespace mixwell;
using surrogate_oracle::laplace_of;

namespace {

/// U = sum_i u(theta_i), by u and its derivative.
class Separable final : public Potential {
 public:
  using Function = std::function<double(double)>;
  Separable(Function u, Function slope) : u_(std::move(u)), slope_(std::move(slope)) {}

  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    g = theta.unaryExpr(slope_);
    if (out.wants_potential()) out.u() = theta.unaryExpr(u_).colwise().sum();
  }

 private:
  Function u_;
  Function slope_;
};

/// u = exp(a (x - 1)) - a (x - 1): mode 1, second derivative a^2 there.
Separable skewed(double a) {
  return {[a](double x) { return std::exp(a * (x - 1)) - a * (x - 1); },
          [a](double x) { return a * std::exp(a * (x - 1)) - a; }};
}

std::string refusal(const Potential& target, const surrogate_oracle::ModeSearch& search = {}) {
  try {
    laplace_of(target, 2, "oracle `o`", search);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the Laplace approximation stands at the mode, with the Hessian there") {
  const Laplace at = laplace_of(skewed(3), 2, "oracle `o`");
  CHECK((at.mode.array() - 1.0).abs().maxCoeff() < 1e-6);
  CHECK((at.hessian - 9.0 * Eigen::Matrix2d::Identity()).cwiseAbs().maxCoeff() < 1e-5);
}

TEST_CASE("a mode is found where rounding keeps the gradient above any fixed tolerance") {
  const Separable stiff([](double x) { return 0.5e14 * (x - 0.3) * (x - 0.3); },
                        [](double x) { return 1e14 * (x - 0.3) + 1e-3; });
  CHECK((laplace_of(stiff, 2, "oracle `o`").mode.array() - 0.3).abs().maxCoeff() < 1e-9);
}

TEST_CASE("a search that ends early finds no mode, and the error says how far it was") {
  const std::string message = refusal(skewed(8), {.starts = 1, .iterations = 1});
  INFO(message);
  CHECK(contains(message, "oracle `o`: Mixwell found no mode with a positive definite Hessian"));
  CHECK(contains(message, "after 1 searches the smallest |grad U| was "));
  CHECK(contains(
      message,
      " standard deviations away from the point where the search ended (the limit is 0.0001)"));
  CHECK(contains(message, "Check the model with kernel `map`"));
}

TEST_CASE("a potential that falls without end has no mode, however small its gradient") {
  const Separable slope([](double x) { return x; }, [](double) { return 1.0; });
  CHECK(contains(refusal(slope), "no Hessian at the end of a search was positive definite"));
  const Separable tail([](double x) { return std::exp(-x); },
                       [](double x) { return -std::exp(-x); });
  const std::string message = refusal(tail);
  INFO(message);
  CHECK(contains(message, "found no mode"));
}

TEST_CASE("the error about the mode names the oracle and the slot") {
  const std::string body =
      "[model.m]\nuse = \"gamma\"\nshape = 0.5\n[oracle.o]\nuse = \"surrogate\"\n"
      "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nstep_size = "
      "0.1\nsteps = 3\n";
  const Composition c = composing::compose(body);
  CHECK_THROWS_WITH(mixwell::compose(*c.compositor),
                    Catch::StartsWith("oracle `o` in `k`: Mixwell found no mode"));
}
