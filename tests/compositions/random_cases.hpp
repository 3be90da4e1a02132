// Random cases by number: where each comes from, and what it is made to have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "chance.hpp"
#include "draft.hpp"
#include "wiring.hpp"

#include <mixwell/lab/registry.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace compositions {

struct RandomSettings {
  std::uint64_t seed = 1;
  std::string from = "both";  ///< or "registry", "wirings"
  std::string folder;         ///< where manifests would lie, beside their files
  Lie lie = Lie::none;
};

struct RandomCase {
  std::string manifest;
  std::string field{};  ///< what it was made to have; empty: whatever came
  bool is_wired = false;
  bool claims = false;  ///< it has the field, and its certificate claims what draws can refute
};

/// Cases of odd numbers are wirings and the others come from the registry, or all from one of them.
/// Half of the cases are made to have one of the fields that are known for where they come from,
/// each as likely as the others: by chance they would seldom be met.
class RandomCases {
 public:
  /// Both are kept.
  RandomCases(const RandomSettings& settings, const mixwell::Registry& registry);

  /// From 1 on; the same settings and registry give the same case.
  RandomCase at(std::size_t n) const;
  std::vector<std::string> fields() const;

 private:
  const RandomSettings& settings_;
  const mixwell::Registry& registry_;
  std::vector<Choice> choices_;
  Models models_;
};

}  // namespace compositions
