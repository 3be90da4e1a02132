// A normal density whose U is far from 0 and kept in single precision.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

class WrongPrecision final : public Model, public ExactSampler {
 public:
  struct Params {
    wrong::Mistake mistake;
    void declare(Fields& fields) { mistake.declare(fields, {"single-precision"}); }
  };
  explicit WrongPrecision(const Params& params) : single_(params.mistake.is("single-precision")) {}

  std::vector<Parameter> parameters() const override { return {{"x", {2}, {}}}; }
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }
  void draw(const Stream& stream, Address at, Batch theta) const override {
    stream.normals(at, theta);
  }

 protected:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    gradient = theta;
    if (!out.wants_potential()) return;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double u = 1e7 + 0.5 * theta.col(j).squaredNorm();
      out.u()(j) = single_ ? static_cast<double>(static_cast<float>(u)) : u;
    }
  }

 private:
  bool single_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WrongPrecision>(
      {.id = "wrong-precision", .summary = "a normal density far from 0, in single precision"});
}
