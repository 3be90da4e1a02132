// The whole program: one command line, one command, one exit code.
// SPDX-License-Identifier: Apache-2.0
#include "app/program.hpp"

#include "app/command.hpp"
#include "app/process_guard.hpp"
#include "base/memory.hpp"
#include "base/shortened.hpp"
#include "files/json.hpp"

#include <mixwell/version.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <new>
#include <optional>

namespace mixwell::app {
namespace {

constexpr const char* purpose =
    "Mixwell: compose MCMC kernels in a manifest, learn what the composition is guaranteed to\n"
    "sample, and run it.";

Command whole_program() {
  return {.name = "mixwell",
          .purpose = purpose,
          .example = "mixwell run examples/challenger/challenger.toml",
          .commands = {run_command(), check_command(), generate_command(), graph_command(),
                       plugins_command(), posteriordb_command(), new_command(), schema_command(),
                       study_command(), summary_command(), report_command(), verify_command(),
                       completion_command(whole_program), manual_command(whole_program),
                       worker_command()}};
}

ExitCode fail(bool json, ExitCode code, const std::string& message) {
  fmt::print(stderr, "mixwell: error: {}\n", message);
  if (json) {
    fmt::print("{}\n", lenient_json_text({{"error", message}, {"code", static_cast<int>(code)}}));
  }
  return code;
}

/// A worker's end is read by the process that started it.
ExitCode carry_out(const Command& command) {
  const bool json = command.json != nullptr && *command.json;
  std::optional<ProcessGuard> guard;
  if (!command.is_hidden) guard.emplace();
  try {
    hold_memory_limit();
    return command.action();
  } catch (const Error& fault) {
    return fail(json, fault.code(), fault.what());
  } catch (const std::bad_alloc&) {
    return fail(json, ExitCode::failed, out_of_memory());
  } catch (const std::filesystem::filesystem_error& fault) {
    return fail(
        json, ExitCode::bad_input,
        fmt::format("{}: {}", shortened(fault.path1().string(), 300), fault.code().message()));
  } catch (const std::exception& fault) {
    return fail(json, ExitCode::failed, fault.what());
  } catch (...) {
    return fail(json, ExitCode::failed, "an exception of an unknown type");
  }
}

}  // namespace

ExitCode serve(int count, char** words) {
  const Command program = whole_program();
  const Request request = parse(program, std::string("mixwell ") + MIXWELL_VERSION, count, words);
  if (!request.fault.empty()) return fail(false, ExitCode::bad_input, request.fault);
  return request.command == nullptr ? ExitCode::ok : carry_out(*request.command);
}

}  // namespace mixwell::app
