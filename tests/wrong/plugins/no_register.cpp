// A plugin with a right tag that forgot its register function.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

extern "C" {
MIXWELL_EXPORT extern const char mixwell_abi_tag[];
__attribute__((section(MIXWELL_ABI_SECTION_), used)) const char mixwell_abi_tag[] = MIXWELL_ABI_TAG;
}
