// Shared by tests of whole compositions: registries, manifests from text, refusal of mutants.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "guests.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/sampler.hpp>

#include <string>

namespace composing {

/// Built-in plugins, those of papers, the deliberately wrong ones in tests/wrong, the wirings of
/// tests/compositions, and those of examples.
inline const mixwell::Registry& registry() {
  static const mixwell::Registry all = [] {
    auto folders = guests::with_default_folders();
    folders.push_back(std::string(MIXWELL_BUILD_DIR) + "/tests/wrong");
    folders.push_back(std::string(MIXWELL_BUILD_DIR) + "/tests/compositions/plugins");
    folders.push_back(std::string(MIXWELL_BUILD_DIR) + "/examples/undeclared");
    folders.push_back(std::string(MIXWELL_BUILD_DIR) + "/examples/outside");
    return mixwell::Registry::load(folders);
  }();
  return all;
}

/// A composition from the lines below `mixwell = 1`.
inline mixwell::Composition compose(const std::string& body) {
  return mixwell::parse_manifest("mixwell = 1\n" + body, "test.toml", registry());
}

inline mixwell::Verdict verdict(const std::string& body) {
  return mixwell::compose(*compose(body).compositor).certificate.now;
}

/// Why these lines make no composition, or "accepted".
inline std::string refusal(const std::string& body) {
  try {
    mixwell::compose(*compose(body).compositor);
    return "accepted";
  } catch (const mixwell::InputError& fault) {
    return fault.what();
  }
}

}  // namespace composing
