// What the commands of the program share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/command_line.hpp"
#include "manifest/manifest_arguments.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/component/component.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::app {

Command check_command();
Command completion_command();
/// `program` makes what shells complete.
Command complete_command(Command (*program)());
Command export_command();
Command generate_command();
Command graph_command();
/// `program` makes what the pages describe.
Command manual_command(Command (*program)());
Command new_command();
Command plugins_command();
Command posteriordb_command();
Command report_command();
Command run_command();
Command schema_command();
Command study_command();
Command summary_command();
Command verify_command();
Command worker_command();

/// The whole program: one command line, one command, one exit code. Every failure is told on
/// standard error, and turned into an exit code.
ExitCode serve(int count, char** words);

/// Words for the kinds of components.
std::vector<std::string> kind_names();
/// Throws InputError for a word that is none of them.
Kind kind_called(const std::string& word);

/// Throws nothing where it cannot be written; of standard output serve() finds it out at the end.
void print_line(std::FILE* to, const std::string& text);

/// On standard error: what its reader should know, and nothing ends for.
void print_note(const std::string& text);

/// Of --quiet --json: one document, with `error` and `code` of what ends the command in it.
ExitCode print_only(nlohmann::ordered_json json, const std::optional<Error>& fault);

/// The manifest and its `--set`, as first arguments of a command.
std::vector<Argument> manifest_and(ManifestArguments& values, std::vector<Argument> others);

}  // namespace mixwell::app
