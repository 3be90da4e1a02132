// What it costs to compose and certify sequential ensembles, as the number of slots doubles.
// SPDX-License-Identifier: Apache-2.0
#include "ratio.hpp"

#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/sampler.hpp>

#include <string>

using namespace mixwell;

namespace {

std::string ensemble(int slots) {
  return "mixwell = 1\n[model.m]\nuse = \"quartic\"\ndimension = 2\n[estimator.e]\nuse = "
         "\"lbfgs\"\n"
         "[kernel.k]\nuse = \"hamiltonian\"\nstep_size = 0.1\nsteps = 2\nestimator = \"e\"\n"
         "[compositor.c]\nuse = \"ensemble-chain\"\nslots = " +
         std::to_string(slots) + "\n";
}

void certify_ensemble(int slots, const Registry& registry) {
  compose(parse_manifest(ensemble(slots), "ensemble.toml", registry));
}

}  // namespace

int main() {
  const Registry registry = Registry::load(Registry::default_folders());
  for (const int slots : {13, 26}) {
    const bench::Ratio cost = bench::ratio([&] { certify_ensemble(2 * slots, registry); },
                                           [&] { certify_ensemble(slots, registry); }, 11);
    std::printf("%d slots / %d slots: %.2f (%.2f to %.2f), %.1f ms\n", 2 * slots, slots,
                cost.median, cost.low, cost.high, 1e3 * cost.a);
  }
}
