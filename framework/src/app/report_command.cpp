// mixwell report: one page to look at, of a run or of a study.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/modules.hpp"

#include <memory>

namespace mixwell::app {

Command report_command() {
  const auto given = std::make_shared<ReportArguments>();
  return {.name = "report",
          .purpose = "Make one HTML page of a run or a study, to open in any browser, offline",
          .arguments =
              {{"path DIR|STUDY.toml|TABLE.json", &given->path,
                "Folder of a run or a study, a study file (its results in out/NAME), or the .json "
                "that `mixwell study STUDY.toml --table --json` printed"},
               {"-o,--out FILE.html", &given->file,
                "File to write (default: report.html in the folder; TABLE.html beside a table)"},
               {"--json", &given->json, "Print the file and its size as JSON"}},
          .example = "mixwell report out/challenger -o challenger.html",
          .json = &given->json,
          .action = [given] {
            return from_module<decltype(mixwell_report_command)>("report",
                                                                 "mixwell_report_command")(*given);
          }};
}

}  // namespace mixwell::app
