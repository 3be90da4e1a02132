// What the program asks of the module of `mixwell report`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/error.hpp>
#include <mixwell/export.hpp>

#include <string>

namespace mixwell::app {

struct ReportArguments {
  std::string path;
  std::string file;
  bool json = false;
};

extern "C" {
MIXWELL_EXPORT ExitCode mixwell_report_command(const ReportArguments& arguments);
/// Writes the page; `file` is where it is.
MIXWELL_EXPORT void mixwell_write_report(const ReportArguments& arguments, std::string& file);
}

}  // namespace mixwell::app
