// The common parts of estimators that use warmup draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <memory>
#include <utility>

namespace mixwell::covariance {

/// Calls `absorb(j, k)` for every column k of theta, in the order of k. Column j of the history
/// learns from column k of theta: j = k, or j = 0 if all columns share one history.
template <class Absorb>
void each_position(ConstBatch state, ConstBatch theta, const Absorb& absorb) {
  for (Index k = 0; k < theta.cols(); ++k) absorb(state.cols() == theta.cols() ? k : Index{0}, k);
}

/// Stan's shrinkage of an estimate from n draws towards 0.001 I, which has the weight of 5 draws.
/// It keeps the estimate positive definite even with few draws.
struct Shrinkage {
  explicit Shrinkage(double n) : keep(n / (n + 5.0)), add(1e-3 * 5.0 / (n + 5.0)) {}
  double keep;
  double add;
};

/// A preconditioner that is learnt from the warmup windows, for each replicate or pooled, and then
/// frozen.
class LearntEstimator : public LearntPreconditioner {
 public:
  struct Params {
    bool pool = false;
    void declare(Fields& fields) {
      fields.flag("pool", pool)
          .help(
              "fit one preconditioner to the draws of all replicates, instead of one for each "
              "replicate");
    }
  };

  std::shared_ptr<const Representation> representation() const override { return representation_; }
  Forgets forgets() const noexcept override { return Forgets::diminishing; }
  double rate() const noexcept override { return 1.0; }
  Scope scope() const noexcept override { return pool_ ? Scope::run : Scope::replicate; }

 protected:
  LearntEstimator(const Params& params, std::shared_ptr<const Representation> representation)
      : pool_(params.pool), representation_(std::move(representation)) {}

 private:
  bool pool_;
  std::shared_ptr<const Representation> representation_;
};

}  // namespace mixwell::covariance
