// run.json: what happened in a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/sampler.hpp>

#include <string>

namespace mixwell {

/// Spent in one phase.
struct PhaseCost {
  std::int64_t sweeps = 0;
  double seconds = 0.0;
  double gradients = 0.0;
  double gradients_before = 0.0;  ///< when it began
};

struct RunReport {
  std::string outcome;
  std::string ended_by;
  std::string error;  ///< with which an operation ended the run, or ""
  std::string created_at;
  std::string draws_sha256;
  std::int64_t draws = 0;
  int threads = 0;
  PhaseCost warmup;
  PhaseCost sampling;
};

std::string run_json(const RunReport& report, const Composition& composition,
                     const Sampler& sampler);

}  // namespace mixwell
