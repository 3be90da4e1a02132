// Runs the program: parses the command line, runs the command and returns its exit code.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/signals.hpp"
#include "base/memory_limit.hpp"
#include "base/shortened.hpp"
#include "files/instruction_set.hpp"
#include "files/json.hpp"
#include "files/own_files.hpp"

#include <mixwell/version.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <system_error>

namespace mixwell::app {
namespace {

constexpr const char* purpose =
    "Mixwell: compose MCMC kernels in a manifest, learn what the composition is guaranteed to\n"
    "sample, and run it.";

Command whole_program() {
  return {.name = "mixwell",
          .purpose = purpose,
          .example = "mixwell run examples/challenger/challenger.toml",
          .commands = {run_command(), check_command(), export_command(), generate_command(),
                       graph_command(), plugins_command(), posteriordb_command(), new_command(),
                       schema_command(), study_command(), summary_command(), report_command(),
                       verify_command(), completion_command(), manual_command(whole_program),
                       complete_command(whole_program), worker_command()}};
}

/// Prints the message and returns the code. Throws nothing. If the message cannot be written, only
/// the exit code shows the failure.
ExitCode fail(bool json, ExitCode code, const std::string& message) {
  print_line(stderr, "mixwell: error: " + message);
  if (json) print_line(stdout, json_text({{"error", message}, {"code", static_cast<int>(code)}}));
  return code;
}

ExitCode fail_to_print(const std::string& reason) {
  return fail(
      false, ExitCode::failed,
      fmt::format("standard output could not be written: {}. The printed text is incomplete. "
                  "Free some disk space, or redirect the output to another place",
                  reason));
}

/// Turns success into failure if the output of the command could not be written.
ExitCode printed(ExitCode code) {
  const bool is_flushed = std::fflush(stdout) == 0;
  const std::string reason = is_flushed ? "an earlier write failed" : std::strerror(errno);
  if (code != ExitCode::ok || (is_flushed && std::ferror(stdout) == 0)) return code;
  return fail_to_print(reason);
}

/// Starts this command again with another instruction set. Returns if the set is not installed.
/// bin/mixwell reports an error if the processor does not have the set.
void start_again(const std::string& isa, char** words) {
  if (program_for(isa).empty()) return;
  ::setenv("MIXWELL_ISA", isa.c_str(), 1);
  ::execv(beside_program("mixwell").c_str(), words);
}

/// Hidden commands run without a ProcessGuard, because the process that starts a worker reads the
/// exit status of the worker.
ExitCode carry_out(const Command& command, char** words) {
  const bool json = command.json != nullptr && *command.json;
  std::optional<ProcessGuard> guard;
  if (!command.is_hidden) guard.emplace();
  try {
    hold_memory_limit();
    return command.action();
  } catch (const OtherInstructionSet& fault) {
    start_again(fault.isa(), words);
    return fail(json, fault.code(), fault.what());
  } catch (const Error& fault) {
    return fail(json, fault.code(), fault.what());
  } catch (const std::bad_alloc&) {
    return fail(json, ExitCode::failed, out_of_memory());
  } catch (const std::filesystem::filesystem_error& fault) {
    return fail(
        json, ExitCode::bad_input,
        fmt::format("{}: {}", shortened(fault.path1().string(), 300), fault.code().message()));
  } catch (const std::system_error& fault) {
    if (std::ferror(stdout) != 0) return fail_to_print(fault.code().message());
    return fail(json, ExitCode::failed, fault.what());
  } catch (const std::exception& fault) {
    return fail(json, ExitCode::failed, fault.what());
  } catch (...) {
    return fail(
        json, ExitCode::failed,
        "an exception of an unknown type was thrown, probably by a plugin. Change the plugin "
        "so that it throws only exceptions derived from std::exception");
  }
}

}  // namespace

ExitCode serve(int count, char** words) {
  const Command program = whole_program();
  const Request request = parse(program, std::string("mixwell ") + MIXWELL_VERSION, count, words);
  if (!request.fault.empty()) return fail(false, ExitCode::bad_input, request.fault);
  return printed(request.command == nullptr ? ExitCode::ok : carry_out(*request.command, words));
}

}  // namespace mixwell::app
