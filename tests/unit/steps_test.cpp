// The number of steps: fixed, jittered, or from a rule; and step sizes that fall with the sweep.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "support.hpp"

#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace mixwell;
using composing::refusal;
using support::contains;

namespace {

const std::string plane =
    "[run]\nreplicates = 1024\n[model.m]\nuse = \"gaussian\"\ndimension = 2\n";
const std::string kernel =
    "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\n";
const std::string by_time = "[steps.t]\nuse = \"integration-time\"\n";

/// The value of a statistic in one sweep, after this many sweeps.
std::vector<double> recorded(const std::string& manifest, const std::string& name,
                             std::int64_t sweeps_before = 0) {
  const Composition composition = composing::compose(manifest);
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  if (sweeps_before > 0) sampler.advance(PhaseKind::sampling, sweeps_before);
  DrawBuffers draws;
  sampler.advance(PhaseKind::sampling, 1, &draws);
  const auto& records = sampler.graph(PhaseKind::sampling).records();
  for (std::size_t r = 0; r < records.size(); ++r) {
    if (records[r].name == name) return draws.data[r];
  }
  return {};
}

}  // namespace

TEST_CASE("a time of integration is made of as many steps as it takes") {
  const auto exactly = recorded(
      plane + by_time + "time = 1.0\njitter = [1, 1]\n" + kernel + "step_size = 0.3\n", "n_steps");
  REQUIRE(exactly.size() == 1024);
  for (const double L : exactly) CHECK(L == 4);  // ceil(1 / 0.3)
  const auto at_most = recorded(
      plane + by_time + "time = 1.0\nmost = 7\n" + kernel + "step_size = 0.001\n", "n_steps");
  for (const double L : at_most) CHECK(L == 7);
}

// ceil(x) for x uniform on [5, 15] is uniform on 6..15: mean 10.5, sd 2.87. Fails by chance once in
// 1.7 million times.
TEST_CASE("a jittered time is uniform") {
  const auto L =
      recorded(plane + by_time + "time = 1.0\njitter = [0.5, 1.5]\n" + kernel + "step_size = 0.1\n",
               "n_steps");
  double mean = 0.0;
  for (const double one : L) mean += one / static_cast<double>(L.size());
  CHECK(std::abs(mean - 10.5) < 5 * 2.87 / 32);
}

TEST_CASE("steps of a manifest's kernel are said once") {
  CHECK(contains(refusal(plane + by_time + kernel + "steps = 4\nsteps_from = \"t\"\n"),
                 "`steps` sets the same thing"));
  CHECK(contains(refusal(plane + by_time + kernel + "steps_jitter = [1, 4]\n"),
                 "[steps.t], because both set the number of steps"));
  CHECK(contains(refusal(plane + by_time + "[steps.other]\nuse = \"integration-time\"\n" + kernel),
                 "the manifest has several tables of this kind (steps.other, steps.t). Choose one "
                 "with steps_from = \"NAME\""));
  INFO("a number of its own goes before a rule that others may use");
  const auto fixed = recorded(plane + by_time + kernel + "steps = 3\n", "n_steps");
  CHECK(fixed.at(0) == 3);
}

TEST_CASE("a rule that learns is refused where there are no proposals to learn from") {
  const std::string message =
      refusal(plane + "[steps.s]\nuse = \"chees\"\n" + kernel + "metropolis = false\n");
  CHECK(contains(message, "kernel `k`"));
  CHECK(contains(message, "cannot learn its number of steps"));
}

TEST_CASE("the step size of Hamiltonian dynamics may fall with the sweep") {
  const std::string falls =
      kernel + "step_size = 0.4\nschedule = \"polynomial\"\noffset = 3\nexponent = 0.5\n";
  for (const std::int64_t before : {0, 12}) {
    const auto eps = recorded(plane + falls, "step_size", before);
    REQUIRE(eps.size() == 1024);
    const double wanted = 0.4 / std::sqrt(3.0 + 1.0 + static_cast<double>(before));
    for (const double one : eps) CHECK(one == Approx(wanted).epsilon(1e-12));
  }
  INFO("draws weigh alike under Metropolis, and by eps without");
  CHECK(recorded(plane + falls, "weight").empty());
  CHECK(recorded(plane + falls + "metropolis = false\n", "weight").at(0) == Approx(0.2));
  CHECK(contains(refusal(plane + falls + "target_acceptance = 0.8\n"), "kernel.k.schedule"));
  CHECK(contains(refusal(plane + falls + "step_size_jitter = [0.5, 1]\n"), "kernel.k.schedule"));
}
