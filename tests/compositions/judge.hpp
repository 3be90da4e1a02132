// One case: its certificate, and what worlds and draws say about it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "row.hpp"

#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/verify.hpp>

#include <string>

namespace compositions {

/// A manifest, and what it may spend.
struct Case {
  std::string id;
  std::string manifest;
  double level = 1.0;        ///< chance that draws call a right verdict wrong
  bool drawn = true;         ///< although worlds find it invariant: for what they cannot see
  std::string settings{};    ///< what is not usual about it, in words
  bool small_steps = false;  ///< those without a decision are so small that no ladder is needed
};

struct JudgeSettings {
  std::string folder;              ///< where manifests lie, or would lie, beside their files
  std::string key;                 ///< Row::key
  mixwell::VerifySettings verify;  ///< of one run of verify: its alpha is far above most levels
  double second_budget = 8.0;      ///< times the budget, for what the first left open
  bool asks_claims_only = false;   ///< draws nothing of what is proved to be biased, or adapts
  bool claims_all = false;  ///< a lie: whatever a certificate says, it is taken to claim the target
};

/// Whether it claims what a finite run could refute.
bool claims(const mixwell::Verdict& verdict);

/// Throws nothing: what is thrown is an outcome.
Row judged(const Case& one, const mixwell::Registry& registry, const JudgeSettings& settings);

}  // namespace compositions
