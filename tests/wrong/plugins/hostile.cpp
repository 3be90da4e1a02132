// A plugin that does to its process what the name of its file says: `exit-when-loaded.so`. Under
// its own name it is sound. Where a file of its name and `.loaded` is, it adds a line at each load.
// SPDX-License-Identifier: Apache-2.0
#include "wrong/flat_model.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace {

std::string own_file() {
  static const char inside = 0;
  Dl_info info = {};
  ::dladdr(&inside, &info);
  return info.dli_fname;
}

void harm(const std::string& when) {
  const std::string file = own_file();
  const std::string name = file.substr(file.rfind('/') + 1);
  if (name == "exit" + when) std::exit(0);
  if (name == "quick-exit" + when) ::_exit(0);
  if (name == "throw" + when) throw std::runtime_error("the licence server is away");
  if (name == "crash" + when) std::raise(SIGSEGV);
  while (name == "loop" + when) ::sleep(1);
}

bool load() {
  const std::string trace = own_file() + ".loaded";
  if (std::ifstream(trace)) std::ofstream(trace, std::ios::app) << "loaded\n";
  harm("-when-loaded.so");
  return true;
}

const bool loaded = load();

}  // namespace

MIXWELL_PLUGIN(registrar) {
  harm("-when-registering.so");
  if (loaded) registrar.add<wrong::FlatModel>({.id = "harmless", .summary = "U = 0"});
}
