// mixwell completion: a script by which a shell completes command lines of the program.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/completion.hpp"

#include <fmt/format.h>

#include <memory>

namespace mixwell::app {

Command completion_command(Command (*program)()) {
  const auto shell = std::make_shared<std::string>();
  return {.name = "completion",
          .purpose = "Print a script by which a shell completes the commands of Mixwell",
          .arguments = {{.name = "shell",
                         .value = shell.get(),
                         .help = "The shell",
                         .required = true,
                         .choices = {"bash", "zsh"}}},
          .example = "source <(mixwell completion bash)",
          .notes =
              "An installation has the scripts where shells look for them. Elsewhere, a line\n"
              "such as that of the example belongs into ~/.bashrc or, after compinit, ~/.zshrc.",
          .action = [shell, program] {
            fmt::print("{}",
                       *shell == "bash" ? bash_completion(program()) : zsh_completion(program()));
            return ExitCode::ok;
          }};
}

}  // namespace mixwell::app
