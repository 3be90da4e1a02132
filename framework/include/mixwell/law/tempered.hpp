// A law raised to a power: exp(-beta U).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/law/function.hpp>

#include <memory>
#include <utility>

namespace mixwell {

/// Computes beta U and beta grad U at the cost of U and grad U. beta is an inverse temperature: a
/// value below 1 makes the density flatter.
class MIXWELL_EXPORT TemperedPotential final : public Potential {
 public:
  TemperedPotential(std::shared_ptr<const Potential> base, double beta) noexcept
      : base_(std::move(base)), beta_(beta) {}

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override;
  bool evaluates_potential_alone() const noexcept override {
    return base_->evaluates_potential_alone();
  }
  double gradient_cost() const noexcept override { return base_->gradient_cost(); }
  GradientGrowth gradient_growth() const noexcept override { return base_->gradient_growth(); }

 private:
  std::shared_ptr<const Potential> base_;
  double beta_;
};

}  // namespace mixwell
