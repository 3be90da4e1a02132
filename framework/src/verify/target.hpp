// Test targets, which have exact draws and replace the model of a composition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell {

/// Targets with Lipschitz gradients and d = 2: with heavy tails, asymmetric, and correlated. The
/// Hessians of the first and the second target are not constant. Ladders need such targets, because
/// an Euler scheme has no stationary law on quartic tails.
std::vector<std::string> smooth_targets();

/// How the trajectory of a kernel changes for smaller eps. A trajectory gets at least `least_steps`
/// steps, multiplied by the factor `steps`. If a kernel carries its momentum instead, the redraws
/// become rarer (in transitions) and weaker by the factor `between_redraws`.
struct Refinement {
  std::int64_t least_steps = 1;
  std::int64_t steps = 1;
  std::int64_t between_redraws = 1;
};

class VerifyTargets {
 public:
  VerifyTargets(const Composition& composition, std::string path, const Registry& registry)
      : composition_(composition), path_(std::move(path)), registry_(registry) {}

  /// Whether the manifest has the step size of some kernel as a number.
  bool has_step_sizes() const;
  /// Whether the step size of some kernel falls with time. There is then no error at a fixed step
  /// size.
  bool has_schedule() const;
  bool can_compose(const std::string& target, double step_factor = 1.0) const;
  /// Composes on a target. Multiplies all step sizes by `step_factor` and applies `refinement`.
  /// Throws InputError if the target lacks something that a component requires.
  Composition composed(const std::string& target, double step_factor,
                       const Refinement& refinement = {}) const;
  /// Composes on an existing model instead of the manifest's model.
  Composition composed_on(const std::shared_ptr<Model>& model, double step_factor) const;
  /// The reason why a target cannot be tested: the message of `refusal` without its location. The
  /// location is in a manifest that was made for the test, so users do not need it.
  std::string reason(const Error& refusal) const;

 private:
  template <class Condition>
  bool any_key(Condition condition) const;

  const Composition& composition_;
  std::string path_;
  const Registry& registry_;
};

}  // namespace mixwell
