// What one change of a manifest makes of a composition that is not exact.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <string>
#include <vector>

namespace mixwell::app {

struct Cure {
  std::string change;  ///< as `--set` takes it: compositor.c.memory = "others"
  std::string label;   ///< Certificate::label after it
};

/// Changes of one key, to another of its words or from false to true and back, after which the
/// certificate is of a better class; the best class alone, at most three. Each is composed and
/// certified on the model that is there, so that what is named applies. A millisecond or two for
/// each word; none where it is exact.
std::vector<Cure> cures(const Composition& composition, const Certificate& certificate,
                        const Registry& registry);

/// "compositor.c.memory = \"others\" (exact)", with " or " between several; "" for none.
std::string text_of(const std::vector<Cure>& cures);

}  // namespace mixwell::app
