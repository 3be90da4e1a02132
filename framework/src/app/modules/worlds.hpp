// What the program asks of the module that reads compositions on finite worlds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/worlds_report.hpp>

#include <string>

namespace mixwell::app {

extern "C" {
/// worlds_report().
MIXWELL_EXPORT void mixwell_read_on_worlds(const Program& program, const std::string& name,
                                           bool wants_example, WorldsReport& report);
}

}  // namespace mixwell::app
