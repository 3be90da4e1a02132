// The Gaussian prior of a transition's model, for mutants of kernels that know one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <memory>
#include <string>

namespace wrong {

/// Of a site that is the whole of a model. Keeps the model alive.
class PriorOf {
 public:
  PriorOf(const mixwell::Transition& t, const std::string& kernel)
      : law_(t.graph()[t.site().target].function) {
    const auto* const potential = dynamic_cast<const mixwell::Potential*>(law_.get());
    const mixwell::Model* const model = potential == nullptr ? nullptr : potential->as_model();
    prior_ = model == nullptr ? nullptr : model->offers<mixwell::GaussianPrior>();
    if (prior_ == nullptr) throw mixwell::InputError("kernel `" + kernel + "`: no Gaussian prior");
  }
  const mixwell::GaussianPrior* operator->() const noexcept { return prior_; }

 private:
  std::shared_ptr<const mixwell::Function> law_;
  const mixwell::GaussianPrior* prior_;
};

}  // namespace wrong
