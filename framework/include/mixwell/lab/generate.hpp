// What a model generates from the draws that a run has kept.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/manifest.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mixwell {

class StopRequest;

struct GeneratedDraws {
  std::string folder;
  Index chains = 0;
  std::int64_t draws = 0;               ///< of each chain
  std::int64_t without_parameters = 0;  ///< draws of all chains where a parameter is NaN
};

/// Draws what the composition's model generates (Generated) at every draw in the run's folder, and
/// writes it with the composition's first recorder into `folder`, which must be new or empty. The
/// model takes positions by name (NamedPositions); random numbers come from the composition's seed,
/// the draw and the chain. What is generated where a parameter is NaN is NaN. Throws InputError
/// where model and run do not fit, with the variable, and Stopped after a request `stop`; the
/// folder is then as it was before.
MIXWELL_EXPORT GeneratedDraws generate_from(const std::string& run, const Composition& composition,
                                            const std::string& folder,
                                            const StopRequest* stop = nullptr);

}  // namespace mixwell
