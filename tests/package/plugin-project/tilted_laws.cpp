// The plugin's own test: its model against the laws of models, and a sampler of it against others.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/laws/invariance.hpp>
#include <mixwell/laws/model.hpp>
#include <mixwell/laws/sampler.hpp>
#include <mixwell/manifest.hpp>
#include <mixwell/registry.hpp>

#include <exception>
#include <iostream>

namespace {

/// Two replicates are enough for laws that compare bits.
const char* const kManifest = R"(mixwell = 1
[run]
replicates = 2
[model.target]
use = "tilted"
dimension = 3
tilt = 2.5
[kernel.hmc]
use = "hamiltonian"
step_size = 0.8
)";

bool check() {
  using namespace mixwell;
  const auto registry = Registry::load(Registry::default_folders());
  const Composition composition = parse_manifest(kManifest, "tilted_laws.toml", registry);
  bool all = true;
  for (const laws::Findings& findings :
       {laws::check_model(*composition.model()), laws::check_sampler(composition),
        laws::check_invariance(composition, {.replicates = 4096})}) {
    std::cout << laws::report(findings) << '\n';
    all = all && laws::all_hold(findings);
  }
  return all;
}

}  // namespace

int main() {
  try {
    return check() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
