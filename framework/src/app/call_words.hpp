// What a thread is doing, written to standard error by functions that signal handlers may call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mixwell {
class PresentCall;
}

namespace mixwell::app {

void tell(const char* text) noexcept;

/// " in the operation `hmc/refresh` of [kernel.hmc] (...), in [model.g] (...)".
void tell_of(const PresentCall& call) noexcept;

}  // namespace mixwell::app
