// The uniform law of directions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

namespace wrong {

/// Uniform on the unit sphere.
class UniformOnSphere final : public mixwell::Potential {
 public:
  void evaluate(const mixwell::Numbers&, mixwell::ConstBatch,
                const mixwell::Evaluation& out) const override {
    mixwell::Batch gradient = out.gradient;
    if (out.wants_gradient()) gradient.setZero();
    if (out.wants_potential()) out.u().setZero();
  }
  bool evaluates_potential_alone() const noexcept override { return true; }
  double gradient_cost() const noexcept override { return 0.0; }
  void draw(const mixwell::Numbers&, const mixwell::edge::Noise& noise, mixwell::Batch v,
            mixwell::Workspace&) const {
    noise.normals(v);
    v.colwise().normalize();
  }
};

}  // namespace wrong
