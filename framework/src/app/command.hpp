// What the commands of the program share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/error.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace mixwell::app {

/// What the command line asks for; filled in while it is parsed, carried out afterwards.
struct Invocation {
  std::function<ExitCode()> action;
  bool json = false;  ///< errors are printed as JSON too
};

void add_report(CLI::App& program, Invocation& invocation);
void add_run(CLI::App& program, Invocation& invocation);
void add_check(CLI::App& program, Invocation& invocation);
void add_graph(CLI::App& program, Invocation& invocation);
void add_plugins(CLI::App& program, Invocation& invocation);
void add_new(CLI::App& program, Invocation& invocation);
void add_schema(CLI::App& program, Invocation& invocation);
void add_study(CLI::App& program, Invocation& invocation);
void add_summary(CLI::App& program, Invocation& invocation);
void add_verify(CLI::App& program, Invocation& invocation);
void add_worker(CLI::App& program, Invocation& invocation);

inline constexpr const char* exit_codes =
    "Exit codes: 0 ok, 1 failed, interrupted or inconclusive, 2 bad input, 3 refused by the "
    "certificate, 4 `verify` disagrees.";

/// Text below the options in `--help`.
std::string footer(const std::string& example);

/// A manifest and its `--set` options.
struct ManifestArguments {
  std::string path;
  std::vector<std::string> settings;
};

void add_manifest_arguments(CLI::App& command, ManifestArguments& arguments);

Registry load_registry();
/// Throws InputError.
Composition load(const ManifestArguments& arguments, const Registry& registry);

}  // namespace mixwell::app
