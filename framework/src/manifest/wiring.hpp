// The second of three parts of resolving a manifest: who is connected to what.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "manifest/binder.hpp"

#include <mixwell/kernel.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/recorder.hpp>

#include <memory>
#include <vector>

namespace mixwell {

/// A manifest whose components are made, each with those that its keys refer to.
struct WiredManifest {
  BoundManifest bound;
  std::shared_ptr<const Compositor> compositor;
  std::vector<std::shared_ptr<const Recorder>> recorders;  ///< the first writes draws.nc
  std::shared_ptr<Portions> division;  ///< of run.ranks = "data" or "coordinates", else null
  bool is_divided = false;             ///< a model is
};

/// Makes the compositor and the recorders, and all that they refer to. `ranks`: among which models
/// are divided; null where this process is alone. Throws InputError.
WiredManifest wire(BoundManifest bound, Ranks* ranks);

}  // namespace mixwell
