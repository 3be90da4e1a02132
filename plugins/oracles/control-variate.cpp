// U and its gradient from some of the cases, as differences to a point where all are known.
// SPDX-License-Identifier: Apache-2.0
#include "control-variate/reference.hpp"
#include "noise/batch_params.hpp"
#include "noise/batch_potential.hpp"
#include "noise/oracle.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace mixwell::control_variate {
namespace {

/// U and grad U of a law at one point, without its rest.
struct ReferencePoint {
  ReferencePoint(const Potential& law, Eigen::VectorXd point)
      : theta(std::move(point)), g(theta.size()) {
    Workspace scratch;
    const double none = 0.0;
    MatrixMap whole(g.data(), g.size(), 1);
    law.evaluate(ConstMatrixMap(&none, 0, 1), theta, {&u, whole, scratch});
    MatrixMap rest = scratch.matrix(g.size(), 1);
    double rest_u = 0.0;
    law.offers<SumOfTerms>()->evaluate_rest(theta, {&rest_u, rest, scratch});
    u -= rest_u;
    g -= rest;
  }

  Eigen::VectorXd theta;
  double u = 0.0;
  Eigen::VectorXd g;
};

/// U(r) + U_0(theta) - U_0(r) + N/n sum over the batch of (u_n(theta) - u_n(r)) and its gradient,
/// r the reference: 8 n d beyond U_0, and 2 n weights.
class ControlVariatePotential final : public noise::BatchPotential {
 public:
  ControlVariatePotential(std::shared_ptr<const Potential> base, noise::BatchDraw batch,
                          std::shared_ptr<const ReferencePoint> reference)
      : BatchPotential(std::move(base), batch), reference_(std::move(reference)) {}

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    const Index w = theta.cols();
    const MatrixMap indices = draw_indices(numbers, w, out.draw, out.scratch);
    MatrixMap at = out.scratch.matrix(theta.rows(), w);
    at.colwise() = reference_->theta;
    MatrixMap here = out.scratch.matrix(theta.rows(), w);
    MatrixMap there = out.scratch.matrix(theta.rows(), w);
    RowMap u_here = out.scratch.row(w);
    RowMap u_there = out.scratch.row(w);
    const bool wants = out.wants_potential();
    sum().evaluate_terms(theta, indices, {wants ? u_here.data() : nullptr, here, out.scratch});
    sum().evaluate_terms(at, indices, {wants ? u_there.data() : nullptr, there, out.scratch});
    sum().evaluate_rest(theta, out);
    Batch gradient = out.gradient;
    gradient += batch().scale() * (here - there);
    gradient.colwise() += reference_->g;
    if (!wants) return;
    out.u() += batch().scale() * (u_here - u_there);
    out.u().array() += reference_->u;
  }
  double gradient_cost() const noexcept override { return 2.0 / batch().scale(); }

 private:
  void noisy_terms(ConstBatch theta, ConstBatch indices, Batch out,
                   Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    MatrixMap there = scratch.matrix(out.rows(), out.cols());
    sum().gradients_of_terms(theta, indices, out, scratch);
    sum().gradients_of_terms(reference_->theta, indices, there, scratch);
    out -= there;
  }

  std::shared_ptr<const ReferencePoint> reference_;
};

class ControlVariate final : public noise::NoisyOracle {
 public:
  struct Params {
    noise::BatchParams batch;
    std::string reference = "map";

    void declare(Fields& fields) {
      batch.declare(fields);
      fields.text("reference", reference)
          .one_of({"map"})
          .file()
          .help(
              "the point r: map, the mode, found once before the run; or the mean of a draws.nc of "
              "this model, or of the rows of a CSV with a header and a column per coordinate");
    }
  };
  explicit ControlVariate(const Params& params)
      : NoisyOracle(params.batch.shared), params_(params) {}

 protected:
  std::shared_ptr<const Potential> make(std::shared_ptr<const Potential> base) const override {
    const std::string who = "oracle `" + name() + "`";
    const noise::BatchDraw batch = params_.batch.of(base.get(), who);
    if (base->as_model() == nullptr) {
      throw InputError(who +
                       ": wants the law of a model itself, but this one was made from it; use "
                       "oracle `exact` there");
    }
    auto reference = reference_of(*base, who);
    return std::make_shared<ControlVariatePotential>(std::move(base), batch, std::move(reference));
  }

 private:
  /// Found once for each model, whatever the number of laws and graphs.
  std::shared_ptr<const ReferencePoint> reference_of(const Potential& law,
                                                     const std::string& who) const {
    const Model& model = *law.as_model();
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const ReferencePoint>& found = known_[&model];
    if (found != nullptr) return found;
    auto reference = std::make_shared<const ReferencePoint>(
        law, control_variate::point_of(params_.reference, law, model, who));
    if (!std::isfinite(reference->u) || !reference->g.allFinite()) {
      throw InputError(who + ": U or its gradient is not finite at the reference, " +
                       params_.reference);
    }
    return found = std::move(reference);
  }

  Params params_;
  mutable std::mutex mutex_;
  mutable std::map<const Model*, std::shared_ptr<const ReferencePoint>> known_;
};

}  // namespace
}  // namespace mixwell::control_variate

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::control_variate::ControlVariate>(
      {.id = "control-variate",
       .summary = "minibatches of differences to a point near the mode, with less noise there",
       .details =
           "U(r) + U_0(theta) - U_0(r) + (N/n) sum of (u_n(theta) - u_n(r)) over n cases, and its "
           "gradient: right in the mean for every theta and every fixed reference r, without noise "
           "at r, and with noise that grows with |theta - r|, which near the mode of many cases is "
           "much smaller than a minibatch's. r, U and grad U of all cases there are found once, "
           "before the run, and not counted; an evaluation takes two minibatch gradients and "
           "counts as 2 n/N. The "
           "noise is estimated as that of `minibatch`, from the differences.",
       .sources = {"Baker, Fearnhead, Fox & Nemeth 2019, Statistics and Computing 29",
                   "Nagapetyan et al. 2017, arXiv:1706.02692"}});
}
