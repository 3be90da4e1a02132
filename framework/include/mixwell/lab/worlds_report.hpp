// What finite worlds say of the certificate of a composition, in words and as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/sampler.hpp>

#include <string>

namespace mixwell {

/// docs/worlds.md.
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

/// Reads the phases of a program on finite worlds, some 20 ms. `name`: of the composition;
/// `wants_example`: a counter-example too, which takes longer.
MIXWELL_EXPORT WorldsReport worlds_report(const Program& program, const std::string& name,
                                          bool wants_example);

}  // namespace mixwell
