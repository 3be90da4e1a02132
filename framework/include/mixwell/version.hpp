// Versions of the framework.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define MIXWELL_VERSION "0.1.0"
/// Changes whenever a public header changes in a way that old plugins cannot survive.
#define MIXWELL_ABI_VERSION "0.1"
