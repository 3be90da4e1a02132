// Oracle `noisy`: the full gradient with artificial noise, for simulations.
// SPDX-License-Identifier: Apache-2.0
#include "noise/oracle.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

/// grad U + sqrt(V) z. The covariance of the noise is known: V I.
class NoisyPotential final : public Potential, private GradientNoise {
 public:
  NoisyPotential(std::shared_ptr<const Potential> base, double variance)
      : base_(std::move(base)), variance_(variance), sd_(std::sqrt(variance)) {}

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
  const GradientNoise* as_noise() const noexcept override { return this; }

 private:
  void covariance_diagonal(const Numbers&, ConstBatch, std::uint32_t, Batch out,
                           Workspace&) const override {
    out.setConstant(variance_);
  }
  void covariance(const Numbers&, ConstBatch theta, std::uint32_t, Batch out,
                  Workspace&) const override {
    const Index d = theta.rows();
    out.setZero();
    for (Index i = 0; i < d; ++i) out.row(i * (d + 1)).setConstant(variance_);
  }

  std::shared_ptr<const Potential> base_;
  double variance_;
  double sd_;
};

class Noisy final : public noise::ChangingOracle {
 public:
  struct Params {
    double variance = 1.0;
    bool shared = false;

    void declare(Fields& fields) {
      fields.number("variance", variance)
          .above(0)
          .help("variance V of the independent noise N(0, V) in each component of the gradient");
      noise::declare_shared(fields, shared);
    }
  };
  explicit Noisy(const Params& params)
      : ChangingOracle(params.shared), variance_(params.variance) {}

 private:
  Value add(KernelGraph& graph, const std::string& path, Value factor,
            std::shared_ptr<const Potential> base) const override {
    return noise::add_noisy_law(graph, path, factor,
                                std::make_shared<NoisyPotential>(std::move(base), variance_),
                                {.unbiased = true, .exact_potential = true});
  }

  double variance_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Noisy>(
      {.id = "noisy",
       .summary = "The full gradient with added noise N(0, V), to simulate minibatches",
       .details =
           "Each evaluation in each replicate has its own noise vector, which does not depend on "
           "the position. U itself stays exact. If shared = true, all kernels and slots that use "
           "the oracle share their noise within a sweep. One evaluation counts as one gradient.",
       .sources = {"Chen, Fox & Guestrin 2014, ICML, figures 1 to 3"}});
}
