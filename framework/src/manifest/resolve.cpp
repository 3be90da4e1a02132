// From declarations to components: names looked up, parameters checked, references wired.
// SPDX-License-Identifier: Apache-2.0
#include "manifest/resolve.hpp"

#include "manifest/binder.hpp"
#include "manifest/settling.hpp"
#include "manifest/wiring.hpp"

#include <utility>

namespace mixwell {

Composition resolve(std::shared_ptr<const ManifestText> manifest, const Registry& registry,
                    Ranks* ranks) {
  return settle(wire(Binder(std::move(manifest), registry).bind(), ranks));
}

}  // namespace mixwell
