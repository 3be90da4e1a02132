// What estimators of curvatures that follow their slot have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <memory>
#include <utility>

namespace mixwell::own {

class FollowingEstimator : public OwnCurvature {
 public:
  static Traits declared() {
    Traits traits;
    traits.continuous = true;
    return traits;
  }
  Traits traits() const override { return declared(); }
  std::shared_ptr<const Representation> representation() const override { return representation_; }

 protected:
  explicit FollowingEstimator(std::shared_ptr<const Representation> representation)
      : representation_(std::move(representation)) {}

 private:
  std::shared_ptr<const Representation> representation_;
};

}  // namespace mixwell::own
