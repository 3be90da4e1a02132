// mixwell report: writes an HTML page of a run or a study.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/modules.hpp"

#include <memory>

namespace mixwell::app {

Command report_command() {
  const auto given = std::make_shared<ReportArguments>();
  return {.name = "report",
          .purpose = "Write an HTML report of a run or a study as a single file that works offline",
          .arguments =
              {{"path DIR|STUDY.toml|TABLE.json", &given->path,
                "Run folder, study folder, study file, or the output of `mixwell study --table "
                "--json`"},
               {"-o,--out FILE.html", &given->file,
                "File to write (default: report.html in the folder; for TABLE.json, TABLE.html "
                "next to it)"},
               {"--json", &given->json, "Print the file name and its size as JSON"}},
          .example = "mixwell report out/challenger -o challenger.html",
          .notes = "If the path is a study file NAME.toml, the command reads out/NAME.",
          .json = &given->json,
          .action = [given] {
            return from_module<decltype(mixwell_report_command)>("report",
                                                                 "mixwell_report_command")(*given);
          }};
}

}  // namespace mixwell::app
