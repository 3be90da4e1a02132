// The commands of the program, and functions that they share.
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
/// `program` returns the commands and options that shells complete.
Command complete_command(Command (*program)());
Command export_command();
Command generate_command();
Command graph_command();
/// `program` returns the commands that the manual pages describe.
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

/// Runs one command line and returns its exit code. Prints every failure on standard error.
ExitCode serve(int count, char** words);

/// The names of all kinds of components.
std::vector<std::string> kind_names();
/// The kind with this name. Throws InputError if there is none.
Kind kind_called(const std::string& word);

/// Prints the text and a line break. Throws nothing if the write fails. serve() checks standard
/// output at the end.
void print_line(std::FILE* to, const std::string& text);

/// Prints a note on standard error: information that does not end the command.
void print_note(const std::string& text);

/// Prints the result as one JSON document, for --quiet --json. If there is a fault, the document
/// has its `error` and `code`.
ExitCode print_only(nlohmann::ordered_json json, const std::optional<Error>& fault);

/// The arguments of a command that reads a manifest: the manifest, `--set`, then `others`.
std::vector<Argument> manifest_and(ManifestArguments& values, std::vector<Argument> others);

}  // namespace mixwell::app
