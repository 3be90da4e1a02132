// What the program asks of the module of `mixwell posteriordb`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/error.hpp>
#include <mixwell/export.hpp>

#include <string>

namespace mixwell::app {

struct PosteriordbArguments {
  std::string checkout;
  std::string only;
  std::string folder = "out/posteriordb";
  std::string engine = "auto";
  int jobs = 0;
  bool table = false;
  bool json = false;
  bool retry = false;
  bool quiet = false;

  /// The study that is made, and where its results go.
  std::string study() const { return folder + "/posteriordb.toml"; }
  std::string results() const { return folder + "/results"; }
};

extern "C" {
/// Writes the study, its data and the reference draws.
MIXWELL_EXPORT void mixwell_posteriordb_prepare(const PosteriordbArguments& arguments);
/// Prints how far each posterior is from its reference draws.
MIXWELL_EXPORT ExitCode mixwell_posteriordb_table(const PosteriordbArguments& arguments);
}

}  // namespace mixwell::app
