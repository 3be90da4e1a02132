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
}

}  // namespace mixwell::app
