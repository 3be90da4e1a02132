// What the program asks of the module that reads compositions on finite worlds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/sampler.hpp>

#include <string>

namespace mixwell::app {

struct WorldsRequest {
  const Program& program;
  std::string name;            ///< of the composition
  bool wants_example = false;  ///< a counter-example too
};

/// What finite worlds say of a certificate, in words; docs/worlds.md.
struct WorldsReport {
  std::string beside_evidence;  ///< ", and exactly invariant in 20 finite worlds"
  std::string note;             ///< that a rule may be too strict; or empty
  std::string contradiction;    ///< what the rules say and the counter-example; or empty
  std::string script;           ///< Python that recomputes the counter-example that was asked for
  std::string example;          ///< what the script prints, in one line
  std::string why_no_script;
  std::string json;          ///< a list of phases
  std::string example_json;  ///< of the script: phase, state and both probabilities
};

extern "C" {
MIXWELL_EXPORT void mixwell_read_on_worlds(const WorldsRequest& request, WorldsReport& report);
}

}  // namespace mixwell::app
