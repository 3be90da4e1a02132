// Marks the symbols that Mixwell's shared libraries export. All other symbols are hidden.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define MIXWELL_EXPORT __attribute__((visibility("default")))
/// Exports a symbol only to Mixwell's other libraries and its program. The symbol is not part of
/// the API.
#define MIXWELL_INTERNAL __attribute__((visibility("default")))
