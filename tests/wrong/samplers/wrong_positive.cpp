// A positive parameter, x ~ Gamma(2, 1), as a coordinate of the whole line, with one mistake of
// choice; all declare to be right.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// theta = log x: U = exp(theta) - 2 theta. theta = +-x: U = |theta| - log |theta|.
class WrongPositive final : public Model, public ExactSampler {
 public:
  struct Params {
    std::string how = "log";
    wrong::Mistake mistake;
    void declare(Fields& fields) {
      fields.text("how", how).one_of({"log", "mirror"}).help("theta = log x, or theta = x or -x");
      mistake.declare(fields, {"no-jacobian", "no-reflection"});
    }
  };
  explicit WrongPositive(const Params& params)
      : logarithm_(params.how == "log"), mistake_(params.mistake) {}

  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {}}}; }

  /// x = -log(u v).
  void draw(const Stream& stream, Address at, Batch theta) const override {
    Eigen::MatrixXd uniform(3, theta.cols());
    stream.uniforms(at, uniform);
    for (Index j = 0; j < theta.cols(); ++j) {
      const double x = -std::log(uniform(0, j) * uniform(1, j));
      theta(0, j) = logarithm_ ? std::log(x) : uniform(2, j) < 0.5 ? x : -x;
    }
  }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double t = theta(0, j);
      const double power = mistake_.is("no-jacobian") ? 1.0 : 2.0;
      const double sign = t < 0.0 && !mistake_.is("no-reflection") ? -1.0 : 1.0;
      gradient(0, j) = logarithm_ ? std::exp(t) - power : sign - 1.0 / t;
      if (!out.wants_potential()) continue;
      out.u()(j) = logarithm_ ? std::exp(t) - power * t : sign * t - std::log(std::abs(t));
    }
  }
  void do_initial(const Stream& stream, Address at, Batch theta) const override {
    draw(stream, at, theta);
  }

  bool logarithm_;
  wrong::Mistake mistake_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongPositive>(
      {.id = "wrong-positive", .summary = "a positive parameter, with a mistake of choice"});
}
