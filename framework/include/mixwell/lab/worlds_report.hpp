// The results of finite worlds for a composition's certificate, in words and as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/sampler.hpp>

#include <string>

namespace mixwell {

/// Texts for a report. See docs/worlds.md.
struct WorldsReport {
  std::string beside_evidence;  ///< ", and exactly invariant in 20 finite worlds"
  std::string note;             ///< remark that a rule may be too strict, or ""
  std::string contradiction;    ///< the claim of the rules and the counterexample, or ""
  std::string script;           ///< Python that recomputes the requested counterexample
  std::string example;          ///< what the script prints, in one line
  std::string why_no_script;
  std::string json;          ///< a list of phases
  std::string example_json;  ///< result of the script: phase, state and both probabilities
};

/// Reads the phases of a program on finite worlds in about 20 ms. `name` is the name of the
/// composition. With `wants_example` it also searches for a counterexample, which takes longer.
MIXWELL_EXPORT WorldsReport worlds_report(const Program& program, const std::string& name,
                                          bool wants_example);

}  // namespace mixwell
