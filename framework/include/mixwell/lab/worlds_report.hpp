// Reports in words and as JSON whether finite worlds agree with a composition's certificate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/sampler.hpp>

#include <string>

namespace mixwell {

/// Texts for a report. See docs/worlds.md.
struct WorldsReport {
  std::string beside_evidence;  ///< ", and exactly invariant in 20 finite worlds"
  std::string note;             ///< a remark that a certificate rule may be too strict, or ""
  std::string contradiction;  ///< describes the contradicted verdict and the counterexample, or ""
  std::string script;         ///< a Python script that recomputes the requested counterexample
  std::string example;        ///< the output of the script, in one line
  std::string why_no_script;
  std::string json;          ///< a list with the result of each phase
  std::string example_json;  ///< result of the script: phase, state and both probabilities
};

/// Tests the phases of a program on finite worlds in about 20 ms. `name` is the name of the
/// composition. If `wants_example` is true, it also searches for a counterexample, which takes
/// longer.
MIXWELL_EXPORT WorldsReport worlds_report(const Program& program, const std::string& name,
                                          bool wants_example);

}  // namespace mixwell
