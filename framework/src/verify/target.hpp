// Targets with exact draws instead of a composition's model.
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

/// Targets whose gradients are Lipschitz, d = 2: heavy tails, not symmetric, correlated. The
/// Hessian of the first two changes. On quartic tails an Euler scheme has no stationary law.
std::vector<std::string> smooth_targets();

/// What becomes of a kernel's trajectory where eps is made smaller: its steps are at least so many,
/// then times a factor; or the redraws of a momentum that is carried become as much rarer, in
/// transitions, and weaker.
struct Refinement {
  std::int64_t least_steps = 1;
  std::int64_t steps = 1;
  std::int64_t between_redraws = 1;
};

class VerifyTargets {
 public:
  VerifyTargets(const Composition& composition, std::string path, const Registry& registry)
      : composition_(composition), path_(std::move(path)), registry_(registry) {}

  /// Whether a kernel's step size is a number of the manifest.
  bool has_step_sizes() const;
  /// Whether some kernel's step size falls with time, so that there is no error at a fixed one.
  bool has_schedule() const;
  bool can_compose(const std::string& target, double step_factor = 1.0) const;
  /// The composition on a target, with all step sizes multiplied and the numbers of steps of
  /// kernels changed. Throws InputError where the target lacks what a component asks of it.
  Composition composed(const std::string& target, double step_factor,
                       const Refinement& refinement = {}) const;
  /// The composition on a model that is there already, instead of its own.
  Composition composed_on(const std::shared_ptr<Model>& model, double step_factor) const;
  /// Why one of these cannot be tested: the message without its place, which is in a manifest that
  /// was made for the test.
  std::string reason(const Error& refusal) const;

 private:
  template <class Condition>
  bool any_key(Condition condition) const;

  const Composition& composition_;
  std::string path_;
  const Registry& registry_;
};

}  // namespace mixwell
