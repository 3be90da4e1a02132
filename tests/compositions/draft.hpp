// Manifests drawn from the registry.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "choice.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace compositions {

/// A manifest, not yet composed.
struct Draft {
  std::string text;
  std::string name;      ///< compositor-kernel-estimator-oracle, of those that it has
  std::string settings;  ///< the choices that are not defaults, in words
  /// Of the compositor, and of its last kernel with its integrator, oracle and estimators.
  std::vector<Choice> choices;
  std::string model;
  std::set<std::string> components;  ///< "kind/id" of all in it
};

/// Models that drafts are made on.
struct Models {
  std::string usual;               ///< of most drafts
  std::vector<std::string> exact;  ///< with exact draws: of most others
  std::vector<std::string> all;
};

/// A random walk on it: of a model that few kernels take, what random drafts seldom find.
std::vector<Choice> plainest_of(const std::string& model);

/// Asks every registered model that can be made without another one.
Models models_of(const mixwell::Registry& registry, const std::string& folder);

/// Draws a manifest: a compositor, then whatever each component refers to, then values of keys; all
/// at random but for the choices `wanted`, which are taken where they can be. The same seed, wishes
/// and registry give the same draft. Kernels beside the last one (in cycles, mixtures, of a pilot)
/// have an estimator of their own and defaults otherwise.
Draft draw(const mixwell::Registry& registry, const Models& models, std::uint64_t seed,
           const std::vector<Choice>& wanted = {});

}  // namespace compositions
