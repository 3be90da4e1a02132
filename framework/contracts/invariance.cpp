// The equilibrium test as clauses of a contract.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/contracts/invariance.hpp>
#include <mixwell/lab/equilibrium.hpp>

#include <string>

namespace mixwell::contracts {

Findings check_invariance(const Composition& composition, const InvarianceOptions& options) {
  Equilibrium test(
      composition,
      {.replicates = options.replicates, .warmup = options.warmup, .seed = options.seed});
  test.advance(options.sweeps);
  const auto statistics = test.compare();
  const double alpha = options.alpha / static_cast<double>(statistics.size());
  Findings findings;
  for (const EquilibriumStatistic& s : statistics) {
    findings.push_back({s.name, s.p >= alpha, s.detail});
  }
  findings.push_back(
      {"moves", test.moved() > 0.0,
       "for the slot that moved least, the mean squared distance from its start is " +
           std::to_string(test.moved()) +
           " times the slot's variance. This distance must be above 0"});
  return findings;
}

}  // namespace mixwell::contracts
