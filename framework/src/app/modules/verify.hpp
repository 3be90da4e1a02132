// What the program asks of the module of `mixwell verify`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "manifest/manifest_arguments.hpp"

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

extern "C" {
MIXWELL_EXPORT ExitCode mixwell_verify_command(const VerifyArguments& arguments);
}

}  // namespace mixwell::app
