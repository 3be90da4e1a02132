// Stop rules: each ends the run where it says, after the same draw whatever happens to the run.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "interrupting.hpp"

#include <mixwell/lab/diagnostics.hpp>

#include <algorithm>

using namespace end_to_end;

namespace {

Composition compose(const std::string& run) {
  return composing::compose("[run]\nwarmup = 50\nreplicates = 2\n" + run +
                            "[model.g]\nuse = \"gaussian\"\ndimension = 3\n"
                            "[estimator.identity]\nuse = \"identity\"\n[kernel.hmc]\nuse = "
                            "\"hamiltonian\"\nstep_size = 0.4\nsteps = 2\n");
}

/// The results of a whole run, of one on two threads, and of one with interruptions: all the same.
Json ended(const std::string& rule) {
  const Workplace place;
  const Composition composition = compose("draws = 100000\n" + rule);
  const RunResult whole = mixwell::run(composition, options_in(place.path("whole")));
  CHECK(whole.record.outcome == mixwell::Outcome::complete);
  const Json result = lasting(place.path("whole"));
  RunOptions two = options_in(place.path("two"));
  two.threads = 2;
  mixwell::run(composition, two);
  CHECK(lasting(place.path("two")) == result);
  with_interruptions(composition, place.path("broken"));
  CHECK(lasting(place.path("broken")) == result);
  CHECK(is_tidy(place.path("broken")));
  return result;
}

/// The hash of the first draws of a run without rules.
std::string hash_of_first(const Json& draws) {
  const Workplace place;
  mixwell::run(compose("draws = " + draws.dump() + "\n"), options_in(place.path("out")));
  return draws_hash(place, "out");
}

double largest_relative_error(const Json& summary) {
  double largest = 0.0;
  for (const Json& row : summary.at("variables"))
    largest = std::max(largest, row.at("mcse_mean").get<double>() / row.at("sd").get<double>());
  return largest;
}

}  // namespace

TEST_CASE("stop_gradients ends at the first look with so many gradients") {
  const Json run = ended("stop_gradients = 5000\ncheck_every = 70\n").at("run");
  CHECK(run["ended_by"] == "gradients");
  const auto draws = run["draws"].get<std::int64_t>();
  CHECK(draws % 70 == 0);
  const double total = run["gradients"]["total"];
  const double each = run["gradients"]["sampling"].get<double>() / static_cast<double>(draws);
  CHECK(total >= 5000);
  CHECK(total - 70 * each < 5000);
  CHECK(run["draws_sha256"] == hash_of_first(run["draws"]));
}

TEST_CASE("stop_min_ess ends with at least that effective sample size, as the summary has it",
          "[slow]") {
  const Json result = ended("stop_min_ess = 700\n");
  CHECK(result["run"]["ended_by"] == "min_ess");
  const double reached = result["summary"]["sampler"]["min_ess"];
  CHECK(reached >= 700);
  CHECK(reached < 1.6 * 700);
  CHECK(result["run"]["draws"].get<int>() < 5000);
  CHECK(result["run"]["draws_sha256"] == hash_of_first(result["run"]["draws"]));
}

TEST_CASE("stop_mcse ends with every Monte Carlo error at most so many standard deviations",
          "[slow]") {
  const Json result = ended("stop_mcse = 0.04\n");
  CHECK(result["run"]["ended_by"] == "mcse");
  CHECK(largest_relative_error(result["summary"]) <= 0.04);
  CHECK(largest_relative_error(result["summary"]) > 0.025);
}

TEST_CASE("No effective sample size ends a run before it can be trusted", "[slow]") {
  for (const std::string rule : {"stop_min_ess = 1\n", "stop_mcse = 5\n"}) {
    const Json result = ended(rule + "check_every = 5\n");
    CHECK(result["summary"]["sampler"]["min_ess_reliable"] == true);
    const double least = mixwell::diagnostics::least_reliable_ess(2);
    CHECK(result["summary"]["sampler"]["min_ess"].get<double>() >= least);
    CHECK(result["run"]["draws"].get<int>() > 20);
  }
}

TEST_CASE("Of several rules the first that is met ends the run", "[slow]") {
  CHECK(ended("stop_gradients = 900\nstop_min_ess = 5000\n")["run"]["ended_by"] == "gradients");
  CHECK(ended("stop_gradients = 1e7\nstop_min_ess = 300\n")["run"]["ended_by"] == "min_ess");
}

TEST_CASE("A rule that is not met leaves the run its draws") {
  const Workplace place;
  mixwell::run(compose("draws = 230\nthin = 3\nstop_min_ess = 1e9\nstop_gradients = 1e9\n"),
               options_in(place.path("out")));
  const Json run = Json::parse(read(place.path("out/run.json")));
  CHECK(run["ended_by"] == "draws");
  CHECK(run["draws"] == 230);
}

TEST_CASE("stop_seconds ends a run that would last for days, with exit code 0", "[slow]") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest("stop_seconds = 0.5\n"));
  const Outcome outcome = place.mixwell("run m.toml --quiet --set run.draws=1000000000");
  CHECK(outcome.code == 0);
  const Json run = Json::parse(read(place.path("out/m/run.json")));
  CHECK(run["outcome"] == "complete");
  CHECK(run["ended_by"] == "seconds");
  // The rest of the time is the summary's.
  CHECK(run["seconds"]["total"].get<double>() >= 0.02);
  CHECK(is_tidy(place.path("out/m")));
}
