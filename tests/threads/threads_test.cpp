// Everything that runs on several threads, for the thread sanitizer: replicates in blocks, the
// halves of an ensemble side by side, registers that all replicates share, shards of data, whole
// runs.
// SPDX-License-Identifier: Apache-2.0
#include "unit/support.hpp"

#include <mixwell/base/machine.hpp>
#include <mixwell/contracts/sampler.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <numeric>
#include <string>
#include <vector>

using namespace mixwell;

namespace {

const std::string gaussian = "[model.m]\nuse = \"gaussian\"\ndimension = 3\n";
const std::string hamiltonian =
    "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nsteps = "
    "3\ntarget_acceptance = 0.8\n";

Composition compose(const std::string& body) {
  return parse_manifest("mixwell = 1\n" + body, "test.toml", support::registry());
}

std::string settings(int replicates, const std::string& more = "") {
  return "[run]\nseed = 3\nwarmup = 30\ndraws = 30\nblock_width = 8\nreplicates = " +
         std::to_string(replicates) + "\n" + more;
}

/// The same bits on any number of threads.
void keeps_its_contract(const std::string& manifest) {
  const auto findings = contracts::check_sampler(compose(manifest));
  INFO(contracts::report(findings));
  CHECK(contracts::all_hold(findings));
}

RunOptions into(const std::string& folder, int threads) {
  RunOptions options;
  options.folder = folder;
  options.threads = threads;
  options.force = true;
  return options;
}

std::string hash_of_run(const Composition& composition, int threads, const std::string& folder) {
  const RunResult result = run(composition, into(folder, threads));
  return result.record.draws_sha256;
}

}  // namespace

TEST_CASE("blocks of replicates run on several threads") {
  keeps_its_contract(settings(64) + gaussian + hamiltonian);
}

TEST_CASE("a step size that all replicates share is learnt between their blocks") {
  keeps_its_contract(settings(64) + gaussian + hamiltonian + "pool = true\n");
}

TEST_CASE("two halves of an ensemble run side by side") {
  keeps_its_contract(settings(1, "allow = [\"biased\"]\n") + gaussian +
                     "[estimator.e]\nuse = \"lbfgs\"\n"
                     "[kernel.k]\nuse = \"hamiltonian\"\nsteps = 3\nstep_size = 0.2\n"
                     "estimator = \"e\"\ncoupling = \"mass\"\n"
                     "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 8\n"
                     "schedule = \"two-groups\"\n");
}

TEST_CASE("loops within loops add up on several threads") {
  with_threads(4, [] {
    std::vector<double> sums(64, 0.0);
    parallel_for(64, [&](Index i) {
      std::vector<double> parts(16, 0.0);
      parallel_for(
          16, [&](Index j) { parts[static_cast<std::size_t>(j)] = static_cast<double>(i * j); });
      sums[static_cast<std::size_t>(i)] = std::accumulate(parts.begin(), parts.end(), 0.0);
    });
    CHECK(std::accumulate(sums.begin(), sums.end(), 0.0) == 120.0 * 2016.0);
  });
}

TEST_CASE("a run on four threads records the draws of a run on one") {
  const support::TemporaryFolder folder;
  const Composition composition = compose(settings(32) + gaussian + hamiltonian);
  const std::string one = hash_of_run(composition, 1, folder.path() + "/one");
  CHECK(hash_of_run(composition, 4, folder.path() + "/four") == one);
}

TEST_CASE("a request to stop from another thread ends a run with its draws") {
  const support::TemporaryFolder folder;
  const Composition composition =
      compose("[run]\nseed = 3\nwarmup = 10\ndraws = 100000\nthin = 1000\nreplicates = 16\n" +
              gaussian + hamiltonian);
  mixwell::StopRequest stop;
  RunOptions options = into(folder.path() + "/run", 2);
  options.progress = [&](const Progress& progress) {
    if (progress.done > 20) stop.make();
  };
  options.stop = &stop;
  CHECK(run(composition, options).record.outcome == mixwell::Outcome::interrupted);
}
