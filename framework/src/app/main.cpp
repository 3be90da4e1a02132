// The program `mixwell`: parses the command line, carries out one command, reports its failure.
// SPDX-License-Identifier: Apache-2.0
#include "app/program.hpp"

#include <csignal>

int main(int count, char** words) {
  // A file that grows beyond `ulimit -f` is a failed write with a message, not the end of the run.
  std::signal(SIGXFSZ, SIG_IGN);
  return static_cast<int>(mixwell::app::serve(count, words));
}
