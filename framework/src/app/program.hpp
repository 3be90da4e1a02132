// The whole program: one command line, one command, one exit code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/error.hpp>

namespace mixwell::app {

/// Every failure is told on standard error, and turned into an exit code.
ExitCode serve(int count, char** words);

}  // namespace mixwell::app
