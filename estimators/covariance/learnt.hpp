// What the estimators that learn from draws have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <memory>
#include <utility>

namespace mixwell::covariance {

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
