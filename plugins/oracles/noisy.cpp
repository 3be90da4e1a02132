// The whole gradient with artificial noise, for simulations.
// SPDX-License-Identifier: Apache-2.0
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

class Noisy final : public Oracle {
 public:
  struct Params {
    double variance = 1.0;

    void declare(Fields& fields) {
      fields.number("variance", variance)
          .above(0)
          .help("V: every component of the gradient gets independent noise N(0, V), a variance");
    }
  };
  explicit Noisy(const Params& params) : variance_(params.variance) {}

  Value law(KernelGraph& graph, const std::string& path, Value factor) const override {
    auto base = std::dynamic_pointer_cast<const Potential>(graph[factor].function);
    return noise::add_noisy_law(graph, path, factor,
                                std::make_shared<NoisyPotential>(std::move(base), variance_));
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
           "exact. One evaluation counts as one gradient.",
       .sources = {"Chen, Fox & Guestrin 2014, ICML, figures 1 to 3"}});
}
