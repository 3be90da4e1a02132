// A plugin built with another Eigen: its tag differs in one field, and its code would crash.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include <cstdlib>

extern "C" {
MIXWELL_EXPORT extern const char mixwell_abi_tag[];
__attribute__((section(MIXWELL_ABI_SECTION_), used)) const char mixwell_abi_tag[] =
    "eigen=2.0.17;isa=" MIXWELL_ISA ";";

/// Whoever gets here has not checked the tag.
MIXWELL_EXPORT void mixwell_register(::mixwell::Registrar&) { std::abort(); }
}

namespace {

/// Static initialisers run when a library is loaded, which must not happen either.
struct AbortsOnLoad {
  AbortsOnLoad() { std::abort(); }
} aborts_on_load;

}  // namespace
