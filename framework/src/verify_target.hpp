// Targets with exact draws in the place of a composition's model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/manifest.hpp>
#include <mixwell/registry.hpp>

#include <string>

namespace mixwell {

class VerifyTargets {
 public:
  VerifyTargets(const Composition& composition, std::string path, const Registry& registry)
      : composition_(composition), path_(std::move(path)), registry_(registry) {}

  /// Whether a kernel's step size is a number of the manifest.
  bool has_step_sizes() const;
  /// The composition on a target, with all step sizes of kernels multiplied. Throws InputError
  /// where the target lacks what a component asks of it, or has no exact draws.
  Composition composed(const std::string& target, double step_factor) const;

 private:
  const Composition& composition_;
  std::string path_;
  const Registry& registry_;
};

}  // namespace mixwell
