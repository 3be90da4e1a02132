// Replicates divided among ranks: the same bits as one process, and one error for all.
// SPDX-License-Identifier: Apache-2.0
#include "sampler/joint_run.hpp"

#include "support.hpp"
#include "thread_ranks.hpp"

#include <algorithm>

using namespace mixwell;
using support::on_ranks;
using support::sampler_of;
using support::ThreadRanks;
using support::World;

namespace {

/// Wrong: the values from others are in the order of ranks counted from this one.
class TurnedRanks final : public ThreadRanks {
 public:
  using ThreadRanks::ThreadRanks;
  void share(void* data, const std::vector<std::size_t>& ends) override {
    ThreadRanks::share(data, ends);
    auto* const bytes = static_cast<char*>(data);
    if (rank() != 0) std::rotate(bytes, bytes + ends.front(), bytes + ends.back());
  }
};

/// Wrong: what pools replicates sees only those of this rank.
class DeafRanks final : public ThreadRanks {
 public:
  using ThreadRanks::ThreadRanks;
  void share(void* data, const std::vector<std::size_t>& ends) override {
    std::vector<char> ignored(static_cast<const char*>(data),
                              static_cast<const char*>(data) + ends.back());
    ThreadRanks::share(ignored.data(), ends);
  }
};

Composition compose_run(int replicates, bool pool) {
  const std::string more = pool ? "pool = true\n" : "";
  return parse_manifest("mixwell = 1\n[run]\nreplicates = " + std::to_string(replicates) +
                            "\nwarmup = 160\n[model.m]\nuse = \"gaussian\"\ncovariance = "
                            "\"diagonal\"\nvariances = [1, 4, 0.25]\n[integrator.v]\nuse = "
                            "\"leapfrog\"\n[estimator.e]\nuse = \"dense\"\n" +
                            more + "[kernel.k]\nuse = \"hamiltonian\"\nsteps = 3\n" +
                            "target_acceptance = 0.8\n" + more +
                            "[compositor.main]\nuse = \"chain\"\n",
                        "test.toml", support::registry());
}

/// Draws of a warm-up and 20 sweeps after it, with a state that is saved and read back on the way,
/// and what they took.
struct Drawn {
  std::vector<std::vector<double>> numbers;
  double gradients = 0.0;
  bool operator==(const Drawn&) const = default;
};

Drawn drawn_by(Sampler& sampler) {
  DrawBuffers draws;
  sampler.advance(PhaseKind::warmup, 70);
  StateWriter state;
  sampler.visit_state(state);
  sampler.advance(PhaseKind::warmup, 10);
  StateReader reader(state.bytes());
  sampler.visit_state(reader);
  sampler.advance(PhaseKind::warmup, 90);
  sampler.advance(PhaseKind::sampling, 20, &draws);
  return {draws.data, sampler.gradients()};
}

Drawn drawn_alone(const Composition& composition) {
  const auto sampler = sampler_of(composition);
  sampler->initialise();
  return drawn_by(*sampler);
}

template <class Kind>
Drawn drawn_by_ranks(const Composition& composition, int count) {
  World world(count);
  Drawn found;
  on_ranks(count, [&](int rank) {
    Kind ranks(world, rank);
    JointRun joint(ranks, nullptr);
    if (rank != 0) return joint.follow([&] { return sampler_of(composition, &joint); });
    std::unique_ptr<Sampler> sampler;
    joint.make_samplers([&] { sampler = sampler_of(composition, &joint); });
    sampler->initialise();
    found = drawn_by(*sampler);
  });
  return found;
}

}  // namespace

TEST_CASE("ranks draw what one process draws, whether replicates are pooled or not") {
  for (const bool pool : {false, true}) {
    const Composition composition = compose_run(29, pool);
    const Drawn alone = drawn_alone(composition);
    for (const int ranks : {2, 3, 4})
      CHECK(drawn_by_ranks<ThreadRanks>(composition, ranks) == alone);
  }
}

TEST_CASE("pooling in the order of ranks, or of a rank's replicates alone, is seen in the draws") {
  const Composition composition = compose_run(32, true);
  const Drawn alone = drawn_alone(composition);
  REQUIRE(drawn_by_ranks<ThreadRanks>(composition, 2) == alone);
  CHECK(drawn_by_ranks<TurnedRanks>(composition, 2).numbers != alone.numbers);
  CHECK(drawn_by_ranks<DeafRanks>(composition, 2).numbers != alone.numbers);
}

TEST_CASE("rank 0 throws what another rank failed with while it waits for that one") {
  World world(3);
  std::string message;
  ExitCode code = ExitCode::ok;
  int others = 0;
  on_ranks(3, [&](int rank) {
    ThreadRanks ranks(world, rank);
    try {
      together(ranks, [&] {
        if (rank == 1) throw InputError("broken");
        agree(ranks);
        ranks.collect({});
      });
    } catch (const OtherRankFailed&) {
      if (rank == 2) ++others;
    } catch (const Error& error) {
      message = error.what();
      code = error.code();
    }
    CHECK_FALSE(together(ranks, [] {}));  // all are in step again
  });
  CHECK(others == 1);
  CHECK(code == ExitCode::bad_input);
  CHECK(message.starts_with("rank 1, process "));
  CHECK(message.ends_with(": broken"));
}

TEST_CASE("a request to stop on one rank is known to all") {
  World world(2);
  bool asked = false;
  on_ranks(2, [&](int rank) {
    ThreadRanks ranks(world, rank);
    const bool found = together(
        ranks, [] {}, [&] { return rank == 1; });
    if (rank == 0) asked = found;
  });
  CHECK(asked);
}

TEST_CASE("more ranks than blocks of replicates are refused with the number that is wanted") {
  const Composition composition = compose_run(16, false);
  std::string message;
  try {
    drawn_by_ranks<ThreadRanks>(composition, 3);
  } catch (const InputError& error) {
    message = error.what();
  }
  CHECK(message.find("Start at most 2 ranks, or set run.replicates above 16") != std::string::npos);
}
