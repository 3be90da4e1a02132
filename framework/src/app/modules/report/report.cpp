// mixwell report: writes an HTML page of a run or a study.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/modules.hpp"
#include "files/json.hpp"

#include <mixwell/lab/report.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>

namespace mixwell::app {

ExitCode mixwell_report_command(const ReportArguments& arguments) {
  const std::string file = write_report(arguments.path, arguments.file, print_note);
  if (arguments.json) {
    fmt::print("{}\n", json_text({{"file", file}, {"bytes", std::filesystem::file_size(file)}}));
  } else {
    fmt::print("The report is in {}\n", file);
  }
  return ExitCode::ok;
}

}  // namespace mixwell::app
