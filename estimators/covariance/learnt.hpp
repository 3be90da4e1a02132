// What the estimators that learn from draws have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <memory>
#include <utility>

namespace mixwell::covariance {

/// Calls `absorb(j, k)` for every column k of theta, j being the register's column that sees it:
/// its own, or the shared one, in the order of k.
template <class Absorb>
void each_position(ConstBatch state, ConstBatch theta, const Absorb& absorb) {
  for (Index k = 0; k < theta.cols(); ++k) absorb(state.cols() == theta.cols() ? k : Index{0}, k);
}

/// Stan's shrinkage of an estimate from n draws, towards 0.001 I with the weight of 5 draws: it
/// keeps the estimate positive definite however few draws there were.
struct Shrinkage {
  explicit Shrinkage(double n) : keep(n / (n + 5.0)), add(1e-3 * 5.0 / (n + 5.0)) {}
  double keep;
  double add;
};

/// A curvature learnt from the windows of warm-up, for each replicate or pooled, and then frozen.
class LearntEstimator : public LearntCurvature {
 public:
  struct Params {
    bool pool = false;
    void declare(Fields& fields) {
      fields.flag("pool", pool)
          .help("one curvature for all replicates, from the draws of all, instead of one for each");
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
