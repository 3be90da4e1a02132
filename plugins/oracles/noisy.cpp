// The whole gradient with artificial noise, for simulations.
// SPDX-License-Identifier: Apache-2.0
#include "noise/oracle.hpp"
#include "noise/seed.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

/// grad U + sqrt(V) z.
class NoisyPotential final : public Potential {
 public:
  NoisyPotential(std::shared_ptr<const Potential> base, double variance)
      : base_(std::move(base)), sd_(std::sqrt(variance)) {}

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    base_->evaluate({ConstMatrixMap(nullptr, 0, theta.cols())}, theta, out);
    MatrixMap z = out.scratch.matrix(theta.rows(), theta.cols());
    for (Index j = 0; j < theta.cols(); ++j) {
      noise::stream_of(numbers, j).normals({0, out.draw, 0}, z.col(j));
    }
    flat(out.gradient) += sd_ * flat(z);
  }
  double gradient_cost() const noexcept override { return base_->gradient_cost(); }

 private:
  std::shared_ptr<const Potential> base_;
  double sd_;
};

class Noisy final : public noise::NoisyOracle {
 public:
  struct Params {
    double variance = 1.0;
    bool shared = false;

    void declare(Fields& fields) {
      fields.number("variance", variance)
          .above(0)
          .help("V: every component of the gradient gets independent noise N(0, V), a variance");
      noise::declare_shared(fields, shared);
    }
  };
  explicit Noisy(const Params& params) : NoisyOracle(params.shared), variance_(params.variance) {}

 protected:
  std::shared_ptr<const Potential> make(std::shared_ptr<const Potential> base) const override {
    return std::make_shared<NoisyPotential>(std::move(base), variance_);
  }

 private:
  double variance_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Noisy>(
      {.id = "noisy",
       .summary = "the whole gradient with noise N(0, V) added, to simulate minibatches",
       .details =
           "Fresh for every replicate and evaluation, independent of the position; U itself stays "
           "exact. With shared = true all users of the oracle see one noise in a sweep. One "
           "evaluation counts as one gradient.",
       .sources = {"Chen, Fox & Guestrin 2014, ICML, figures 1 to 3"}});
}
