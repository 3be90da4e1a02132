// mixwell summary: the summary table of draws on disk.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <mixwell/run.hpp>

#include "command.hpp"
#include "report.hpp"

namespace mixwell::app {
namespace {

struct Arguments {
  std::string path;
  bool json = false;
  bool all = false;
};

ExitCode summary(const Arguments& arguments) {
  const std::string json = summarise(arguments.path);
  if (arguments.json) {
    fmt::print("{}\n", json);
    return ExitCode::ok;
  }
  fmt::print("{}", summary_text({Json::parse(json), std::nullopt},
                                arguments.all ? whole_table : short_table,
                                fmt::format("mixwell summary {} --all", arguments.path)));
  return ExitCode::ok;
}

}  // namespace

void add_summary(CLI::App& program, Invocation& invocation) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* const command =
      program.add_subcommand("summary", "Summarise the draws of a run, from its draws.nc");
  command->add_option("draws", arguments->path, "Folder of a run, or a draws.nc")->required();
  command->add_flag("--all", arguments->all, "Show every row of a long table");
  command->add_flag("--json", arguments->json, "Print summary.json");
  command->footer(footer("mixwell summary out/challenger"));
  command->callback([&invocation, arguments] {
    invocation.json = arguments->json;
    invocation.action = [arguments] { return summary(*arguments); };
  });
}

}  // namespace mixwell::app
