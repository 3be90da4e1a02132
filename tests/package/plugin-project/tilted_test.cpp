// The plugin's own test: its model against the contract of models, and a sampler of it against
// others.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/contracts/invariance.hpp>
#include <mixwell/contracts/model.hpp>
#include <mixwell/contracts/sampler.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>

#include <exception>
#include <iostream>

namespace {

/// Two replicates are enough for clauses that compare bits.
const char* const manifest_text = R"(mixwell = 1
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
  const Composition composition = parse_manifest(manifest_text, "tilted_test.toml", registry);
  bool all = true;
  for (const contracts::Findings& findings :
       {contracts::check_model(*composition.model()), contracts::check_sampler(composition),
        contracts::check_invariance(composition, {.replicates = 4096})}) {
    std::cout << contracts::report(findings) << '\n';
    all = all && contracts::all_hold(findings);
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
