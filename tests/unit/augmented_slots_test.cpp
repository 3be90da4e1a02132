// Slots that are not chains of the results, recorded on request.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace mixwell;

namespace {

const std::string head =
    "mixwell = 1\n[run]\nseed = 5\nreplicates = 3\nwarmup = 10\ndraws = 4\n"
    "[model.m]\nuse = \"gaussian\"\ndimension = 2\n"
    "[kernel.walk]\nuse = \"random-walk-metropolis\"\nstep_size = 0.9\n[compositor.c]\n";

struct Recorded {
  std::vector<std::string> names;  ///< of whole positions
  std::vector<double> last;        ///< what was recorded last of the first of them
  std::vector<double> at_the_end;  ///< the slot itself
  std::vector<double> posterior;   ///< all that was recorded of x
};

std::vector<double> numbers(const Eigen::MatrixXd& x) { return {x.data(), x.data() + x.size()}; }

/// `slot`: the slot whose position is read.
Recorded run(const std::string& compositor, const std::string& slot) {
  const Composition c = parse_manifest(head + compositor, "test.toml", support::registry());
  Sampler sampler(c.compositor, c.run, compose(*c.compositor));
  sampler.initialise();
  DrawBuffers buffers;
  sampler.advance(PhaseKind::sampling, c.run.draws, &buffers);
  Recorded found;
  found.at_the_end = numbers(sampler.position(slot));
  const auto& records = sampler.graph(PhaseKind::sampling).records();
  for (std::size_t r = 0; r < records.size(); ++r) {
    const std::vector<double>& all = buffers.data[r];
    if (records[r].name == "x") found.posterior = all;
    if (!records[r].name.ends_with("_position")) continue;
    CHECK(records[r].group == RecordGroup::sample_stats);
    CHECK(records[r].shape == std::vector<Index>{2});
    if (found.names.empty()) found.last = {all.end() - 6, all.end()};
    found.names.push_back(records[r].name);
  }
  return found;
}

}  // namespace

TEST_CASE("hot slots and the pilot are recorded on request, and change no draw") {
  const std::string tempering =
      "use = \"tempering\"\nkernel = \"walk\"\ninverse_temperatures = [1, 0.5, 0.2]\n";
  const std::string pilot = "use = \"pilot-chain\"\nkernel = \"walk\"\npilot = \"walk\"\n";
  const std::string on_request = "record_slots = true\n";

  const Recorded hot = run(tempering + on_request, "x1");
  CHECK(hot.names == std::vector<std::string>{"x1_position", "x2_position"});
  CHECK(hot.last == hot.at_the_end);
  const Recorded without = run(tempering, "x1");
  CHECK(without.names.empty());
  CHECK(without.posterior == hot.posterior);

  const Recorded beside = run(pilot + on_request, "pilot");
  CHECK(beside.names == std::vector<std::string>{"pilot_position"});
  CHECK(beside.last == beside.at_the_end);
  CHECK(run(pilot, "pilot").posterior == beside.posterior);
}
