// What the program asks of the module of `mixwell posteriordb`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <string>

namespace mixwell::app {

struct PosteriordbArguments {
  std::string checkout;
  std::string folder = "out/posteriordb";
  std::string engine = "auto";

  /// The study that is made.
  std::string study() const { return folder + "/posteriordb.toml"; }
};

extern "C" {
/// Writes the study, its data and the reference draws.
MIXWELL_EXPORT void mixwell_posteriordb_prepare(const PosteriordbArguments& arguments);
}

}  // namespace mixwell::app
