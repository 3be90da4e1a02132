// mixwell export: writes the draws of a run in a format that other programs read.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/signals.hpp"

#include <mixwell/lab/cmdstan_csv.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>

namespace mixwell::app {
namespace {

struct Arguments {
  std::string run;
  std::string format;
  CmdstanCsvOptions options;
  bool quiet = false;
};

constexpr const char* formats =
    "Formats:\n"
    "  cmdstan-csv  draws_1.csv, draws_2.csv, ..., one file per chain, with the lines, columns\n"
    "               and number formats of CmdStan 2.36. Chain 0 is in draws_1.csv. Warmup draws\n"
    "               come first if the run recorded them (run.record_warmup). An export replaces\n"
    "               the files of an earlier export to the same folder.";

ExitCode export_draws(Arguments& arguments) {
  const StopSignal stop;
  arguments.options.stop = &stop.request();
  const CmdstanCsv made = export_cmdstan_csv(arguments.run, arguments.options);
  if (arguments.quiet) return ExitCode::ok;
  fmt::print("{} draws per chain ({} chains) are in {}/draws_1.csv", made.draws, made.chains,
             made.folder);
  fmt::print("{}\n", made.chains > 1 ? fmt::format(" to draws_{}.csv", made.chains) : "");
  return ExitCode::ok;
}

}  // namespace

Command export_command() {
  const auto given = std::make_shared<Arguments>();
  return {
      .name = "export",
      .purpose = "Write the draws of a run in a format that other programs read",
      .arguments = {{"run DIR|FILE.nc", &given->run, "Folder of a run, or a draws.nc file"},
                    {"--format",
                     &given->format,
                     "Output format (see below)",
                     {.required = true, .choices = {"cmdstan-csv"}}},
                    {"--out DIR", &given->options.folder,
                     "Folder for the files, created if necessary (default: the folder of the run)"},
                    {"--sig-figs",
                     &given->options.digits,
                     "Number of significant digits of a real number; 17 digits preserve every bit",
                     {.shows_default = true, .range = {{1, 18}}}},
                    {"--quiet", &given->quiet, "Print nothing"}},
      .example = "mixwell export out/challenger --format cmdstan-csv",
      .notes = formats,
      .action = [given] { return export_draws(*given); }};
}

}  // namespace mixwell::app
