// The law of a model with some of its parameters integrated out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::blocks {

/// Takes whole positions, but reads only the parameters that are not integrated out.
class MarginalPotential final : public Potential {
 public:
  MarginalPotential(std::shared_ptr<const Model> model, std::size_t which)
      : model_(std::move(model)), laws_(*model_->offers<MarginalLaws>()), which_(which) {}

  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    laws_.evaluate_marginal(which_, theta, out);
  }
  bool evaluates_potential_alone() const noexcept override { return true; }

 private:
  std::shared_ptr<const Model> model_;
  const MarginalLaws& laws_;
  std::size_t which_;
};

/// The marginal law that replaces `target`, which is the model's own law.
inline Value marginal_law(KernelGraph& graph, std::string name, Value target,
                          std::shared_ptr<const Model> model, std::size_t which) {
  return graph.view(std::move(name), std::make_shared<MarginalPotential>(std::move(model), which),
                    target, {.marginal = true}, target);
}

}  // namespace mixwell::blocks
