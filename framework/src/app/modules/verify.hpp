// What the program asks of the module of `mixwell verify`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/manifest_arguments.hpp"

#include <mixwell/error.hpp>
#include <mixwell/export.hpp>
#include <mixwell/lab/verify.hpp>

namespace mixwell::app {

struct VerifyArguments {
  ManifestArguments manifest;
  VerifySettings settings;
  int threads = 0;  ///< 0 = all cores
  bool json = false;
};

/// Of a composition that is there.
struct VerifyRequest {
  const Composition& composition;
  std::string path;  ///< as verify() takes it
  const Registry& registry;
  VerifySettings settings;
  int threads = 0;  ///< 0 = all cores
};

extern "C" {
MIXWELL_EXPORT ExitCode mixwell_verify_command(const VerifyArguments& arguments);
/// What `mixwell verify --json` prints.
MIXWELL_EXPORT void mixwell_verify_json(const VerifyRequest& request, std::string& json);
}

}  // namespace mixwell::app
