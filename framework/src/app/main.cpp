// The program `mixwell`: parses the command line, runs one command and reports errors.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/signals.hpp"

#include <mixwell/base/export.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

// Plugins that call the C library's _exit or _Exit get these functions instead.
extern "C" {
MIXWELL_EXPORT __attribute__((noreturn)) void _exit(int code) { mixwell::app::end_process(code); }
MIXWELL_EXPORT __attribute__((noreturn)) void _Exit(int code) noexcept {
  mixwell::app::end_process(code);
}
}

/// Opens /dev/null in place of each closed standard stream. Otherwise the next file that is opened
/// would get the stream's number, and printed text would go into that file. The access mode is the
/// opposite of the stream's, so that reading or writing fails as it does for a closed stream.
static void take_closed_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) < 0)
      ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int main(int count, char** words) {
  take_closed_descriptors();
  // If a file exceeds `ulimit -f`, the write fails with a message instead of killing the run.
  std::signal(SIGXFSZ, SIG_IGN);
  return static_cast<int>(mixwell::app::serve(count, words));
}
