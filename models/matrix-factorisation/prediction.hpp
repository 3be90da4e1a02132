// How well factors predict ratings that were held out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "likelihood.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace mixwell::factorisation {

/// The expected ratings of held-out pairs, moved to the ends of `clip` where they are beyond them,
/// as each draw gives them.
class HeldOut final : public Prediction {
 public:
  HeldOut(Likelihood likelihood, std::optional<Interval> clip)
      : likelihood_(std::move(likelihood)), clip_(clip) {}

  Index cases() const override { return likelihood_.ratings().size(); }
  void predict(ConstBatch theta, Batch out) const override {
    for (Index r = 0; r < theta.cols(); ++r) {
      for (Index n = 0; n < cases(); ++n)
        out(n, r) = clipped(likelihood_.expected(theta.col(r).data(), n));
    }
  }
  std::string measure() const override { return "root mean square error"; }
  double error(const Eigen::VectorXd& averages) const override {
    return std::sqrt((averages - likelihood_.ratings().values).squaredNorm() /
                     static_cast<double>(cases()));
  }

 private:
  double clipped(double rating) const {
    return clip_ ? std::clamp(rating, clip_->first, clip_->second) : rating;
  }

  Likelihood likelihood_;
  std::optional<Interval> clip_;
};

}  // namespace mixwell::factorisation
