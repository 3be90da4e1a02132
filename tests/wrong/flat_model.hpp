// A model for broken plugins to register: U = 0 in one dimension.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

namespace wrong {

class FlatModel final : public mixwell::Model {
 public:
  struct Params {
    void declare(mixwell::Fields&) {}
  };
  explicit FlatModel(const Params&) {}
  std::vector<mixwell::Parameter> parameters() const override { return {{"x", {}, {}}}; }

 protected:
  void do_evaluate(mixwell::ConstBatch, const mixwell::Evaluation& out) const override {
    mixwell::Batch gradient = out.gradient;
    gradient.setZero();
    if (out.wants_potential()) out.u().setZero();
  }
};

}  // namespace wrong
