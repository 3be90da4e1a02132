// Generated quantities from the stored draws of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/manifest.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mixwell {

class StopRequest;

/// The result of generate_from.
struct GeneratedDraws {
  std::string folder;
  Index chains = 0;
  std::int64_t draws = 0;               ///< number of draws of each chain
  std::int64_t without_parameters = 0;  ///< number of draws with a NaN parameter, over all chains
};

/// Computes the generated quantities of the composition's model (Generated) at every draw in the
/// run's folder. The composition's first recorder writes them to `folder`, which must be new or
/// empty. Positions are passed to the model by name (NamedPositions). Random numbers depend on the
/// composition's seed, the draw and the chain. If a parameter is NaN, the generated quantities are
/// NaN. Throws InputError if the run lacks a parameter of the model or has it with another shape;
/// the message names the parameter. Throws Stopped if `stop` ends the computation. In both cases,
/// `folder` is not changed.
MIXWELL_EXPORT GeneratedDraws generate_from(const std::string& run, const Composition& composition,
                                            const std::string& folder,
                                            const StopRequest* stop = nullptr);

}  // namespace mixwell
