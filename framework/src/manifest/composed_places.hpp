// The places of a manifest, with the cures that only the registry knows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "component/places.hpp"

#include <mixwell/lab/registry.hpp>

#include <memory>

namespace mixwell {

/// What is refused later names places of `manifest`, and plugins of `registry` as cures.
std::shared_ptr<const Places> composed_places(std::shared_ptr<const Places> manifest,
                                              const Registry& registry);

}  // namespace mixwell
