// What a shared library of Mixwell shows to others; everything else is hidden.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define MIXWELL_EXPORT __attribute__((visibility("default")))
/// Shown to Mixwell's other libraries and its program; no part of the API.
#define MIXWELL_INTERNAL __attribute__((visibility("default")))
