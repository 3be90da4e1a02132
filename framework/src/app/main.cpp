// The program `mixwell`: parses the command line, carries out one command, reports its failure.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"

#include <mixwell/error.hpp>
#include <mixwell/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdio>

namespace mixwell::app {
namespace {

constexpr const char* purpose =
    "Mixwell: compose MCMC kernels in a manifest, learn what the composition is guaranteed to\n"
    "sample, and run it.";

ExitCode fail(const Invocation& invocation, ExitCode code, const std::string& message) {
  fmt::print(stderr, "mixwell: error: {}\n", message);
  if (invocation.json) {
    const nlohmann::ordered_json report = {{"error", message}, {"code", static_cast<int>(code)}};
    constexpr auto lenient = nlohmann::ordered_json::error_handler_t::replace;
    fmt::print("{}\n", report.dump(-1, ' ', false, lenient));
  }
  return code;
}

ExitCode carry_out(const Invocation& invocation) {
  try {
    return invocation.action();
  } catch (const Error& fault) {
    return fail(invocation, fault.code(), fault.what());
  } catch (const std::exception& fault) {
    return fail(invocation, ExitCode::failed, fault.what());
  } catch (...) {
    return fail(invocation, ExitCode::failed, "an exception of an unknown type");
  }
}

/// Help and version end well; everything else that keeps a command line from being carried out is
/// bad input.
ExitCode explain(const CLI::App& program, const Invocation& invocation,
                 const CLI::ParseError& fault) {
  if (fault.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    program.exit(fault);
    return ExitCode::ok;
  }
  const auto chosen = program.get_subcommands();
  const std::string command = chosen.empty() ? "" : " " + chosen.front()->get_name();
  return fail(invocation, ExitCode::bad_input,
              fmt::format("{} (see mixwell{} --help)", fault.what(), command));
}

ExitCode serve(int count, char** arguments) {
  CLI::App program(purpose, "mixwell");
  Invocation invocation;
  program.set_version_flag("--version", std::string("mixwell ") + MIXWELL_VERSION);
  program.require_subcommand(1);
  program.footer(footer("mixwell run examples/challenger/challenger.toml"));
  add_run(program, invocation);
  add_check(program, invocation);
  add_graph(program, invocation);
  add_plugins(program, invocation);
  add_new(program, invocation);
  add_schema(program, invocation);
  add_study(program, invocation);
  add_summary(program, invocation);
  add_report(program, invocation);
  add_verify(program, invocation);
  add_worker(program, invocation);
  try {
    program.parse(count, arguments);
  } catch (const CLI::ParseError& fault) {
    return explain(program, invocation, fault);
  }
  return carry_out(invocation);
}

}  // namespace
}  // namespace mixwell::app

int main(int count, char** arguments) {
  // A file that grows beyond `ulimit -f` is a failed write with a message, not the end of the run.
  std::signal(SIGXFSZ, SIG_IGN);
  return static_cast<int>(mixwell::app::serve(count, arguments));
}
