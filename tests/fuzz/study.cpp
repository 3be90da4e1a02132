// Fuzz target: study files, down to the list of their cells.
// SPDX-License-Identifier: Apache-2.0
#include "fuzzing.hpp"

#include <mixwell/lab/study.hpp>

#include <set>

namespace {

constexpr const char* base =
    "mixwell = 1\n[run]\nwarmup = 20\ndraws = 100\n[model.g]\nuse = \"gaussian\"\ndimension = 3\n"
    "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nstep_size = "
    "0.5\nsteps = 4\n";

/// Labels tell cells apart.
void read(const std::string& path, bool quick) {
  std::set<std::string> labels;
  for (const mixwell::StudyCell& cell : mixwell::study_cells(path, quick)) {
    if (!labels.insert(cell.label).second) std::abort();
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string beside = fuzzing::folder().file("base.toml", base);
  const std::string path = fuzzing::folder().file("study.toml", fuzzing::text_of(data, size));
  for (const bool quick : {false, true}) fuzzing::accepts([&] { read(path, quick); });
  return 0;
}
