// A run that an operation ends with an error: its message, exit code, and the draws before it.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <nlohmann/json.hpp>

using end_to_end::contains;
using end_to_end::Outcome;
using end_to_end::read;
using end_to_end::Workplace;

namespace {

/// D = eps V / 2 with eps in [0.05, 0.15] and V = 1, so that friction is too small for `share` of
/// all steps.
std::string manifest(double share) {
  return "mixwell = 1\n[run]\nwarmup = 0\ndraws = 100000\nreplicates = 4\nseed = 3\n"
         "[model.g]\nuse = \"gaussian\"\ndimension = 2\n"
         "[oracle.o]\nuse = \"noisy\"\n"
         "[integrator.i]\nuse = \"euler-maruyama-friction\"\n"
         "noise_from = \"empirical-diagonal\"\nfriction = " +
         std::to_string(0.075 - 0.05 * share) +
         "\n[kernel.k]\nuse = \"hamiltonian\"\nmetropolis = false\npersistence = 1.0\nsteps = 1\n"
         "step_size = 0.1\nstep_size_jitter = [0.5, 1.5]\n";
}

}  // namespace

TEST_CASE("an error in the middle of a run keeps the draws before it") {
  const Workplace place;
  place.write("m.toml", manifest(2e-3));
  const Outcome outcome = place.mixwell("run m.toml");
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  contains(
      outcome.err,
      "mixwell: error: integrator `i`: friction = 0.0749 is too small for the estimated noise");
  contains(outcome.err, " draws before this error are in out/m");
  const auto report = nlohmann::json::parse(read(place.path("out/m/run.json")));
  CHECK(report["outcome"] == "interrupted");
  contains(report["error"], "Raise friction");
  const auto draws = report["draws"].get<long>();
  CHECK(draws > 0);
  CHECK(draws < 100000);

  // They are the beginning of what any run of that manifest draws.
  const std::string fewer = "--set run.draws=" + std::to_string(draws);
  CHECK(place.mixwell("run m.toml --out out/fewer " + fewer).code == 0);
  const auto whole = nlohmann::json::parse(read(place.path("out/fewer/run.json")));
  CHECK(whole["outcome"] == "complete");
  CHECK_FALSE(whole.contains("error"));
  CHECK(whole["draws_sha256"] == report["draws_sha256"]);
}

TEST_CASE("an error before the first draw leaves nothing behind") {
  const Workplace place;
  place.write("m.toml", manifest(1.0));
  const Outcome outcome = place.mixwell("run m.toml");
  CHECK(outcome.code == 2);
  contains(outcome.err, "is too small for the estimated noise");
  CHECK(outcome.err.find("kept") == std::string::npos);
  CHECK_FALSE(std::filesystem::exists(place.path("out/m")));
}
