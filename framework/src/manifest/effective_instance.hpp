// What an effective manifest says of a component.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "manifest/effective.hpp"
#include "manifest/instance.hpp"

namespace mixwell {

/// Its table with every key.
EffectiveTable effective(const Instance& instance);

}  // namespace mixwell
