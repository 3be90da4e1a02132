// The recipe of Riemannian Langevin dynamics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>
#include <mixwell/recipe.hpp>

#include <memory>
#include <string>
#include <utility>

namespace mixwell::recipes {

/// D = H(theta) of an estimator that follows theta without a register, Q = 0 and its Gamma; no
/// auxiliaries. Costs what the estimator does.
class Sgrld final : public Recipe {
 public:
  explicit Sgrld(std::shared_ptr<const OwnCurvature> of) : of_(std::move(of)) {}

  std::string refusal(const Potential& target) const override { return of_->refusal(target); }
  Index rows(Index dimension) const override { return of_->rows(dimension); }
  Traits coefficients_traits() const override { return of_->traits(); }
  void coefficients(const Potential& target, ConstBatch theta, Batch numbers,
                    Workspace& scratch) const override {
    of_->fit(target, theta, theta, numbers, scratch);
  }
  void D(ConstBatch numbers, ConstBatch v, Batch out, Workspace& scratch) const override {
    of_->representation()->H(numbers, v, out, scratch);
  }
  void root(ConstBatch numbers, ConstBatch x, Batch out, Workspace& scratch) const override {
    of_->representation()->S(numbers, x, out, scratch);
  }

  const Component& rests_on() const noexcept override { return *of_; }
  bool has_gamma() const noexcept override { return of_->has_drift_correction(); }
  Traits gamma_traits() const override { return of_->drift_correction_traits(); }
  void gamma(const Potential& target, ConstBatch theta, ConstBatch numbers, Batch out,
             Workspace& scratch) const override {
    of_->drift_correction(target, theta, theta, numbers, out, scratch);
  }

 private:
  std::shared_ptr<const OwnCurvature> of_;
};

}  // namespace mixwell::recipes
