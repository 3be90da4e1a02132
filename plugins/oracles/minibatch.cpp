// Oracle `minibatch`: U and its gradient from a random subset of the cases.
// SPDX-License-Identifier: Apache-2.0
#include "noise/batch.hpp"
#include "noise/oracle.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

/// U_0 + N/n sum over the batch of u_n. Costs 4 n d operations in addition to U_0, and n weights.
class MinibatchPotential final : public noise::BatchPotential {
 public:
  using BatchPotential::BatchPotential;

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    const Index w = theta.cols();
    const MatrixMap indices = draw_indices(numbers, w, out.draw, out.scratch);
    MatrixMap g = out.scratch.matrix(theta.rows(), w);
    RowMap u = out.scratch.row(w);
    double* const potential = out.wants_potential() ? u.data() : nullptr;
    sum().evaluate_terms(theta, indices, {potential, g, out.scratch});
    sum().evaluate_rest(theta, out);
    flat(out.gradient) += batch().scale() * flat(g);
    if (out.wants_potential()) out.u() += batch().scale() * u;
  }
  double gradient_cost() const noexcept override { return 1.0 / batch().scale(); }

 private:
  double information_share() const noexcept override { return batch().information_share(); }
  void noisy_terms(ConstBatch theta, ConstBatch indices, Batch out,
                   Workspace& scratch) const override {
    sum().gradients_of_terms(theta, indices, out, scratch);
  }
};

class Minibatch final : public noise::ChangingOracle {
 public:
  using Params = noise::BatchParams;
  explicit Minibatch(const Params& params) : ChangingOracle(params.shared), params_(params) {}

 private:
  Value add(KernelGraph& graph, const std::string& path, Value factor,
            std::shared_ptr<const Potential> base) const override {
    const noise::BatchDraw batch = params_.of(base.get(), "oracle `" + name() + "`");
    return noise::add_noisy_law(graph, path, factor,
                                std::make_shared<MinibatchPotential>(std::move(base), batch),
                                {.unbiased = true});
  }

  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Minibatch>(
      {.id = "minibatch",
       .summary =
           "U and grad U from a random subset of the cases, drawn again for every evaluation",
       .details =
           "The potential is U = U_0 + sum of u_k over all N cases k. Its estimate is U_0 + (N/n) "
           "sum of u_k over n cases k. This estimate and its gradient are unbiased. Each replicate "
           "and each evaluation has its own batch. There are exceptions: for example, the two "
           "gradients of a secant pair share a batch. If shared = true, all kernels and slots that "
           "use the oracle share one batch in each sweep. The slots of an ensemble can share a "
           "batch without bias. An update is biased if its drift and its preconditioner share a "
           "batch. One evaluation counts as n/N gradients. Mixwell estimates the covariance of the "
           "gradient noise from the batch: N^2/n times the sample covariance of the gradients of "
           "u_k, multiplied by 1 - n/N if cases are drawn without replacement.",
       .sources = {"Welling & Teh 2011, ICML", "Bentley & Floyd 1987, Comm. ACM 30 (subsets)"}});
}
