// A shared library that has nothing to do with Mixwell.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/export.hpp>

extern "C" MIXWELL_EXPORT int answer() { return 42; }
