// A recipe for mutants: Langevin steps that are the shorter, the further out they start.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wrong/mistake.hpp"

#include <mixwell/plugin.hpp>
#include <mixwell/recipe.hpp>

#include <utility>

namespace wrong {

/// D = diag(1 / (c + theta_i^2)), Q = 0, Gamma_i = -2 theta_i / (c + theta_i^2)^2, c = 1. By
/// mistake Gamma is forgotten, half of it, or of the other sign, and declared total as before; or c
/// = 0, and the bound is declared as before.
class Narrowing final : public mixwell::Recipe {
 public:
  explicit Narrowing(Mistake mistake) : mistake_(std::move(mistake)) {}

  mixwell::Index rows(mixwell::Index dimension) const override { return dimension; }
  mixwell::Traits coefficients_traits() const override {
    mixwell::Traits traits;
    traits.continuous = true;
    traits.bound = mixwell::Bound::global;
    return traits;
  }
  void coefficients(const mixwell::Potential&, mixwell::ConstBatch z, mixwell::Batch numbers,
                    mixwell::Workspace&) const override {
    numbers = ((mistake_.is("bound") ? 0.0 : 1.0) + z.array().square()).inverse();
  }
  void D(mixwell::ConstBatch numbers, mixwell::ConstBatch v, mixwell::Batch out,
         mixwell::Workspace&) const override {
    out = numbers.cwiseProduct(v);
  }
  void root(mixwell::ConstBatch numbers, mixwell::ConstBatch x, mixwell::Batch out,
            mixwell::Workspace&) const override {
    out = numbers.cwiseSqrt().cwiseProduct(x);
  }
  bool has_gamma() const noexcept override { return true; }
  mixwell::Traits gamma_traits() const override {
    mixwell::Traits traits;
    traits.total = true;
    return traits;
  }
  void gamma(const mixwell::Potential&, mixwell::ConstBatch z, mixwell::ConstBatch numbers,
             mixwell::Batch out, mixwell::Workspace&) const override {
    const double share = mistake_.is("forgotten") ? 0.0
                         : mistake_.is("half")    ? 0.5
                         : mistake_.is("sign")    ? -1.0
                                                  : 1.0;
    out = -2.0 * share * z.array() * numbers.array().square();
  }

 private:
  Mistake mistake_;
};

}  // namespace wrong
