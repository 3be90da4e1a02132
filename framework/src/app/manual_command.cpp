// mixwell manual: the manual pages of the program, as files for man(1).
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/manual.hpp"
#include "files/whole_file.hpp"

#include <mixwell/version.hpp>

#include <filesystem>
#include <memory>

namespace mixwell::app {
namespace {

ExitCode write_pages(const Command& program, const std::string& folder) {
  std::filesystem::create_directories(folder);
  for (const ManualPage& page : manual_pages(program, std::string("mixwell ") + MIXWELL_VERSION))
    write_whole_file(folder + "/" + page.file, page.text, Flush::later);
  return ExitCode::ok;
}

}  // namespace

Command manual_command(Command (*program)()) {
  const auto folder = std::make_shared<std::string>();
  return {.name = "manual",
          .purpose = "Write the manual pages of all commands into a folder, for `man`",
          .arguments = {{.name = "folder",
                         .value = folder.get(),
                         .help = "Folder to write them into, made if it is not there",
                         .type = "DIR",
                         .required = true}},
          .example = "mixwell manual ~/.local/share/man/man1",
          .action = [folder, program] { return write_pages(program(), *folder); }};
}

}  // namespace mixwell::app
