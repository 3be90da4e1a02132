// The program `mixwell`: parses the command line, carries out one command, reports its failure.
// SPDX-License-Identifier: Apache-2.0
#include "app/command.hpp"
#include "app/signals.hpp"

#include <mixwell/base/export.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

// These are what plugins find when they look for the C library's.
extern "C" {
MIXWELL_EXPORT __attribute__((noreturn)) void _exit(int code) { mixwell::app::end_process(code); }
MIXWELL_EXPORT __attribute__((noreturn)) void _Exit(int code) noexcept {
  mixwell::app::end_process(code);
}
}

/// Where standard output was closed, no file may get its number, and what is printed into. It is
/// taken by what can only be read, so that writing fails; standard input likewise by what cannot be
/// read.
static void take_closed_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) < 0)
      ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int main(int count, char** words) {
  take_closed_descriptors();
  // A file that grows beyond `ulimit -f` is a failed write with a message, not the end of the run.
  std::signal(SIGXFSZ, SIG_IGN);
  return static_cast<int>(mixwell::app::serve(count, words));
}
