// U and its gradient from some of the cases.
// SPDX-License-Identifier: Apache-2.0
#include "noise/batch.hpp"
#include "noise/oracle.hpp"
#include "noise/seed.hpp"

#include <mixwell/error.hpp>
#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

/// U_0 + N/n sum over the batch of u_n, with a batch of its own for each column and draw.
class MinibatchPotential final : public Potential {
 public:
  MinibatchPotential(std::shared_ptr<const Potential> base, noise::BatchDraw batch)
      : base_(std::move(base)), batch_(batch) {}

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    const SumOfTerms& sum = *base_->as_sum();
    const Index w = theta.cols();
    MatrixMap indices = out.scratch.matrix(batch_.size(), w);
    for (Index j = 0; j < w; ++j) {
      batch_.draw(noise::stream_of(numbers, j), out.draw, indices.col(j), out.scratch);
    }
    MatrixMap g = out.scratch.matrix(theta.rows(), w);
    RowMap u = out.scratch.row(w);
    double* const potential = out.wants_potential() ? u.data() : nullptr;
    sum.evaluate_terms(theta, indices, {potential, g, out.scratch});
    sum.evaluate_rest(theta, out);
    flat(out.gradient) += batch_.scale() * flat(g);
    if (out.wants_potential()) out.u() += batch_.scale() * u;
  }
  double gradient_cost() const noexcept override { return 1.0 / batch_.scale(); }

 private:
  std::shared_ptr<const Potential> base_;
  noise::BatchDraw batch_;
};

class Minibatch final : public noise::NoisyOracle {
 public:
  struct Params {
    std::int64_t size = 100;
    bool replacement = false;
    bool shared = false;

    void declare(Fields& fields) {
      fields.integer("size", size).at_least(1).help("n, cases in a batch");
      fields.flag("replacement", replacement)
          .help(
              "whether a case may come twice in one batch; each batch is drawn afresh either way");
      noise::declare_shared(fields, shared);
    }
  };
  explicit Minibatch(const Params& params) : NoisyOracle(params.shared), params_(params) {}

 protected:
  std::shared_ptr<const Potential> make(std::shared_ptr<const Potential> base) const override {
    const SumOfTerms* sum = base == nullptr ? nullptr : base->as_sum();
    if (sum == nullptr) {
      throw InputError(
          "oracle `" + name() +
          "`: the model does not offer its potential as a sum over cases, of which a "
          "minibatch could take some; use a regression, or oracle `noisy` to simulate");
    }
    if (!params_.replacement && params_.size > sum->terms()) {
      throw InputError("oracle `" + name() + "`: size = " + std::to_string(params_.size) +
                       " cases without replacement, but the data have " +
                       std::to_string(sum->terms()) + "; take fewer, or set replacement = true");
    }
    const noise::BatchDraw batch(sum->terms(), params_.size, params_.replacement);
    return std::make_shared<MinibatchPotential>(std::move(base), batch);
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Minibatch>(
      {.id = "minibatch",
       .summary = "U and grad U from some of the cases, drawn afresh for every evaluation",
       .details =
           "U_0 + (N/n) sum of u_n over n cases, the full-sum convention: right in the mean, for U "
           "and for its gradient. Each replicate and each evaluation has a batch of its own; "
           "evaluations that must share one (the two gradients of a secant) ask for the same draw. "
           "With shared = true all users of the oracle see one batch in a sweep: harmless between "
           "the "
           "slots of an ensemble, biased between the drift of an update and its curvature. "
           "One evaluation counts as n/N gradients.",
       .sources = {"Welling & Teh 2011, ICML", "Bentley & Floyd 1987, Comm. ACM 30 (subsets)"}});
}
