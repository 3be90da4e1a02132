// The common parts of estimators whose preconditioner depends on the slot's own position.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <memory>
#include <utility>

namespace mixwell::own {

class FollowingEstimator : public OwnPreconditioner {
 public:
  Traits traits() const override { return traits_; }
  std::shared_ptr<const Representation> representation() const override { return representation_; }

 protected:
  static Traits continuous(Bound bound) {
    Traits traits;
    traits.continuous = true;
    traits.bound = bound;
    return traits;
  }
  FollowingEstimator(std::shared_ptr<const Representation> representation, Traits traits)
      : representation_(std::move(representation)), traits_(std::move(traits)) {}

 private:
  std::shared_ptr<const Representation> representation_;
  Traits traits_;
};

}  // namespace mixwell::own
