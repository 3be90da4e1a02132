// The program `mixwell`: parses the command line, carries out one command, reports its failure.
// SPDX-License-Identifier: Apache-2.0
#include "app/process_guard.hpp"
#include "app/program.hpp"

#include <mixwell/export.hpp>

#include <csignal>

// These are what plugins find when they look for the C library's.
extern "C" {
MIXWELL_EXPORT __attribute__((noreturn)) void _exit(int code) { mixwell::app::end_process(code); }
MIXWELL_EXPORT __attribute__((noreturn)) void _Exit(int code) noexcept {
  mixwell::app::end_process(code);
}
}

int main(int count, char** words) {
  // A file that grows beyond `ulimit -f` is a failed write with a message, not the end of the run.
  std::signal(SIGXFSZ, SIG_IGN);
  return static_cast<int>(mixwell::app::serve(count, words));
}
